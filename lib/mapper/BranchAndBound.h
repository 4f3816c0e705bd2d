#pragma once
// Finds the shortest placement of a relaxed problem, or proves that there is none shorter than one known.
//
// Tasks are placed one after the other in the order of their starts, so that no schedule is met in two
// orders. A partial schedule is left when it cannot get shorter than the best: because of what still follows
// each task (heads and tails, with forks and joins), or because of the work that is left for the time that is
// left on all devices. It is left as well when one like it was seen: the same tasks done, and the same
// moments from which each device is free and each piece of data is where, as far as they are not over.
// Devices that are alike, now and by kind, are tried once. The scheme of orderings by start is that of
// Giffler and Thompson (Operations Research 8, 1960); duplicates as in Venugopalan and Sinnen (IEEE TPDS 26,
// 2015).
#include "mapper/RelaxedProblem.h"
#include "mapper/StopCondition.h"

namespace streammap {

struct ExactResult {
  bool exhausted =
      false; ///< nothing was left out: `makespan` is the least there is, or none is below the cutoff
  std::uint64_t steps = 0; ///< partial schedules looked at
  double makespan;         ///< seconds: of the schedule found, or the cutoff
  /// Tasks by start with their devices; empty when none was found below the cutoff.
  std::vector<std::pair<TaskId, DeviceId>> schedule;
};

/// Looks for a schedule shorter than `cutoff` within `mostSteps`. The problem's groups are kept.
ExactResult branchAndBound(const Problem &problem, const RelaxedProblem &relaxed, Seconds cutoff,
                           std::uint64_t mostSteps, const StopCondition &stop);

} // namespace streammap
