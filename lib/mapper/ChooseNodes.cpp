#include "mapper/ChooseNodes.h"
#include <algorithm>
#include <map>
#include <set>

namespace streammap {
namespace {

constexpr std::size_t mostSteps = 100'000;

/// Tasks that share a node: a `together` group, or a task by itself.
struct Unit {
  std::vector<TaskId> tasks;
  std::vector<std::size_t> apart; ///< keys of all its tasks; one twice if two of them are to be apart
  std::vector<NodeId> nodes;      ///< that serve each of its tasks
};

class Search {
public:
  Search(const Problem &problem, std::vector<Unit> units)
      : units_(std::move(units)), chosen_(units_.size()), taken_(problem.apartKeys()) {}

  bool run() { return std::ranges::none_of(units_, contradictsItself) && assignFrom(0); }
  const std::vector<Unit> &units() const { return units_; }
  NodeId nodeOf(std::size_t unit) const { return *chosen_[unit]; }

private:
  static bool contradictsItself(const Unit &unit) {
    return std::set(unit.apart.begin(), unit.apart.end()).size() != unit.apart.size();
  }

  std::vector<NodeId> free(const Unit &unit) const {
    std::vector<NodeId> nodes;
    for (NodeId node : unit.nodes)
      if (std::ranges::none_of(unit.apart, [&](std::size_t key) { return taken_[key].contains(node); }))
        nodes.push_back(node);
    return nodes;
  }

  /// `assigned` units have a node; gives the others theirs.
  bool assignFrom(std::size_t assigned) {
    if (assigned == units_.size())
      return true;
    if (++steps_ > mostSteps)
      return false;
    std::size_t next = 0;
    std::vector<NodeId> choice;
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      if (chosen_[unit])
        continue;
      std::vector<NodeId> nodes = free(units_[unit]);
      if (nodes.empty())
        return false;
      if (choice.empty() || nodes.size() < choice.size()) {
        next = unit;
        choice = std::move(nodes);
      }
    }
    std::ranges::stable_sort(choice, {}, [&](NodeId node) { return load_[node]; });
    for (NodeId node : choice) {
      chosen_[next] = node;
      load_[node] += units_[next].tasks.size();
      for (std::size_t key : units_[next].apart)
        taken_[key].insert(node);
      if (assignFrom(assigned + 1))
        return true;
      for (std::size_t key : units_[next].apart)
        taken_[key].erase(node);
      load_[node] -= units_[next].tasks.size();
      chosen_[next].reset();
      if (steps_ > mostSteps)
        return false;
    }
    return false;
  }

  std::vector<Unit> units_;
  std::vector<std::optional<NodeId>> chosen_;
  std::vector<std::set<NodeId>> taken_; ///< by apart key
  std::map<NodeId, std::size_t> load_;
  std::size_t steps_ = 0;
};

std::vector<NodeId> nodesFor(const Problem &problem, TaskId task) {
  std::set<NodeId> nodes;
  for (DeviceId device : problem.devices())
    if (problem.allows(task, device))
      nodes.insert(problem.cluster().devices[device].node);
  return {nodes.begin(), nodes.end()};
}

std::vector<Unit> unitsOf(const Problem &problem) {
  std::vector<Unit> units;
  std::map<std::size_t, std::size_t> unitOfGroup;
  for (TaskId task : problem.graph().tasks.ids()) {
    const std::optional<std::size_t> group = problem.group(task);
    if (!group && problem.apart(task).empty())
      continue;
    const std::size_t unit =
        group ? unitOfGroup.try_emplace(*group, units.size()).first->second : units.size();
    if (unit == units.size())
      units.push_back({{}, {}, group ? problem.groupNodes(*group) : nodesFor(problem, task)});
    units[unit].tasks.push_back(task);
    units[unit].apart.insert(units[unit].apart.end(), problem.apart(task).begin(), problem.apart(task).end());
  }
  return units;
}

} // namespace

std::optional<IndexedVector<TaskId, std::optional<NodeId>>> chooseNodes(const Problem &problem) {
  Search search(problem, unitsOf(problem));
  if (!search.run())
    return std::nullopt;
  IndexedVector<TaskId, std::optional<NodeId>> nodes(problem.graph().tasks.size());
  for (std::size_t unit = 0; unit < search.units().size(); ++unit)
    for (TaskId task : search.units()[unit].tasks)
      nodes[task] = search.nodeOf(unit);
  return nodes;
}

} // namespace streammap
