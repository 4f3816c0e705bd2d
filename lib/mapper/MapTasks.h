#pragma once
// Assigns every task to a device.
//
//   Expected<Problem> problem = makeProblem(graph, cluster);
//   Expected<Placement> placement = mapTasks(*problem, {.strategy = "auto", .seed = 1});
//   placement->predicted.gap;      // how far from the lower bound
#include "model/Placement.h"
#include "sim/Problem.h"
#include <span>

namespace streammap {

struct MapOptions {
  std::string strategy = "auto";
  std::uint64_t seed = 1; ///< of strategies that draw numbers
};

/// One way to map; each is a pair of files of this folder.
struct Strategy {
  std::string_view name;
  std::string_view description; ///< one line
  Expected<Placement> (*map)(const Problem &problem, const MapOptions &options);
};

/// All strategies by name, `auto` first.
std::span<const Strategy> strategies();

/// Same problem, options and seed: same placement, byte for byte. Fails only if no placement was found that
/// fits, or if the strategy is unknown (the message names the nearest). Fills in the lower bound and checks
/// the result with findViolations before it returns.
Expected<Placement> mapTasks(const Problem &problem, const MapOptions &options);

} // namespace streammap
