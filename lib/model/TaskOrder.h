#pragma once
// The order in which tasks may run.
#include "model/TaskGraph.h"

namespace streammap {

/// Every task after its predecessors, otherwise in program order; fewer tasks than the graph has when it has
/// a cycle. O((tasks + dependencies) log tasks).
std::vector<TaskId> topologicalOrder(const TaskGraph &graph);

/// The tasks of one cycle, each depending on the one before and the first on the last; empty when there is
/// none.
std::vector<TaskId> findCycle(const TaskGraph &graph);

} // namespace streammap
