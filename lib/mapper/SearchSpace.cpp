#include "mapper/SearchSpace.h"
#include <algorithm>
#include <map>

namespace streammap {

SearchSpace::SearchSpace(const Problem &problem) : problem_(&problem) {
  const TaskGraph &graph = problem.graph();
  predecessors_.assign(graph.tasks.size(), {});
  successors_.assign(graph.tasks.size(), {});
  for (TaskId task : graph.tasks.ids())
    for (std::size_t i : problem.incoming(task))
      if (const TaskId from = graph.dependencies[i].from;
          predecessors_[task].empty() || predecessors_[task].back() != from) {
        predecessors_[task].push_back(from);
        successors_[from].push_back(task);
      }
  collectAllowed();
  collectGroups();
  collectTails();
}

void SearchSpace::collectAllowed() {
  allowed_.assign(problem_->graph().tasks.size(), 0);
  std::map<std::pair<std::vector<bool>, std::optional<NodeId>>, std::uint32_t> known;
  for (TaskId task : allowed_.ids()) {
    std::vector<bool> classes;
    for (ClassId c : problem_->classes().ids())
      classes.push_back(problem_->estimate(task, c).has_value());
    const auto [found, isNew] = known.try_emplace({std::move(classes), problem_->pinned(task)},
                                                  static_cast<std::uint32_t>(deviceLists_.size()));
    allowed_[task] = found->second;
    if (!isNew)
      continue;
    deviceLists_.emplace_back();
    for (DeviceId device : problem_->devices())
      if (problem_->allows(task, device))
        deviceLists_.back().push_back(device);
  }
}

void SearchSpace::collectGroups() {
  std::map<std::size_t, std::size_t> indexOf;
  for (TaskId task : problem_->graph().tasks.ids()) {
    const std::optional<std::size_t> group = problem_->group(task);
    if (!problem_->apart(task).empty())
      keyed_.push_back(task);
    if (group) {
      const auto [found, isNew] = indexOf.try_emplace(*group, groups_.size());
      if (isNew)
        groups_.emplace_back();
      groups_[found->second].push_back(task);
    } else if (!problem_->apart(task).empty()) {
      groups_.push_back({task});
    }
  }
}

void SearchSpace::collectTails() {
  const std::vector<TaskId> &order = problem_->topologicalOrder();
  std::vector<Seconds> least(order.size(), never);
  for (TaskId task : order) {
    Seconds sum;
    double devices = 0;
    for (ClassId c : problem_->classes().ids())
      if (const auto &estimate = problem_->estimate(task, c); estimate && problem_->classSize(c) != 0) {
        least[task.index()] = std::min(least[task.index()], estimate->time);
        sum += estimate->time * static_cast<double>(problem_->classSize(c));
        devices += static_cast<double>(problem_->classSize(c));
      }
    meanTime_ += sum / devices / static_cast<double>(order.size());
  }
  tails_.assign(order.size(), {});
  for (auto task = order.rbegin(); task != order.rend(); ++task)
    for (TaskId next : successors_[*task])
      tails_[*task] = std::max(tails_[*task], least[next.index()] + tails_[next]);
}

bool SearchSpace::canMove(const Solution &solution, TaskId task, DeviceId device) const {
  if (!problem_->group(task) && problem_->apart(task).empty())
    return true;
  const auto &devices = problem_->cluster().devices;
  return devices[solution.device[task]].node == devices[device].node;
}

bool SearchSpace::canMoveGroup(const Solution &solution, const std::vector<TaskId> &group,
                               NodeId node) const {
  if (const std::optional<std::size_t> id = problem_->group(group.front());
      id && !std::ranges::binary_search(problem_->groupNodes(*id), node))
    return false;
  std::vector<std::size_t> keys;
  for (TaskId task : group)
    keys.insert(keys.end(), problem_->apart(task).begin(), problem_->apart(task).end());
  return std::ranges::none_of(keyed_, [&](TaskId other) {
    return problem_->cluster().devices[solution.device[other]].node == node &&
           std::ranges::find(group, other) == group.end() &&
           std::ranges::find_first_of(problem_->apart(other), keys) != problem_->apart(other).end();
  });
}

Solution solutionOf(const Problem &problem, const Placement &placement) {
  Solution solution{problem.topologicalOrder(),
                    IndexedVector<TaskId, DeviceId>(problem.graph().tasks.size())};
  IndexedVector<TaskId, Seconds> starts(problem.graph().tasks.size());
  for (const Assignment &assignment : placement.assignments) {
    solution.device[assignment.task] = assignment.device;
    starts[assignment.task] = assignment.start;
  }
  std::ranges::stable_sort(solution.order, {}, [&](TaskId task) { return starts[task]; });
  return solution;
}

} // namespace streammap
