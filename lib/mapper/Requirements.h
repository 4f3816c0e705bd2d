#pragma once
// Whether a set of requirements can hold together: the oracle behind Conflicts.h.
#include "mapper/Conflicts.h"
#include <map>
#include <set>

namespace streammap {

/// What each task needs to be judged, worked out once.
class RequirementFacts {
public:
  RequirementFacts(const TaskGraph &graph, const Cluster &cluster);
  Bytes memoryNeed(TaskId task) const { return need_[task]; }
  std::optional<NodeId> nodeNamed(const std::string &name) const;
  /// Whether the requirement of a task holds on a model; true for kinds that are not about models.
  bool holdsOn(RequirementKind kind, TaskId task, const GpuModel &model) const;
  const TaskGraph &graph() const { return graph_; }

private:
  const TaskGraph &graph_;
  IndexedVector<TaskId, Bytes> need_;
  std::map<std::string, NodeId> nodes_;
};

/// Everything that `task` asks for.
std::vector<Requirement> requirementsOf(const TaskGraph &graph, TaskId task);
/// Every node and GPU that is not up.
std::vector<Requirement> statesOf(const Cluster &cluster);

/// The tasks of a contradiction, or nothing when all requirements can hold together (or nobody knows: the
/// search gave up). Only `tasks` and the requirements given count; a part that is not up counts as up unless
/// its state is among the requirements.
std::optional<std::vector<TaskId>> contradiction(const RequirementFacts &facts, const Cluster &cluster,
                                                 const std::vector<TaskId> &tasks,
                                                 const std::vector<Requirement> &requirements);

} // namespace streammap
