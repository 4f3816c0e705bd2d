#pragma once
// Optimal placements of small problems, with their proof: a short search for a good placement, then branch
// and bound (BranchAndBound.h) over the relaxed problem (RelaxedProblem.h). Its least makespan is a lower
// bound of the real problem; a placement of the real problem that is no longer is optimal. Where links are
// shared the bound holds all the same, but the best placement may be above it, and then nothing is proved.
#include "mapper/MapTasks.h"
#include "mapper/StopCondition.h"

namespace streammap {

/// The name of the bound that an exhausted search gives, in `Prediction::boundBy`.
inline constexpr std::string_view exhaustiveSearch = "exhaustive search";

/// How many partial schedules an effort allows `auto` to look at: fewer of a larger problem, where each takes
/// longer.
std::uint64_t exactSteps(Effort effort, const Problem &problem);

/// The better of `best` and what branch and bound finds within `mostSteps` partial schedules; where it left
/// nothing out, with the lower bound that this proves in `predicted`. `best` as it is where the problem is
/// too large (more than 64 tasks or devices).
Placement proveOrImprove(const Problem &problem, Placement best, std::uint64_t mostSteps,
                         const MapOptions &options, const StopCondition &stop);

/// The strategy. On problems that are too large, or when its steps are used up, the best placement found.
Expected<Placement> mapExact(const Problem &problem, const MapOptions &options);

} // namespace streammap
