#pragma once
// Local search: starts from the placements of the list schedulers and improves the best of them until its
// steps are used up. Two walks (Walk.h) with seeds of their own run for a round, look at each other's best,
// and go on; rounds grow, so that an early stop finds something good and a long search cools slowly. The
// walks share nothing during a round, so one thread or two find the same.
#include "mapper/MapTasks.h"
#include "mapper/SearchSpace.h"
#include "mapper/StopCondition.h"

namespace streammap {

/// What the strategies that construct placements found: the best, whole, and of all of them, best first, what
/// a search can start from. Placements are large, so the others are not kept.
struct Starts {
  Placement best;
  std::vector<Solution> solutions;
};

/// As constructAll (Portfolio.h), without keeping all placements.
Expected<Starts> constructStarts(const Problem &problem, const MapOptions &options);

/// The best of `starts` and of what the search finds within `mostSteps` (Evaluator::steps), timed by
/// simulate(); ends as well when it reaches `bound`. The solver's strategy is "search" where the search
/// improved on the starts, its steps those done.
Placement improve(const Problem &problem, Starts starts, Seconds bound, std::uint64_t mostSteps,
                  const MapOptions &options, const StopCondition &stop);

/// Steps that an effort allows for a problem of so many tasks.
std::uint64_t searchSteps(Effort effort, std::size_t tasks);

/// The strategy: all list schedulers, then improve().
Expected<Placement> mapSearch(const Problem &problem, const MapOptions &options);

} // namespace streammap
