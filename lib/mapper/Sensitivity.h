#pragma once
// How wrong all estimates may be before another placement wins:
//
//   Sensitivity s = sensitivityOf(problem, placement, {.seed = 1});
//   std::cout << toText(s, placement);
//
//   How wrong the estimates may be
//     rivals          peft 4.31 ms (1.05), cpop 4.40 ms (1.07), one-node 5.02 ms (1.22)
//     all computing   heft stays the best down to 0.41 times the estimates, below it one-node; up to 2.3
//                     times, above it peft
//     each by itself  up to   5 %   16 of 16 draws    regret 0.0 %
//                     up to  20 %   14 of 16 draws    regret 0.2 %
//
// The rivals are the placements of all strategies that construct one. Under changed estimates every placement
// keeps its decisions and is timed again, since at run time decisions are kept too; the one with the shortest
// makespan wins. A common factor on all computing is the same as its inverse on all transfers.
#include "mapper/MapTasks.h"
#include <string>

namespace streammap {

struct SensitivityOptions {
  std::uint64_t seed = 1;
  std::size_t draws = 16; ///< per level of noise
};

/// About 20 + 8 x draws retimings of each rival within a factor of two of the placement. A draw gives each
/// task a factor exp(u ln f) with u uniform in [-1, 1], the same on every model, and each node's NICs, host
/// links and GPU links and each uplink one likewise; the same u at every level f. Levels end where no draw
/// keeps the placement the best.
Sensitivity sensitivityOf(const Problem &problem, const Placement &placement,
                          const SensitivityOptions &options);

/// At most 80 columns.
std::string toText(const Sensitivity &sensitivity, const Placement &placement);

} // namespace streammap
