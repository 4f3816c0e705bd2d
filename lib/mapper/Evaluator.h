#pragma once
// Times an order of tasks on chosen devices as ScheduleBuilder does, without building a placement: what a
// search runs millions of times.
//
//   Evaluator evaluator(problem);
//   Seconds makespan = evaluator.evaluate(solution, 0);
//   std::swap(solution.order[70], solution.order[71]);
//   makespan = evaluator.evaluate(solution, 70);      // the first 70 tasks stay as they are
//
// The makespan equals simulate()'s to the last bit, insertion, copies of pieces and shared links included,
// except where a node's power limit or a device's memory delays tasks: those the evaluator does not look at,
// so what a search found is timed again by simulate() before it is believed.
#include "mapper/RouteCache.h"
#include "sim/ScheduleBuilder.h"

namespace streammap {

/// What a search changes: every task after its predecessors, each on a device that may run it.
struct Solution {
  std::vector<TaskId> order;
  IndexedVector<TaskId, DeviceId> device;
};

/// Longer than any makespan.
inline constexpr Seconds never{std::numeric_limits<double>::infinity()};

class Evaluator {
public:
  explicit Evaluator(const Problem &problem);

  const Problem &problem() const { return *problem_; }

  /// Keeps the first `count` tasks that were placed and takes the others back. O(what they reserved).
  void rewind(std::size_t count);
  std::size_t placed() const { return marks_.size(); }

  /// Places the task after those placed so far; returns its end. O(inputs), and a binary search in the
  /// device's timeline.
  Seconds place(TaskId task, DeviceId device);
  /// When the task would end there; changes nothing. Like ScheduleBuilder::slotOn.
  Seconds endOn(TaskId task, DeviceId device);

  /// Of a task that is placed.
  Slot slot(TaskId task) const { return slots_[task]; }
  DeviceId deviceOf(TaskId task) const { return chosen_[task]; }
  /// Latest end of the tasks placed.
  Seconds makespan() const { return marks_.empty() ? Seconds() : marks_.back().makespan; }
  /// What kept the task from starting earlier: the predecessor whose end or data it waited for longest, or
  /// the task before it on its device. Invalid when it starts as early as anything can.
  TaskId waitedFor(TaskId task);

  /// The makespan of `solution`, of which the first `from` places are as in the last evaluation. Gives up and
  /// returns `never` as soon as some task's end plus `tails[task]` passes `cutoff`; `tails` may be empty.
  Seconds evaluate(const Solution &solution, std::size_t from, Seconds cutoff = never,
                   const IndexedVector<TaskId, Seconds> &tails = {});

  /// The work done since the evaluator was made, whatever the machine's speed: tasks placed or
  /// looked at, and the times a link was asked when it is free.
  std::uint64_t steps() const { return steps_; }

private:
  struct Busy {
    Seconds start, end;
    TaskId task; ///< on a device's timeline
  };
  using Timeline = std::vector<Busy>; ///< disjoint, by start
  /// A copy of a piece besides the producer's: on a device, or in a node's host memory.
  struct Copy {
    std::uint32_t previous; ///< of the same piece
    NodeId node;
    DeviceId device; ///< invalid: in host memory
    Seconds at;
    PieceId piece;
  };
  struct Delivery {
    CachedRoute route;
    bool crossesNetwork = false;
    Seconds start, arrival = never;
  };
  /// A reservation to take back: on a device's timeline, or on a channel of a link.
  struct Reserved {
    Timeline *timeline;
    Busy busy;
  };
  struct Mark { ///< how much there was before a task was placed
    TaskId task;
    std::uint32_t reserved, copies;
    Seconds makespan; ///< with the task
  };

  static Seconds earliest(const Timeline &timeline, Seconds ready, Seconds length);
  void add(Timeline &timeline, Busy busy);
  static void remove(Timeline &timeline, Busy busy);

  std::span<const PieceId> inputs(TaskId task) const { return rowOf(inputs_, inputStart_, task); }
  std::span<const TaskId> predecessors(TaskId task) const {
    return rowOf(predecessors_, predecessorStart_, task);
  }
  template <class T>
  static std::span<const T> rowOf(const std::vector<T> &values, const std::vector<std::uint32_t> &starts,
                                  TaskId task) {
    return std::span(values).subspan(starts[task.index()], starts[task.index() + 1] - starts[task.index()]);
  }

  Seconds predecessorsEnd(TaskId task) const;
  std::optional<Seconds> present(PieceId piece, DeviceId device) const;
  void consider(std::uint32_t source, Seconds at, Bytes size, std::uint32_t target, Delivery &best);
  Delivery delivery(PieceId piece, DeviceId device);
  Seconds deliver(PieceId piece, DeviceId device);
  Seconds linksFree(const CachedRoute &route, Seconds ready, Seconds length) const;
  std::size_t firstFreeChannel(LinkId link, Seconds ready, Seconds length) const;

  const Problem *problem_;
  RouteCache routes_;
  bool contended_;
  // The problem in arrays: row t of `inputs_` lies between inputStart_[t] and inputStart_[t + 1].
  std::vector<PieceId> inputs_;
  std::vector<TaskId> predecessors_;
  std::vector<std::uint32_t> inputStart_, predecessorStart_;
  IndexedVector<PieceId, TaskId> producer_;
  IndexedVector<PieceId, Bytes> size_;
  IndexedVector<PieceId, char> shared_; ///< more than one task reads it, so that copies matter
  IndexedVector<DeviceId, NodeId> nodeOf_;
  IndexedVector<NodeId, char> hasSeveral_; ///< devices, between which copies may travel
  std::vector<Seconds> times_;             ///< by task and class
  // The schedule so far.
  IndexedVector<DeviceId, Timeline> busy_;
  IndexedVector<LinkId, std::vector<Timeline>> channels_;
  IndexedVector<TaskId, DeviceId> chosen_;
  IndexedVector<TaskId, Slot> slots_;
  IndexedVector<PieceId, std::uint32_t> lastCopy_;
  std::vector<Copy> copies_;
  std::vector<Reserved> reserved_;
  std::vector<Mark> marks_;
  mutable std::uint64_t steps_ = 0;
};

} // namespace streammap
