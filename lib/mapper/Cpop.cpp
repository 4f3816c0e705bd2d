// CPOP, from the same paper as HEFT (section 4.2): the tasks of the critical path go to the one device that
// runs all of them fastest, every other task where it ends first; ready tasks are taken by upward plus
// downward rank. On the paper's 10-task example: makespan 86.
#include "mapper/ListSchedulers.h"
#include "mapper/MeanCosts.h"
#include <algorithm>
#include <queue>

namespace streammap {
namespace {

/// From the entry task of the highest priority, the successor of the same priority again and again.
std::vector<TaskId> criticalPath(const Problem &problem, const IndexedVector<TaskId, Seconds> &priorities) {
  std::optional<TaskId> current;
  for (TaskId task : problem.graph().tasks.ids())
    if (problem.incoming(task).empty() && (!current || priorities[task] > priorities[*current]))
      current = task;
  std::vector<TaskId> path;
  while (current) {
    path.push_back(*current);
    std::optional<TaskId> next;
    for (std::size_t i : problem.outgoing(*current))
      if (const TaskId to = problem.graph().dependencies[i].to; !next || priorities[to] > priorities[*next])
        next = to;
    current = next;
  }
  return path;
}

/// The up device that may run every task of the path in the least time; nothing when there is none.
std::optional<DeviceId> fastestFor(const Problem &problem, const std::vector<TaskId> &path) {
  std::optional<DeviceId> best;
  Seconds least;
  for (DeviceId device : problem.devices()) {
    if (!std::ranges::all_of(path, [&](TaskId task) { return problem.allows(task, device); }))
      continue;
    Seconds sum;
    for (TaskId task : path)
      sum += problem.timeOn(task, device);
    if (!best || sum < least) {
      best = device;
      least = sum;
    }
  }
  return best;
}

} // namespace

Expected<Placement> mapCpop(const Problem &problem, const MapOptions &) {
  const MeanCosts means(problem);
  IndexedVector<TaskId, Seconds> priorities = means.upwardRanks();
  const IndexedVector<TaskId, Seconds> down = means.downwardRanks();
  for (TaskId task : problem.graph().tasks.ids())
    priorities[task] += down[task];
  const std::vector<TaskId> path = criticalPath(problem, priorities);
  const std::optional<DeviceId> pathDevice = fastestFor(problem, path);
  IndexedVector<TaskId, char> onPath(problem.graph().tasks.size());
  for (TaskId task : path)
    onPath[task] = 1;

  ScheduleBuilder builder(problem);
  using Ready = std::pair<Seconds, std::size_t>;
  auto lower = [](const Ready &a, const Ready &b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Ready, std::vector<Ready>, decltype(lower)> ready(lower);
  IndexedVector<TaskId, std::size_t> waiting(problem.graph().tasks.size());
  for (TaskId task : problem.graph().tasks.ids())
    if ((waiting[task] = problem.incoming(task).size()) == 0)
      ready.emplace(priorities[task], task.index());
  while (!ready.empty()) {
    const TaskId task(ready.top().second);
    ready.pop();
    const std::vector<DeviceId> candidates = builder.candidates(task);
    if (onPath[task] && pathDevice && std::ranges::find(candidates, *pathDevice) != candidates.end())
      builder.place(task, *pathDevice);
    else if (Expected<void> placed = placeSoonest(problem, builder, task); !placed)
      return std::unexpected(placed.error());
    for (std::size_t i : problem.outgoing(task))
      if (const TaskId next = problem.graph().dependencies[i].to; --waiting[next] == 0)
        ready.emplace(priorities[next], next.index());
  }
  return std::move(builder).finish();
}

} // namespace streammap
