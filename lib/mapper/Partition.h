#pragma once
// The strategy `partition`: nodes first, then devices.
#include "mapper/CommunicationGraph.h"
#include "mapper/MapTasks.h"

namespace streammap {

/// Tasks and the bytes that pass between them, without directions: an edge is what the two would send each
/// other if they ran apart, a vertex weighs the task's shortest time. Dependencies without data are no edges.
/// Both are scaled to whole numbers: 1,000 per mean task, at most 10^15 for all data. O(tasks + dependencies
/// log dependencies).
CommunicationGraph communicationOf(const Problem &problem);

/// Divides the tasks among 2, 4, 8, ... and all nodes so that little data passes between nodes and each gets
/// about the same work, then runs HEFT with every task bound to its node, and keeps the best of these and
/// plain HEFT. Good where data is worth more than balance, and on many nodes cheaper than HEFT, which asks
/// every node about every task. Tasks that a clause ties to a node or to each other, or that their node
/// cannot run, stay free.
Expected<Placement> mapPartition(const Problem &problem, const MapOptions &options);

} // namespace streammap
