#include "model/TaskOrder.h"
#include "support/Rows.h"
#include <algorithm>
#include <functional>
#include <queue>

namespace streammap {

std::vector<TaskId> topologicalOrder(const TaskGraph &graph) {
  const auto successors = Rows<TaskId, TaskId>::collect(graph.tasks.size(), [&](auto give) {
    for (const Dependency &dependency : graph.dependencies)
      give(dependency.from, dependency.to);
  });
  IndexedVector<TaskId, std::size_t> waitingFor(graph.tasks.size());
  for (const Dependency &dependency : graph.dependencies)
    ++waitingFor[dependency.to];
  std::priority_queue<TaskId, std::vector<TaskId>, std::greater<>> ready;
  for (TaskId task : graph.tasks.ids())
    if (waitingFor[task] == 0)
      ready.push(task);
  std::vector<TaskId> order;
  order.reserve(graph.tasks.size());
  while (!ready.empty()) {
    TaskId task = ready.top();
    ready.pop();
    order.push_back(task);
    for (TaskId successor : successors[task])
      if (--waitingFor[successor] == 0)
        ready.push(successor);
  }
  return order;
}

std::vector<TaskId> findCycle(const TaskGraph &graph) {
  std::vector<TaskId> order = topologicalOrder(graph);
  if (order.size() == graph.tasks.size())
    return {};
  IndexedVector<TaskId, char> stuck(graph.tasks.size(), 1);
  for (TaskId task : order)
    stuck[task] = 0;
  // Every stuck task waits for a stuck one: walking back from any of them must meet a task twice.
  IndexedVector<TaskId, TaskId> before(graph.tasks.size());
  for (const Dependency &dependency : graph.dependencies)
    if (stuck[dependency.from] && stuck[dependency.to] && !before[dependency.to].valid())
      before[dependency.to] = dependency.from;
  TaskId task;
  for (TaskId candidate : graph.tasks.ids())
    if (stuck[candidate]) {
      task = candidate;
      break;
    }
  IndexedVector<TaskId, char> seen(graph.tasks.size(), 0);
  while (!seen[task]) {
    seen[task] = 1;
    task = before[task];
  }
  std::vector<TaskId> cycle{task};
  for (TaskId step = before[task]; step != task; step = before[step])
    cycle.push_back(step);
  std::ranges::reverse(cycle);
  std::ranges::rotate(cycle,
                      std::ranges::min_element(cycle)); // the same cycle is always told from the same task
  return cycle;
}

} // namespace streammap
