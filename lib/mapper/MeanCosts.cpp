#include "mapper/MeanCosts.h"
#include <algorithm>
#include <queue>

namespace streammap {
namespace {

/// Pairs of so many devices are averaged; on larger clusters an even sample of this many stands for all.
constexpr std::size_t sampledDevices = 48;

} // namespace

MeanCosts::MeanCosts(const Problem &problem) : problem_(&problem), tasks_(problem.graph().tasks.size()) {
  for (TaskId task : problem.graph().tasks.ids()) {
    Seconds sum;
    double devices = 0;
    for (ClassId c : problem.classes().ids())
      if (const auto &estimate = problem.estimate(task, c)) {
        sum += estimate->time * static_cast<double>(problem.classSize(c));
        devices += static_cast<double>(problem.classSize(c));
      }
    tasks_[task] = devices > 0 ? sum / devices : Seconds();
  }
  averageFabric();
}

void MeanCosts::averageFabric() {
  const std::vector<DeviceId> &devices = problem_->devices();
  const std::size_t step = std::max<std::size_t>(1, devices.size() / sampledDevices);
  std::size_t pairs = 0;
  for (std::size_t a = 0; a < devices.size(); a += step)
    for (std::size_t b = 0; b < devices.size(); b += step) {
      if (a == b)
        continue;
      const Route route = problem_->fabric().route(problem_->fabric().placeOf(devices[a]),
                                                   problem_->fabric().placeOf(devices[b]));
      latency_ += route.latency;
      secondsPerByte_ += bytes(1) / route.bandwidth / seconds(1);
      ++pairs;
    }
  if (pairs != 0) {
    latency_ = latency_ / static_cast<double>(pairs);
    secondsPerByte_ /= static_cast<double>(pairs);
  }
}

Seconds MeanCosts::transfer(const Dependency &dependency) const {
  if (dependency.size <= Bytes())
    return Seconds();
  return latency_ + seconds(dependency.size.value() * secondsPerByte_);
}

IndexedVector<TaskId, Seconds> MeanCosts::upwardRanks() const {
  const TaskGraph &graph = problem_->graph();
  IndexedVector<TaskId, Seconds> ranks(graph.tasks.size());
  const std::vector<TaskId> &order = problem_->topologicalOrder();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    Seconds longest;
    for (std::size_t i : problem_->outgoing(*task))
      longest = std::max(longest, transfer(graph.dependencies[i]) + ranks[graph.dependencies[i].to]);
    ranks[*task] = tasks_[*task] + longest;
  }
  return ranks;
}

IndexedVector<TaskId, Seconds> MeanCosts::downwardRanks() const {
  const TaskGraph &graph = problem_->graph();
  IndexedVector<TaskId, Seconds> ranks(graph.tasks.size());
  for (TaskId task : problem_->topologicalOrder())
    for (std::size_t i : problem_->incoming(task)) {
      const TaskId from = graph.dependencies[i].from;
      ranks[task] = std::max(ranks[task], ranks[from] + tasks_[from] + transfer(graph.dependencies[i]));
    }
  return ranks;
}

std::vector<TaskId> byDescendingRank(const Problem &problem, const IndexedVector<TaskId, Seconds> &ranks) {
  const TaskGraph &graph = problem.graph();
  auto later = [&](TaskId a, TaskId b) {
    if (ranks[a] != ranks[b])
      return ranks[a] < ranks[b];
    if (graph.tasks[a].priority != graph.tasks[b].priority)
      return graph.tasks[a].priority < graph.tasks[b].priority;
    return a > b;
  };
  // Ranks never grow along a dependency, so taking the first of the ready tasks is the sorted order.
  std::priority_queue<TaskId, std::vector<TaskId>, decltype(later)> ready(later);
  IndexedVector<TaskId, std::size_t> waiting(graph.tasks.size());
  for (TaskId task : graph.tasks.ids())
    if ((waiting[task] = problem.incoming(task).size()) == 0)
      ready.push(task);
  std::vector<TaskId> order;
  order.reserve(graph.tasks.size());
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (std::size_t i : problem.outgoing(order.back()))
      if (const TaskId next = graph.dependencies[i].to; --waiting[next] == 0)
        ready.push(next);
  }
  return order;
}

} // namespace streammap
