#pragma once
// Puts communicating parts on the places of a tree so that those that talk much are near: process mapping.
//
//   CommunicationGraph graph = communicationGraph(n, edges);
//   std::vector<std::uint32_t> gpuOf = placeOnHierarchy(graph, {{8, 16, 4}, {1, 10, 30}}, {});
//   communicationCost(graph, {{8, 16, 4}, {1, 10, 30}}, gpuOf);
//
// The graph is divided among the outermost groups first, each part among the groups inside it, and so on
// (global multisection: von Kirchbach, Schulz, Träff, "Better Process Mapping and Sparse Quadratic
// Assignment", ACM JEA 25, 2020). Each division is multilevel: neighbours are merged until little is left,
// that is divided by recursive bisection, and the division is refined while the merging is undone. In the end
// vertices move between all places at once, with the true distances, again on several levels.
#include "mapper/CommunicationGraph.h"
#include "mapper/Hierarchy.h"

namespace streammap {

struct PlaceOptions {
  double imbalance =
      0.03; ///< a place holds at most (1 + imbalance) times the mean, rounded up to whole means
  std::uint64_t seed = 1;
  std::size_t attempts = 1; ///< of every division, the best kept; quality for time
  std::size_t cycles = 2;   ///< of merging and refining over all places; quality for time
};

/// The sum over ordered pairs of neighbours of amount x distance: every edge counts twice, as in the
/// literature.
std::int64_t communicationCost(const CommunicationGraph &graph, const Hierarchy &hierarchy,
                               const std::vector<std::uint32_t> &placeOf);

/// A place for every vertex. Places weigh at most floor((1 + imbalance) x ceil(mean)), unless heavy vertices
/// make that impossible or too hard; then they come as near as moving single vertices gets. Same arguments,
/// same result. About O(attempts x edges x log places).
std::vector<std::uint32_t> placeOnHierarchy(const CommunicationGraph &graph, const Hierarchy &hierarchy,
                                            const PlaceOptions &options);

} // namespace streammap
