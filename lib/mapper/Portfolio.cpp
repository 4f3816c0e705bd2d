#include "mapper/Portfolio.h"
#include "mapper/LowerBound.h"
#include "mapper/Search.h"

namespace streammap {

Expected<std::vector<Placement>> constructAll(const Problem &problem, const MapOptions &options) {
  std::vector<Placement> placements;
  std::optional<Error> firstError;
  for (const Strategy &strategy : strategies()) {
    if (!strategy.constructs)
      continue;
    Expected<Placement> placement = strategy.map(problem, options);
    if (placement) {
      placement->solver.strategy = strategy.name;
      placements.push_back(std::move(*placement));
    } else if (!firstError) {
      firstError = placement.error();
    }
  }
  if (placements.empty())
    return std::unexpected(*firstError);
  return placements;
}

Expected<Placement> mapAuto(const Problem &problem, const MapOptions &options) {
  const StopCondition stop(options);
  Expected<std::vector<Placement>> starts = constructAll(problem, options);
  if (!starts)
    return std::unexpected(starts.error());
  return improve(problem, std::move(*starts), lowerBound(problem).time,
                 searchSteps(options.effort, problem.graph().tasks.size()), options, stop);
}

} // namespace streammap
