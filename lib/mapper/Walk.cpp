#include "mapper/Walk.h"
#include <algorithm>

namespace streammap {
namespace {

// In mean task times: at first a worsening by a task or so is taken, at the end next to none.
constexpr double firstTemperature = 0.4, lastTemperature = 0.01;
/// With fewer moves than this for each task there is no time to cool: only improvements are taken.
constexpr double movesToAnneal = 60;
constexpr std::uint64_t movesBetweenChecks = 16;

Solution emptySolution(const SearchSpace &space) {
  Solution solution{space.problem().topologicalOrder(), IndexedVector<TaskId, DeviceId>(space.tasks())};
  for (TaskId task : solution.order)
    solution.device[task] = space.allowed(task).front();
  return solution;
}

} // namespace

Walk::Walk(const SearchSpace &space, std::uint64_t seed)
    : space_(space), random_(seed), evaluator_(space.problem()), current_(emptySolution(space)),
      neighbourhood_(space, current_, random_) {}

void Walk::startFrom(const Solution &solution) {
  current_ = solution;
  neighbourhood_.reset();
  accept(evaluator_.evaluate(current_, 0));
}

void Walk::accept(Seconds makespan) {
  const bool changed = makespan != currentMakespan_;
  currentMakespan_ = makespan;
  if (makespan < bestMakespan_) {
    bestMakespan_ = makespan;
    best_ = current_;
  }
  if (changed)
    followCriticalPath();
}

/// From the task that ends last back to one that waited for nothing.
void Walk::followCriticalPath() {
  TaskId task;
  for (TaskId other : current_.order)
    if (!task.valid() || evaluator_.slot(other).end > evaluator_.slot(task).end)
      task = other;
  std::vector<TaskId> path;
  for (; task.valid() && path.size() < space_.tasks(); task = evaluator_.waitedFor(task))
    path.push_back(task);
  neighbourhood_.setCritical(std::move(path));
}

void Walk::run(std::uint64_t mostSteps, Seconds bound, const StopCondition &stop) {
  const std::uint64_t start = evaluator_.steps();
  const double tasks = static_cast<double>(std::max<std::size_t>(1, space_.tasks()));
  const bool anneals = static_cast<double>(mostSteps) > movesToAnneal * tasks * tasks / 2;
  double temperature = 0;
  std::uint64_t idle = 0; // a change that changed nothing counts as a step, so that every walk ends
  for (std::uint64_t move = 0;; ++move) {
    const std::uint64_t done = evaluator_.steps() - start + idle;
    if (done >= mostSteps || bestMakespan_ <= bound * (1 + 1e-12))
      return;
    if (move % movesBetweenChecks == 0) {
      if (stop.isMet())
        return;
      if (anneals)
        temperature = firstTemperature * std::pow(lastTemperature / firstTemperature,
                                                  static_cast<double>(done) / static_cast<double>(mostSteps));
    }
    const std::optional<std::size_t> first = neighbourhood_.change(evaluator_);
    if (!first) {
      ++idle;
      continue;
    }
    const Seconds worsening = space_.meanTime() * (-temperature * std::log(1 - random_.unit()));
    const Seconds cutoff = currentMakespan_ + worsening;
    const Seconds makespan = evaluator_.evaluate(current_, *first, cutoff, space_.tails());
    if (makespan <= cutoff) {
      accept(makespan);
    } else {
      neighbourhood_.undo();
      evaluator_.rewind(*first);
    }
  }
}

} // namespace streammap
