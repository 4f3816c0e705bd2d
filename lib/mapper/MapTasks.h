#pragma once
// Assigns every task to a device.
//
//   Expected<Problem> problem = makeProblem(graph, cluster);
//   Expected<Placement> placement = mapTasks(*problem, {.strategy = "auto", .seed = 1});
//   placement->predicted.gap;      // how far from the lower bound
#include "model/Placement.h"
#include "sim/Problem.h"
#include <atomic>
#include <functional>
#include <span>

namespace streammap {

/// How much work `auto`, `search` and `exact` put in: steps, not seconds, so that a fast machine finds what a
/// slow one finds. On one of 2024's cores up to about 0.2 s, 2 s, and a minute or more.
enum class Effort { fast, normal, thorough };

/// What a search knows so far.
struct MapProgress {
  Seconds makespan; ///< of the best placement
  Seconds lowerBound;
  std::uint64_t steps, mostSteps; ///< done, and allowed in this phase
  std::string_view phase;         ///< a strategy's name
};

struct MapOptions {
  std::string strategy = "auto";
  std::uint64_t seed = 1; ///< of strategies that draw numbers
  Effort effort = Effort::normal;
  /// Stops searching then, and returns the best so far: the one option under which results depend on the
  /// machine. List schedulers always run to their end.
  std::optional<Seconds> timeLimit = {};
  unsigned threads = 0; ///< that search; 0: as many as there are cores. Changes no result
  /// Called now and then, by the thread that called mapTasks.
  std::function<void(const MapProgress &)> progress = {};
  /// Once it is true the best placement so far is returned; may be null, outlives the call.
  const std::atomic<bool> *stop = nullptr;
};

/// One way to map; each is a pair of files of this folder.
struct Strategy {
  std::string_view name;
  std::string_view description; ///< one line
  Expected<Placement> (*map)(const Problem &problem, const MapOptions &options);
  /// Builds one placement in one pass: `auto`, `search` and `exact` start from these.
  bool constructs = false;
  /// Among those: is quick enough for a hundred thousand tasks and more.
  bool forHuge = false;
};

/// All strategies by name, `auto` first.
std::span<const Strategy> strategies();

/// Same problem, options and seed: same placement, byte for byte. Fails only if no placement was found that
/// fits, or if the strategy is unknown (the message names the nearest). Fills in the lower bound and checks
/// the result with findViolations before it returns.
Expected<Placement> mapTasks(const Problem &problem, const MapOptions &options);

} // namespace streammap
