#include "mapper/Retime.h"
#include "mapper/MeanCosts.h"
#include "sim/ScheduleBuilder.h"
#include <queue>
#include <tuple>

namespace streammap {

Decisions Decisions::moved(TaskId task, DeviceId to) const {
  Decisions other = *this;
  other.device[task] = to;
  return other;
}

namespace {

/// Tasks by `key`, each after its predecessors; equal keys by topological order.
std::vector<TaskId> orderedBy(const Problem &problem, const IndexedVector<TaskId, Seconds> &key) {
  const TaskGraph &graph = problem.graph();
  IndexedVector<TaskId, std::size_t> rank(graph.tasks.size()), waiting(graph.tasks.size());
  std::size_t next = 0;
  for (TaskId task : problem.topologicalOrder())
    rank[task] = next++;
  using Entry = std::tuple<Seconds, std::size_t, TaskId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  auto push = [&](TaskId task) { ready.emplace(key[task], rank[task], task); };
  for (TaskId task : graph.tasks.ids())
    if ((waiting[task] = problem.incoming(task).size()) == 0)
      push(task);
  std::vector<TaskId> order;
  order.reserve(graph.tasks.size());
  while (!ready.empty()) {
    const TaskId task = std::get<TaskId>(ready.top());
    ready.pop();
    order.push_back(task);
    for (std::size_t i : problem.outgoing(task))
      if (const TaskId to = graph.dependencies[i].to; --waiting[to] == 0)
        push(to);
  }
  return order;
}

} // namespace

Decisions decisionsOf(const Problem &problem, const Placement &placement) {
  IndexedVector<TaskId, Seconds> start(problem.graph().tasks.size());
  IndexedVector<TaskId, DeviceId> device(problem.graph().tasks.size());
  for (const Assignment &assignment : placement.assignments) {
    device[assignment.task] = assignment.device;
    start[assignment.task] = assignment.start;
  }
  Decisions best;
  std::optional<Seconds> bestError;
  auto consider = [&](std::vector<TaskId> order) {
    if (bestError == Seconds())
      return;
    Decisions decisions{std::move(order), device};
    const Seconds makespan = retime(problem, decisions).predicted.makespan;
    const Seconds error = makespan > placement.predicted.makespan ? makespan - placement.predicted.makespan
                                                                  : placement.predicted.makespan - makespan;
    if (bestError && *bestError <= error)
      return;
    best = std::move(decisions);
    bestError = error;
  };
  const MeanCosts costs(problem);
  consider(byDescendingRank(problem, costs.upwardRanks()));
  consider(orderedBy(problem, start));
  consider(problem.topologicalOrder());
  return best;
}

Placement retime(const Problem &problem, const Decisions &decisions) {
  return simulate(problem, decisions.order, decisions.device);
}

const std::string &taskName(const TaskGraph &graph, TaskId id) {
  const Task &task = graph.tasks[id];
  return task.name.empty() ? task.id : task.name;
}

} // namespace streammap
