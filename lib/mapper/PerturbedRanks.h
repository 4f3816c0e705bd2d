#pragma once
// HEFT again and again with other ranks: for programs so large that a walk takes minutes to change each task
// once. Ranks weigh transfers more or less than HEFT does, and are disturbed at random; what turned out
// better is disturbed further (biased random keys, Goncalves and Resende, Journal of Heuristics 17, 2011,
// with one individual).
#include "mapper/MapTasks.h"
#include "mapper/StopCondition.h"

namespace streammap {

/// The best of `best` and the placements of as many runs as `mostSteps` allow (`stepsOfListRun` each).
Placement improveByRanks(const Problem &problem, Placement best, Seconds bound, std::uint64_t mostSteps,
                         const MapOptions &options, const StopCondition &stop);

/// What a run of a list scheduler costs, in steps of an evaluator.
std::uint64_t stepsOfListRun(const Problem &problem);

} // namespace streammap
