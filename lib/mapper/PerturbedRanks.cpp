#include "mapper/PerturbedRanks.h"
#include "mapper/MeanCosts.h"
#include "mapper/Random.h"
#include "sim/ScheduleBuilder.h"

namespace streammap {
namespace {

constexpr double transferWeights[] = {0, 0.5, 2, 4};      ///< tried first; HEFT's own is 1
constexpr double disturbances[] = {0.02, 0.05, 0.1, 0.2}; ///< of a rank, in turn
/// Steps for a task of a list run, measured: some ten devices are looked at, and every copy is accounted for.
constexpr std::uint64_t stepsPerTask = 128;

/// Nothing where groups leave no device for some task.
std::optional<Placement> listSchedule(const Problem &problem, const IndexedVector<TaskId, Seconds> &ranks) {
  ScheduleBuilder builder(problem);
  for (TaskId task : byDescendingRank(problem, ranks)) {
    const std::optional<DeviceId> device = builder.soonest(task);
    if (!device)
      return std::nullopt;
    builder.place(task, *device);
  }
  return std::move(builder).finish();
}

/// Upward ranks in which transfers count `weight` times.
IndexedVector<TaskId, Seconds> ranksWith(const Problem &problem, const MeanCosts &means, double weight) {
  IndexedVector<TaskId, Seconds> ranks(problem.graph().tasks.size());
  const std::vector<TaskId> &order = problem.topologicalOrder();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    Seconds longest;
    for (std::size_t i : problem.outgoing(*task)) {
      const Dependency &dependency = problem.graph().dependencies[i];
      longest = std::max(longest, means.transfer(dependency) * weight + ranks[dependency.to]);
    }
    ranks[*task] = means.task(*task) + longest;
  }
  return ranks;
}

} // namespace

std::uint64_t stepsOfListRun(const Problem &problem) {
  return problem.graph().tasks.size() * std::min<std::uint64_t>(stepsPerTask, 4 * problem.devices().size());
}

Placement improveByRanks(const Problem &problem, Placement best, Seconds bound, std::uint64_t mostSteps,
                         const MapOptions &options, const StopCondition &stop) {
  const std::uint64_t runs = mostSteps / std::max<std::uint64_t>(1, stepsOfListRun(problem));
  const MeanCosts means(problem);
  Random random(options.seed);
  IndexedVector<TaskId, Seconds> bestRanks = means.upwardRanks();
  Seconds bestOfRanks{std::numeric_limits<double>::infinity()};
  for (std::uint64_t run = 0; run < runs && !stop.isMet(); ++run) {
    IndexedVector<TaskId, Seconds> ranks =
        run < std::size(transferWeights) ? ranksWith(problem, means, transferWeights[run]) : bestRanks;
    if (run >= std::size(transferWeights))
      for (Seconds &rank : ranks)
        rank *= 1 + disturbances[run % std::size(disturbances)] * (random.unit() - 0.5);
    std::optional<Placement> placement = listSchedule(problem, ranks);
    if (!placement)
      break;
    if (placement->predicted.makespan <= bestOfRanks) {
      bestOfRanks = placement->predicted.makespan;
      bestRanks = std::move(ranks);
    }
    const std::uint64_t steps = best.solver.steps + stepsOfListRun(problem);
    if (placement->predicted.makespan < best.predicted.makespan) {
      best = std::move(*placement);
      best.solver.strategy = "search";
    }
    best.solver.steps = steps;
    if (options.progress)
      options.progress({best.predicted.makespan, bound, run + 1, runs, "search"});
    if (best.predicted.makespan <= bound * (1 + 1e-12))
      break;
  }
  return best;
}

} // namespace streammap
