#pragma once
// Nodes for the tasks that `together` and `apart` tie to each other. A list scheduler that looks at one task
// at a time can take the only node that another needs; where it ran into that, the nodes are chosen first, by
// backtracking, and it runs again with them fixed.
#include "sim/Problem.h"

namespace streammap {

/// A node for every task with `together` or `apart` keys, none for the others. Nothing where no choice keeps
/// all rules, or none was found within 100,000 steps. The task with the fewest nodes left chooses first;
/// among nodes, the one with the fewest tasks.
std::optional<IndexedVector<TaskId, std::optional<NodeId>>> chooseNodes(const Problem &problem);

} // namespace streammap
