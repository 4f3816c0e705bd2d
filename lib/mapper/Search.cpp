#include "mapper/Search.h"
#include "mapper/LowerBound.h"
#include "mapper/Portfolio.h"
#include "mapper/Walk.h"
#include <algorithm>
#include <thread>

namespace streammap {
namespace {

constexpr std::size_t walkCount = 2;

/// Runs every walk for a round, on as many threads as allowed.
void runRound(std::vector<std::unique_ptr<Walk>> &walks, std::uint64_t placements, Seconds bound,
              unsigned threads, const StopCondition &stop) {
  if (threads == 0)
    threads = std::thread::hardware_concurrency();
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < walks.size(); ++i)
    if (others.size() + 1 < threads)
      others.emplace_back([&, i] { walks[i]->run(placements, bound, stop); });
  walks.front()->run(placements, bound, stop);
  for (std::size_t i = 1 + others.size(); i < walks.size(); ++i)
    walks[i]->run(placements, bound, stop);
}

std::uint64_t stepsOf(const std::vector<std::unique_ptr<Walk>> &walks) {
  std::uint64_t steps = 0;
  for (const auto &walk : walks)
    steps += walk->placements();
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

} // namespace

std::uint64_t searchSteps(Effort effort, std::size_t tasks) {
  // Small problems are exhausted long before: moves grow with the square of the tasks, a move's cost with
  // the tasks.
  const double cube = std::pow(static_cast<double>(tasks), 3);
  const double factor = effort == Effort::fast ? 0.1 : effort == Effort::normal ? 1 : 40;
  return static_cast<std::uint64_t>(factor * std::min(2000 * cube, 1.5e7));
}

Placement improve(const Problem &problem, std::vector<Placement> starts, Seconds bound,
                  std::uint64_t mostSteps, const MapOptions &options, const StopCondition &stop) {
  std::ranges::stable_sort(starts, {}, [](const Placement &p) { return p.predicted.makespan; });
  Placement best = std::move(starts.front());
  if (best.predicted.makespan <= bound * (1 + 1e-12) || mostSteps == 0)
    return best;
  const SearchSpace space(problem);
  std::vector<Solution> solutions{solutionOf(problem, best)};
  for (std::size_t i = 1; i < starts.size(); ++i)
    solutions.push_back(solutionOf(problem, starts[i]));
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
  best.solver.steps = stepsOf(walks);
  return best;
}

Expected<Placement> mapSearch(const Problem &problem, const MapOptions &options) {
  const StopCondition stop(options);
  Expected<std::vector<Placement>> starts = constructAll(problem, options);
  if (!starts)
    return std::unexpected(starts.error());
  return improve(problem, std::move(*starts), lowerBound(problem).time,
                 searchSteps(options.effort, problem.graph().tasks.size()), options, stop);
}

} // namespace streammap
