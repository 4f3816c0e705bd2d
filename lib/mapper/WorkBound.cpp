#include "mapper/WorkBound.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace streammap {
namespace {

constexpr double operationsForPrices = 3e7; ///< so that a million tasks take no longer than a thousand
constexpr std::size_t mostRounds = 300;
constexpr double mostPathOperations = 2e7; ///< beyond, the paths are left out
constexpr std::size_t thresholds = 48;     ///< moments before which tasks are left out

/// Models that are in use, with their devices, and each task's time on them.
struct Times {
  explicit Times(const Problem &problem) : tasks(problem.graph().tasks.size()) {
    for (ClassId c : problem.classes().ids())
      if (problem.classSize(c) != 0) {
        models.push_back(c);
        devices.push_back(static_cast<double>(problem.classSize(c)));
      }
    seconds.reserve(tasks * models.size());
    for (TaskId task : problem.graph().tasks.ids())
      for (ClassId c : models) {
        const auto &estimate = problem.estimate(task, c);
        seconds.push_back(estimate ? estimate->time.value() : never);
      }
  }
  static constexpr double never = std::numeric_limits<double>::infinity();
  double at(std::size_t task, std::size_t model) const { return seconds[task * models.size() + model]; }

  std::size_t tasks;
  std::vector<ClassId> models;
  std::vector<double> devices;
  std::vector<double> seconds;
};

/// The weight of every task for the best prices found, by exponentiated subgradient steps (Kivinen and
/// Warmuth, Information and Computation 132, 1997): a model that is loaded above the average gets dearer.
std::vector<double> bestWeights(const Times &times) {
  const std::size_t models = times.models.size();
  const double total = std::accumulate(times.devices.begin(), times.devices.end(), 0.0);
  std::vector<double> shares; // of the price of all devices
  for (double devices : times.devices)
    shares.push_back(devices / total);
  const auto rounds =
      models == 1 ? std::size_t{1}
                  : std::clamp(static_cast<std::size_t>(operationsForPrices /
                                                        static_cast<double>(times.tasks * models + 1)),
                               std::size_t{8}, mostRounds);
  std::vector<double> best, weights(times.tasks), load(models);
  double bestSum = -1;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::ranges::fill(load, 0);
    for (std::size_t task = 0; task < times.tasks; ++task) {
      std::size_t cheapest = 0;
      weights[task] = Times::never;
      for (std::size_t model = 0; model < models; ++model)
        if (const double time = times.at(task, model); time < Times::never)
          if (const double weight = time * shares[model] / times.devices[model]; weight < weights[task]) {
            weights[task] = weight;
            cheapest = model;
          }
      load[cheapest] += times.at(task, cheapest) / times.devices[cheapest];
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (sum > bestSum) {
      bestSum = sum;
      best = weights;
    }
    const double largest = *std::ranges::max_element(load);
    if (largest <= 0)
      break;
    const double step = 1 / std::sqrt(static_cast<double>(round + 1));
    double all = 0;
    for (std::size_t model = 0; model < models; ++model)
      all += shares[model] *= std::exp(step * load[model] / largest);
    for (double &share : shares)
      share /= all;
  }
  return best;
}

/// The least each task has to wait, and the least that follows it, with a device for each task and data on
/// the fastest ways.
class Paths {
public:
  Paths(const Problem &problem, const Times &times)
      : problem_(problem), times_(times), ways_(problem), ends_(times.seconds.size(), Times::never),
        tails_(times.seconds.size()), heads(times.tasks), tails(times.tasks) {
    const std::vector<TaskId> &order = problem.topologicalOrder();
    for (TaskId task : order)
      findHead(task);
    for (auto task = order.rbegin(); task != order.rend(); ++task)
      handTails(*task);
  }

private:
  double &at(std::vector<double> &values, TaskId task, std::size_t model) {
    return values[task.index() * times_.models.size() + model];
  }
  bool mayRun(TaskId task, std::size_t model) const { return times_.at(task.index(), model) < Times::never; }

  template <class Of>
  double least(TaskId task, Of of) const {
    double least = Times::never;
    for (std::size_t model = 0; model < times_.models.size(); ++model)
      if (mayRun(task, model))
        least = std::min(least, of(model));
    return least;
  }

  void findHead(TaskId task) {
    double afterAll = 0;
    for (std::size_t i : problem_.incoming(task)) {
      const TaskId from = problem_.graph().dependencies[i].from;
      afterAll = std::max(afterAll, least(from, [&](std::size_t m) { return at(ends_, from, m); }));
    }
    heads[task.index()] = Times::never;
    for (std::size_t model = 0; model < times_.models.size(); ++model) {
      if (!mayRun(task, model))
        continue;
      double start = afterAll;
      for (PieceId id : problem_.inputs(task)) {
        const Piece &piece = problem_.pieces()[id];
        start = std::max(
            start,
            piece.producer.valid()
                ? least(piece.producer,
                        [&](std::size_t from) {
                          return at(ends_, piece.producer, from) +
                                 ways_.between(times_.models[from], times_.models[model], piece.size).value();
                        })
                : ways_.fromHost(times_.models[model], piece.size).value());
      }
      at(ends_, task, model) = start + times_.at(task.index(), model);
      heads[task.index()] = std::min(heads[task.index()], start);
    }
  }

  /// All that follows the task is known: tells its predecessors.
  void handTails(TaskId task) {
    auto rest = [&](std::size_t model) { return times_.at(task.index(), model) + at(tails_, task, model); };
    tails[task.index()] = least(task, [&](std::size_t model) { return at(tails_, task, model); });
    const double shortest = least(task, rest);
    for (std::size_t i : problem_.incoming(task))
      for (std::size_t model = 0; model < times_.models.size(); ++model) {
        double &tail = at(tails_, problem_.graph().dependencies[i].from, model);
        tail = std::max(tail, shortest);
      }
    for (PieceId id : problem_.inputs(task)) {
      const Piece &piece = problem_.pieces()[id];
      if (piece.producer.valid())
        for (std::size_t from = 0; from < times_.models.size(); ++from) {
          double &tail = at(tails_, piece.producer, from);
          tail =
              std::max(tail, least(task, [&](std::size_t model) {
                         return rest(model) +
                                ways_.between(times_.models[from], times_.models[model], piece.size).value();
                       }));
        }
    }
  }

  const Problem &problem_;
  const Times &times_;
  FastestWays ways_;
  std::vector<double> ends_, tails_; ///< by task and model

public:
  std::vector<double> heads, tails;
};

/// The largest, over moments and tails, of moment + weight of the tasks that start no earlier and are
/// followed by no less + that tail.
double pathAndWork(const std::vector<double> &weights, const Paths &paths) {
  std::vector<std::size_t> byTail(weights.size());
  std::iota(byTail.begin(), byTail.end(), std::size_t{0});
  std::ranges::stable_sort(byTail, std::greater(), [&](std::size_t task) { return paths.tails[task]; });
  std::vector<double> moments = paths.heads;
  std::ranges::sort(moments);
  const auto repeated = std::ranges::unique(moments);
  moments.erase(repeated.begin(), repeated.end());
  const std::size_t step = std::max<std::size_t>(1, moments.size() / thresholds);
  double largest = 0;
  for (std::size_t i = 0; i < moments.size(); i += step) {
    double weight = 0;
    for (std::size_t task : byTail)
      if (paths.heads[task] >= moments[i]) {
        weight += weights[task];
        largest = std::max(largest, moments[i] + weight + paths.tails[task]);
      }
  }
  return largest;
}

} // namespace

WorkBounds workBounds(const Problem &problem) {
  const Times times(problem);
  if (times.tasks == 0 || times.models.empty())
    return {};
  const std::vector<double> weights = bestWeights(times);
  WorkBounds bounds{seconds(std::accumulate(weights.begin(), weights.end(), 0.0)), Seconds()};
  const std::size_t models = times.models.size();
  if (static_cast<double>(problem.graph().dependencies.size() * models * models) <= mostPathOperations)
    bounds.pathAndWork = seconds(pathAndWork(weights, Paths(problem, times)));
  return bounds;
}

} // namespace streammap
