#pragma once
// The changes a walk tries: small ones that mend the critical path, and larger ones that move what belongs
// together.
//
//   reassign   a task to another device, often that of a task it exchanges data with, often elsewhere in
//   order reorder    a task within its dependencies swap       the devices of two tasks gather     a
//   connected part of the graph onto one device: what high communication costs want cross      from a moment
//   on, two devices trade all their tasks rebuild    a window of the order: each of its tasks goes where it
//   would end first, give or take regroup    a `together` group, or a task that is to be apart, to another
//   node
//
// Each change can be taken back.
#include "mapper/Random.h"
#include "mapper/SearchSpace.h"

namespace streammap {

class Neighbourhood {
public:
  /// Changes `solution` in place; all three outlive the neighbourhood.
  Neighbourhood(const SearchSpace &space, Solution &solution, Random &random);

  /// After `solution` was replaced as a whole.
  void reset();
  /// Tasks worth changing first, as `waitedFor` strings them together; may be empty.
  void setCritical(std::vector<TaskId> tasks) { critical_ = std::move(tasks); }

  /// Changes something. Returns the first position of the order that is not as before; nothing when the
  /// change it drew was none. `rebuild` places tasks with `evaluator`, whose places up to that position are
  /// those of the solution.
  std::optional<std::size_t> change(Evaluator &evaluator);
  /// Takes the last change back.
  void undo();

private:
  TaskId pick();
  DeviceId pickDevice(TaskId task);
  DeviceId anyDevice(TaskId task) {
    const std::span<const DeviceId> allowed = space_.allowed(task);
    return allowed[random_.below(allowed.size())];
  }
  bool assign(TaskId task, DeviceId device);
  bool mayRun(TaskId task, DeviceId device) const {
    return space_.problem().allows(task, device) && space_.canMove(solution_, task, device);
  }
  void shift(std::size_t from, std::size_t to);
  bool moveWithinWindow(TaskId task);

  void reassign();
  void reorder();
  void swap();
  void gather();
  void cross();
  void regroup();
  std::optional<std::size_t> rebuild(Evaluator &evaluator);
  std::vector<DeviceId> worthTrying(TaskId task);

  struct Reassigned {
    TaskId task;
    DeviceId before;
  };
  struct Shifted {
    std::size_t from, to;
  };

  const SearchSpace &space_;
  Solution &solution_;
  Random &random_;
  IndexedVector<TaskId, std::uint32_t> position_;
  std::vector<TaskId> critical_;
  std::vector<Reassigned> reassigned_; ///< by the last change
  std::vector<Shifted> shifted_;
  std::size_t first_ = 0; ///< the first position that the last change touched
};

} // namespace streammap
