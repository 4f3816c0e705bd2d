#include "mapper/Portfolio.h"
#include "mapper/Exact.h"
#include "mapper/LowerBound.h"
#include "mapper/RelaxedProblem.h"
#include "mapper/Search.h"

namespace streammap {

Expected<void> constructEach(const Problem &problem, const MapOptions &options,
                             const std::function<void(Placement)> &use) {
  constexpr std::size_t huge = 100'000; // tasks
  std::optional<Error> firstError;
  bool found = false;
  for (const Strategy &strategy : strategies()) {
    if (!strategy.constructs || (problem.graph().tasks.size() > huge && !strategy.forHuge))
      continue;
    Expected<Placement> placement = strategy.map(problem, options);
    if (placement) {
      placement->solver.strategy = strategy.name;
      found = true;
      use(std::move(*placement));
    } else if (!firstError) {
      firstError = placement.error();
    }
  }
  if (!found)
    return std::unexpected(*firstError);
  return {};
}

Expected<std::vector<Placement>> constructAll(const Problem &problem, const MapOptions &options) {
  std::vector<Placement> placements;
  if (const Expected<void> constructed = constructEach(
          problem, options, [&](Placement placement) { placements.push_back(std::move(placement)); });
      !constructed)
    return std::unexpected(constructed.error());
  return placements;
}

Expected<Placement> mapAuto(const Problem &problem, const MapOptions &options) {
  const StopCondition stop(options);
  Expected<Starts> starts = constructStarts(problem, options);
  if (!starts)
    return std::unexpected(starts.error());
  Seconds bound = lowerBound(problem).time;
  const std::size_t tasks = problem.graph().tasks.size();
  const std::uint64_t steps = searchSteps(options.effort, tasks);
  if (tasks > RelaxedProblem::mostTasks)
    return improve(problem, std::move(*starts), bound, steps, options, stop);
  // Small enough for a proof, which is quick once the best placement is known; and that is mostly soon.
  const std::uint64_t first = std::min(steps, searchSteps(Effort::fast, tasks));
  Placement best = improve(problem, *starts, bound, first, options, stop);
  if (best.predicted.makespan > bound * (1 + 1e-12))
    best = proveOrImprove(problem, std::move(best), exactSteps(options.effort, problem), options, stop);
  const Prediction proved = best.predicted;
  bound = std::max(bound, proved.lowerBound);
  if (best.predicted.makespan <= bound * (1 + 1e-12) || steps == first)
    return best;
  starts->solutions.insert(starts->solutions.begin(), solutionOf(problem, best));
  starts->best = std::move(best);
  best = improve(problem, std::move(*starts), bound, steps - first, options, stop);
  best.predicted.lowerBound = proved.lowerBound;
  best.predicted.boundBy = proved.boundBy;
  return best;
}

} // namespace streammap
