// PEFT: Arabnejad and Barbosa, "List scheduling algorithm for heterogeneous systems by an optimistic cost
// table", IEEE TPDS 25 (2014). The table holds, for a task on a device, the longest shortest way to the end
// of the program that follows (equation 5); tasks are taken from the ready ones by its mean, and go where
// their end plus the table is least. The table is the same for all devices of a class, so it is kept per
// class: O(dependencies x classes^2). On the paper's example: makespan 122.
#include "mapper/ListSchedulers.h"
#include "mapper/MeanCosts.h"
#include <algorithm>
#include <queue>

namespace streammap {
namespace {

class OptimisticCosts {
public:
  explicit OptimisticCosts(const Problem &problem)
      : classes_(problem.classes().size()), table_(problem.graph().tasks.size() * classes_) {
    const MeanCosts means(problem);
    const std::vector<TaskId> &order = problem.topologicalOrder();
    for (auto task = order.rbegin(); task != order.rend(); ++task)
      for (ClassId c : problem.classes().ids())
        for (std::size_t i : problem.outgoing(*task)) {
          const Dependency &dependency = problem.graph().dependencies[i];
          Seconds &entry = table_[task->index() * classes_ + c.index()];
          entry = std::max(entry, best(problem, dependency.to, c, means.transfer(dependency)));
        }
  }

  Seconds at(TaskId task, ClassId c) const { return table_[task.index() * classes_ + c.index()]; }

  /// Mean over all devices.
  Seconds rank(const Problem &problem, TaskId task) const {
    Seconds sum;
    double devices = 0;
    for (ClassId c : problem.classes().ids()) {
      sum += at(task, c) * static_cast<double>(problem.classSize(c));
      devices += static_cast<double>(problem.classSize(c));
    }
    return devices > 0 ? sum / devices : Seconds();
  }

private:
  /// Shortest way through `next` when its predecessor ran on a device of class `from`.
  Seconds best(const Problem &problem, TaskId next, ClassId from, Seconds transfer) const {
    std::optional<Seconds> least;
    for (ClassId c : problem.classes().ids()) {
      const auto &estimate = problem.estimate(next, c);
      if (!estimate || problem.classSize(c) == 0)
        continue;
      const Seconds way = at(next, c) + estimate->time + (c == from ? Seconds() : transfer);
      least = least ? std::min(*least, way) : way;
    }
    return least.value_or(Seconds());
  }

  std::size_t classes_;
  std::vector<Seconds> table_;
};

} // namespace

Expected<Placement> mapPeft(const Problem &problem, const MapOptions &) {
  const OptimisticCosts costs(problem);
  ScheduleBuilder builder(problem);
  using Ready = std::pair<Seconds, std::size_t>; // highest rank first, then lowest id
  auto lower = [](const Ready &a, const Ready &b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Ready, std::vector<Ready>, decltype(lower)> ready(lower);
  IndexedVector<TaskId, std::size_t> waiting(problem.graph().tasks.size());
  for (TaskId task : problem.graph().tasks.ids())
    if ((waiting[task] = problem.incoming(task).size()) == 0)
      ready.emplace(costs.rank(problem, task), task.index());
  while (!ready.empty()) {
    const TaskId task(ready.top().second);
    ready.pop();
    std::optional<DeviceId> best;
    Seconds least;
    for (DeviceId device : builder.candidates(task)) {
      const Seconds optimistic = builder.slotOn(task, device).end + costs.at(task, problem.classOf(device));
      if (!best || optimistic < least) {
        best = device;
        least = optimistic;
      }
    }
    if (!best)
      return std::unexpected(noDeviceLeft(problem, task));
    builder.place(task, *best);
    for (std::size_t i : problem.outgoing(task))
      if (const TaskId next = problem.graph().dependencies[i].to; --waiting[next] == 0)
        ready.emplace(costs.rank(problem, next), next.index());
  }
  return std::move(builder).finish();
}

} // namespace streammap
