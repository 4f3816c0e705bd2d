#include "mapper/Search.h"
#include "mapper/LowerBound.h"
#include "mapper/MeanCosts.h"
#include "mapper/PerturbedRanks.h"
#include "mapper/Portfolio.h"
#include "mapper/Walk.h"
#include <algorithm>
#include <thread>

namespace streammap {
namespace {

constexpr std::size_t walkCount = 2;
/// Of larger problems half of the steps go into list schedules with other ranks.
constexpr std::size_t tasksForWalks = 300;

/// Runs every walk for a round, on as many threads as allowed.
void runRound(std::vector<std::unique_ptr<Walk>> &walks, std::uint64_t steps, Seconds bound, unsigned threads,
              const StopCondition &stop) {
  if (threads == 0)
    threads = std::thread::hardware_concurrency();
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < walks.size(); ++i)
    if (others.size() + 1 < threads)
      others.emplace_back([&, i] { walks[i]->run(steps, bound, stop); });
  walks.front()->run(steps, bound, stop);
  for (std::size_t i = 1 + others.size(); i < walks.size(); ++i)
    walks[i]->run(steps, bound, stop);
}

std::uint64_t stepsOf(const std::vector<std::unique_ptr<Walk>> &walks) {
  std::uint64_t steps = 0;
  for (const auto &walk : walks)
    steps += walk->steps();
  return steps;
}

const Walk &bestOf(const std::vector<std::unique_ptr<Walk>> &walks) {
  return **std::ranges::min_element(walks, {}, [](const auto &walk) { return walk->bestMakespan(); });
}

/// In the first rounds each walk begins at a start of its own; later the first goes on from the best of all,
/// the others from their own.
Solution beginningOf(std::size_t round, std::size_t walk, const std::vector<Solution> &starts,
                     const std::vector<std::unique_ptr<Walk>> &walks) {
  if (const std::size_t start = round * walks.size() + walk; start < starts.size())
    return starts[start];
  const bool hasOwn = walks[walk]->bestMakespan() < never; // not where there are fewer starts than walks
  return walk == 0 || !hasOwn ? bestOf(walks).best() : walks[walk]->best();
}

/// The tasks by start, or by rank, as the list schedulers placed them: where links are shared, the order in
/// which transfers are put on them matters.
Solution inBetterOrder(const Problem &problem, const Solution &solution) {
  if (!problem.fabric().contended())
    return solution;
  Evaluator evaluator(problem);
  Solution ranked{byDescendingRank(problem, MeanCosts(problem).upwardRanks()), solution.device};
  const Seconds byStart = evaluator.evaluate(solution, 0);
  return evaluator.evaluate(ranked, 0) < byStart ? ranked : solution;
}

} // namespace

std::uint64_t searchSteps(Effort effort, std::size_t tasks) {
  // Small problems are exhausted long before: moves grow with the square of the tasks, a move's cost with
  // the tasks.
  const double cube = std::pow(static_cast<double>(tasks), 3);
  const double factor = effort == Effort::fast ? 0.1 : effort == Effort::normal ? 1 : 40;
  return static_cast<std::uint64_t>(factor * std::min(2000 * cube, 1.5e7));
}

Expected<Starts> constructStarts(const Problem &problem, const MapOptions &options) {
  std::optional<Placement> best;
  std::vector<std::pair<Seconds, Solution>> all;
  const Expected<void> constructed = constructEach(problem, options, [&](Placement placement) {
    all.emplace_back(placement.predicted.makespan, solutionOf(problem, placement));
    if (!best || placement.predicted.makespan < best->predicted.makespan)
      best = std::move(placement);
  });
  if (!constructed)
    return std::unexpected(constructed.error());
  std::ranges::stable_sort(all, {}, [](const auto &one) { return one.first; });
  Starts starts{std::move(*best), {}};
  for (auto &[makespan, solution] : all)
    starts.solutions.push_back(std::move(solution));
  return starts;
}

Placement improve(const Problem &problem, Starts starts, Seconds bound, std::uint64_t mostSteps,
                  const MapOptions &options, const StopCondition &stop) {
  Placement best = std::move(starts.best);
  if (best.predicted.makespan <= bound * (1 + 1e-12) || mostSteps == 0 || stop.isMet())
    return best;
  if (problem.graph().tasks.size() > tasksForWalks) {
    const Seconds before = best.predicted.makespan;
    best = improveByRanks(problem, std::move(best), bound, mostSteps / 2, options, stop);
    if (best.predicted.makespan < before)
      starts.solutions.insert(starts.solutions.begin(), solutionOf(problem, best));
    mostSteps -= mostSteps / 2;
  }
  const std::uint64_t stepsBefore = best.solver.steps;
  const SearchSpace space(problem);
  std::vector<Solution> solutions;
  for (const Solution &start : starts.solutions)
    solutions.push_back(inBetterOrder(problem, start));
  std::vector<std::unique_ptr<Walk>> walks;
  for (std::size_t i = 0; i < walkCount; ++i)
    walks.push_back(std::make_unique<Walk>(space, options.seed * walkCount + i));

  const std::uint64_t steps = std::max<std::uint64_t>(1, mostSteps / walkCount); // of each walk
  std::uint64_t done = 0, length = std::max<std::uint64_t>(1, steps / 64);
  for (std::size_t round = 0; done < steps && !stop.isMet(); ++round) {
    for (std::size_t i = 0; i < walks.size(); ++i)
      walks[i]->startFrom(beginningOf(round, i, solutions, walks));
    length = std::min(length, steps - done);
    runRound(walks, length, bound, options.threads, stop);
    done += length;
    const Seconds makespan = std::min(bestOf(walks).bestMakespan(), best.predicted.makespan);
    if (options.progress)
      options.progress({makespan, bound, done * walkCount, steps * walkCount, "search"});
    if (makespan <= bound * (1 + 1e-12))
      break;
    length = std::min(length * 2, std::max<std::uint64_t>(1, steps / 4));
  }

  const Walk &winner = bestOf(walks);
  if (winner.bestMakespan() < best.predicted.makespan) {
    Placement found = simulate(problem, winner.best().order, winner.best().device);
    if (found.predicted.makespan < best.predicted.makespan) {
      best = std::move(found);
      best.solver.strategy = "search";
    }
  }
  best.solver.steps = stepsBefore + stepsOf(walks);
  return best;
}

Expected<Placement> mapSearch(const Problem &problem, const MapOptions &options) {
  const StopCondition stop(options);
  Expected<Starts> starts = constructStarts(problem, options);
  if (!starts)
    return std::unexpected(starts.error());
  return improve(problem, std::move(*starts), lowerBound(problem).time,
                 searchSteps(options.effort, problem.graph().tasks.size()), options, stop);
}

} // namespace streammap
