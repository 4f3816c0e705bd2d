#include "mapper/Exact.h"
#include "mapper/BranchAndBound.h"
#include "mapper/LowerBound.h"
#include "mapper/Search.h"

namespace streammap {

std::uint64_t exactSteps(Effort effort, const Problem &problem) {
  const double work = effort == Effort::fast ? 5e6 : effort == Effort::normal ? 5e7 : 1e9;
  const std::size_t pairs = problem.graph().tasks.size() * problem.devices().size();
  return static_cast<std::uint64_t>(work / static_cast<double>(std::max<std::size_t>(pairs, 1)));
}

Placement proveOrImprove(const Problem &problem, Placement best, std::uint64_t mostSteps,
                         const MapOptions &options, const StopCondition &stop) {
  const std::optional<RelaxedProblem> relaxed = RelaxedProblem::of(problem);
  if (!relaxed || mostSteps == 0 || stop.isMet())
    return best;
  const ExactResult result = branchAndBound(problem, *relaxed, best.predicted.makespan, mostSteps, stop);
  std::uint64_t steps = best.solver.steps + result.steps;
  if (!result.schedule.empty()) {
    Solution solution{{}, IndexedVector<TaskId, DeviceId>(problem.graph().tasks.size())};
    for (const auto &[task, device] : result.schedule) {
      solution.order.push_back(task);
      solution.device[task] = device;
    }
    // As good as the relaxed schedule, unless links, memory or power are short after all.
    if (Placement found = simulate(problem, solution.order, solution.device);
        found.predicted.makespan < best.predicted.makespan) {
      best = std::move(found);
      best.solver.strategy = "exact";
    }
  }
  best.solver.steps = steps;
  if (result.exhausted) {
    best.predicted.lowerBound = std::min(seconds(result.makespan), best.predicted.makespan);
    best.predicted.boundBy = exhaustiveSearch;
  }
  if (options.progress)
    options.progress({best.predicted.makespan, best.predicted.lowerBound, result.steps, mostSteps, "exact"});
  return best;
}

Expected<Placement> mapExact(const Problem &problem, const MapOptions &options) {
  const StopCondition stop(options);
  Expected<Starts> starts = constructStarts(problem, options);
  if (!starts)
    return std::unexpected(starts.error());
  const Seconds bound = lowerBound(problem).time;
  Placement best = improve(problem, std::move(*starts), bound,
                           searchSteps(Effort::fast, problem.graph().tasks.size()), options, stop);
  if (best.predicted.makespan <= bound * (1 + 1e-12))
    return best;
  constexpr std::uint64_t more = 10; // than `auto` allows itself: here the proof is what is wanted
  return proveOrImprove(problem, std::move(best), more * exactSteps(options.effort, problem), options, stop);
}

} // namespace streammap
