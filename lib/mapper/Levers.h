#pragma once
// Which assumption matters most for the whole program: each is changed by itself, the placement timed again.
//
//   for (const Lever &lever : levers(problem, placement))
//     std::cout << lever.what << ' ' << lever.makespan / base;   // "gemm twice as fast" 0.71
#include "mapper/MapTasks.h"
#include <string>
#include <vector>

namespace streammap {

struct Lever {
  std::string what; ///< "gemm twice as fast (64 tasks)", "every NIC twice as fast", "one node more"
  Seconds makespan; ///< under that change
  bool mappedAgain; ///< else every decision was kept
};

struct Levers {
  Seconds base;              ///< makespan of the placement as it is, timed again
  std::vector<Lever> levers; ///< shortest makespan first
};

/// Task classes (tasks that share the name before '[' or '#'; the twelve with most time), kinds of links, and
/// the busiest single groups of links, each twice as fast: the shorter of all decisions kept and mapped again
/// by `heft`, since decisions made for other speeds may do worse with better ones; one node of each type in
/// use more, and without the node that does least, mapped again by `auto` with the placement's seed.
/// About 20 retimings and mappings by `heft`, two to four by `auto`.
Levers levers(const Problem &problem, const Placement &placement);

/// The cluster with `count` more nodes like its last of the type, at that one's switch. Their names continue
/// its number: n016, n017.
Cluster withMoreNodes(const Cluster &cluster, NodeTypeId type, std::size_t count);

/// The cluster with the node marked down.
Cluster withoutNode(const Cluster &cluster, NodeId node);

} // namespace streammap
