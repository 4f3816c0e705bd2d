#pragma once
// What all walks of a search share: where each task may go, who its neighbours are, and how long what follows
// it takes at least. Made once, then only read, also by several threads.
#include "mapper/Evaluator.h"
#include "model/Placement.h"

namespace streammap {

class SearchSpace {
public:
  explicit SearchSpace(const Problem &problem);

  const Problem &problem() const { return *problem_; }
  std::size_t tasks() const { return allowed_.size(); }

  /// Devices that may run the task, by itself: groups are `canMove`'s affair. Never empty.
  std::span<const DeviceId> allowed(TaskId task) const { return deviceLists_[allowed_[task]]; }
  std::span<const TaskId> predecessors(TaskId task) const { return predecessors_[task]; }
  std::span<const TaskId> successors(TaskId task) const { return successors_[task]; }

  /// Whether the task may change to `device` while all others stay. Tasks with `together` or `apart` keys
  /// change devices within their node only; whole groups move by `groups()`.
  bool canMove(const Solution &solution, TaskId task, DeviceId device) const;
  /// Tasks that change nodes as one: those of a `together` group, or one task with `apart` keys.
  const std::vector<std::vector<TaskId>> &groups() const { return groups_; }
  /// Whether all of `group` may be on `node`, given where the others are. O(tasks with keys).
  bool canMoveGroup(const Solution &solution, const std::vector<TaskId> &group, NodeId node) const;

  /// From the end of the task to the end of the program at least: the longest way of shortest times.
  const IndexedVector<TaskId, Seconds> &tails() const { return tails_; }
  /// Mean over tasks of the mean time on the devices that may run it.
  Seconds meanTime() const { return meanTime_; }

private:
  void collectAllowed();
  void collectGroups();
  void collectTails();

  const Problem *problem_;
  std::vector<std::vector<DeviceId>> deviceLists_; ///< many tasks share one
  IndexedVector<TaskId, std::uint32_t> allowed_;
  IndexedVector<TaskId, std::vector<TaskId>> predecessors_, successors_;
  std::vector<std::vector<TaskId>> groups_;
  std::vector<TaskId> keyed_; ///< with `apart` keys
  IndexedVector<TaskId, Seconds> tails_;
  Seconds meanTime_;
};

/// Tasks by their start, predecessors first: an order from which the builder makes the placement again, or
/// one as good where no links are shared.
Solution solutionOf(const Problem &problem, const Placement &placement);

} // namespace streammap
