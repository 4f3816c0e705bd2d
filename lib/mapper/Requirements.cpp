#include "mapper/Requirements.h"
#include "model/Footprint.h"
#include <algorithm>
#include <functional>
#include <numeric>

namespace streammap {
namespace {

constexpr std::size_t mostSteps = 20'000;

/// The memory needs as makeProblem sees them, got from the same graph without any requirement on a cluster
/// that can run everything.
IndexedVector<TaskId, Bytes> memoryNeeds(const TaskGraph &graph, const Cluster &cluster) {
  TaskGraph free = graph;
  for (Task &task : free.tasks) {
    task.constraints = {};
    task.constraints.device = DeviceKind::any;
    task.seconds = {{"*", seconds(1)}};
    task.launches.clear();
  }
  Cluster all = cluster;
  for (GpuModel &model : all.models)
    model.memory = Bytes();
  for (Node &node : all.nodes)
    node.state = State::up;
  for (Device &device : all.devices)
    device.state = State::up;
  const Expected<Problem> problem = makeProblem(free, all);
  IndexedVector<TaskId, Bytes> needs(graph.tasks.size());
  for (TaskId task : graph.tasks.ids())
    needs[task] = problem ? problem->memoryNeed(task) : footprint(graph.tasks[task]);
  return needs;
}

/// Tasks on one node: a together group, or one task.
struct Unit {
  std::vector<TaskId> tasks;
  std::vector<std::string> apart; ///< keys of its tasks, one twice where two of them carry it
  std::vector<NodeId> nodes;      ///< that have a device for each of its tasks
};

class Oracle {
public:
  Oracle(const RequirementFacts &facts, const Cluster &cluster, const std::vector<TaskId> &tasks,
         const std::vector<Requirement> &requirements)
      : facts_(facts), cluster_(cluster), tasks_(tasks) {
    for (const Requirement &requirement : requirements)
      if (requirement.kind != RequirementKind::state)
        byTask_[requirement.task].push_back(&requirement);
      else if (requirement.gpu.valid())
        downGpus_.insert(requirement.gpu);
      else
        downNodes_.insert(requirement.node);
  }

  std::optional<std::vector<TaskId>> judge() {
    makeUnits();
    for (Unit &unit : units_) {
      std::optional<std::vector<NodeId>> common;
      for (TaskId task : unit.tasks) {
        const std::vector<NodeId> nodes = nodesOf(task);
        if (nodes.empty())
          return std::vector{task};
        std::vector<NodeId> both;
        if (common)
          std::ranges::set_intersection(*common, nodes, std::back_inserter(both));
        common = common ? std::move(both) : nodes;
        if (common->empty())
          return unit.tasks;
      }
      unit.nodes = std::move(*common);
    }
    // From here on every unit has a node by itself.
    return apartContradiction();
  }

private:
  void makeUnits() {
    std::map<TaskId, std::size_t> position;
    std::vector<std::size_t> parent(tasks_.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    std::function<std::size_t(std::size_t)> find = [&](std::size_t i) {
      while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
      return i;
    };
    std::map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      for (const Requirement *requirement : of(tasks_[i]))
        if (requirement->kind == RequirementKind::together) {
          const std::size_t a = find(first.try_emplace(requirement->key, i).first->second), b = find(i);
          parent[std::max(a, b)] = std::min(a, b);
        }
    std::map<std::size_t, std::size_t> unitOf;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const auto [found, isNew] = unitOf.try_emplace(find(i), units_.size());
      if (isNew)
        units_.emplace_back();
      Unit &unit = units_[found->second];
      unit.tasks.push_back(tasks_[i]);
      for (const Requirement *requirement : of(tasks_[i]))
        if (requirement->kind == RequirementKind::apart)
          unit.apart.push_back(requirement->key);
    }
  }

  const std::vector<const Requirement *> &of(TaskId task) const {
    static const std::vector<const Requirement *> none;
    const auto found = byTask_.find(task);
    return found == byTask_.end() ? none : found->second;
  }

  bool isUp(DeviceId id) const {
    return !downGpus_.contains(id) && !downNodes_.contains(cluster_.devices[id].node);
  }

  std::vector<NodeId> nodesOf(TaskId task) const {
    IndexedVector<GpuModelId, char> allowed(cluster_.models.size());
    for (GpuModelId model : cluster_.models.ids())
      allowed[model] = std::ranges::all_of(of(task), [&](const Requirement *requirement) {
        return facts_.holdsOn(requirement->kind, task, cluster_.models[model]);
      });
    std::optional<NodeId> only;
    if (std::ranges::find(of(task), RequirementKind::node, &Requirement::kind) != of(task).end()) {
      only = facts_.nodeNamed(*facts_.graph().tasks[task].constraints.node);
      if (!only)
        return {};
    }
    std::vector<NodeId> nodes;
    for (DeviceId device : cluster_.devices.ids()) {
      const NodeId node = cluster_.devices[device].node;
      if (allowed[cluster_.devices[device].model] && isUp(device) && (!only || *only == node) &&
          (nodes.empty() || nodes.back() != node))
        nodes.push_back(node);
    }
    return nodes;
  }

  std::optional<std::vector<TaskId>> apartContradiction() {
    std::map<std::string, std::vector<std::size_t>> members; // units by key
    for (std::size_t unit = 0; unit < units_.size(); ++unit)
      for (const std::string &key : units_[unit].apart)
        members[key].push_back(unit);
    for (const auto &[key, units] : members) {
      if (const auto twice = std::ranges::adjacent_find(units); twice != units.end())
        return units_[*twice].tasks;
      if (std::optional<std::vector<TaskId>> tasks = crowded(units))
        return tasks;
    }
    if (members.size() < 2 || search(members))
      return std::nullopt;
    std::vector<TaskId> tasks;
    for (const Unit &unit : units_)
      if (!unit.apart.empty())
        tasks.insert(tasks.end(), unit.tasks.begin(), unit.tasks.end());
    return tasks;
  }

  /// Units that need different nodes and have too few: those that an augmenting path could not serve (Hall).
  std::optional<std::vector<TaskId>> crowded(const std::vector<std::size_t> &units) {
    std::map<NodeId, std::size_t> taker;
    std::set<std::size_t> reached;
    std::function<bool(std::size_t)> serve = [&](std::size_t unit) {
      if (!reached.insert(unit).second)
        return false;
      for (NodeId node : units_[unit].nodes)
        if (!taker.contains(node)) {
          taker[node] = unit;
          return true;
        }
      for (NodeId node : units_[unit].nodes)
        if (serve(taker[node])) {
          taker[node] = unit;
          return true;
        }
      return false;
    };
    for (std::size_t unit : units) {
      reached.clear();
      if (serve(unit))
        continue;
      std::vector<TaskId> tasks;
      for (std::size_t one : reached)
        tasks.insert(tasks.end(), units_[one].tasks.begin(), units_[one].tasks.end());
      std::ranges::sort(tasks);
      return tasks;
    }
    return std::nullopt;
  }

  /// Whether there is a choice of nodes that keeps all keys; true also where the search gave up.
  bool search(const std::map<std::string, std::vector<std::size_t>> &members) {
    std::map<std::size_t, NodeId> chosen;
    std::size_t steps = 0;
    auto freeNodes = [&](std::size_t unit) {
      std::set<NodeId> taken;
      for (const std::string &key : units_[unit].apart)
        for (std::size_t other : members.at(key))
          if (const auto found = chosen.find(other); found != chosen.end() && other != unit)
            taken.insert(found->second);
      std::vector<NodeId> nodes;
      std::ranges::copy_if(units_[unit].nodes, std::back_inserter(nodes),
                           [&](NodeId node) { return !taken.contains(node); });
      return nodes;
    };
    std::function<bool()> assign = [&] {
      if (++steps > mostSteps)
        return true;
      std::optional<std::size_t> next;
      std::vector<NodeId> choice;
      for (std::size_t unit = 0; unit < units_.size(); ++unit)
        if (!units_[unit].apart.empty() && !chosen.contains(unit))
          if (std::vector<NodeId> nodes = freeNodes(unit); !next || nodes.size() < choice.size()) {
            next = unit;
            choice = std::move(nodes);
          }
      if (!next)
        return true;
      for (NodeId node : choice) {
        chosen[*next] = node;
        if (assign())
          return true;
      }
      chosen.erase(*next);
      return false;
    };
    return assign();
  }

  const RequirementFacts &facts_;
  const Cluster &cluster_;
  const std::vector<TaskId> &tasks_;
  std::map<TaskId, std::vector<const Requirement *>> byTask_;
  std::set<DeviceId> downGpus_;
  std::set<NodeId> downNodes_;
  std::vector<Unit> units_;
};

} // namespace

RequirementFacts::RequirementFacts(const TaskGraph &graph, const Cluster &cluster)
    : graph_(graph), need_(memoryNeeds(graph, cluster)) {
  for (NodeId node : cluster.nodes.ids())
    nodes_.try_emplace(cluster.nodes[node].name, node);
}

std::optional<NodeId> RequirementFacts::nodeNamed(const std::string &name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? std::nullopt : std::optional(found->second);
}

bool RequirementFacts::holdsOn(RequirementKind kind, TaskId id, const GpuModel &model) const {
  const Task &task = graph_.tasks[id];
  const Constraints &wants = task.constraints;
  switch (kind) {
  case RequirementKind::device:
    return (wants.device == DeviceKind::cpu) == model.isCpu();
  case RequirementKind::capability:
    return model.isCpu() || hasCapability(model, *wants.capability);
  case RequirementKind::models:
    return std::ranges::any_of(wants.models,
                               [&](const std::string &wanted) { return isModel(model, wanted); });
  case RequirementKind::memory:
    return model.memory == Bytes() || need_[id] <= model.memory;
  case RequirementKind::time: {
    const std::span<const Kernel> kernels{graph_.kernels.begin(), graph_.kernels.end()};
    return !whyItCannotStart(task, model, kernels) && estimateTime(task, model, kernels).has_value();
  }
  case RequirementKind::node:
  case RequirementKind::together:
  case RequirementKind::apart:
  case RequirementKind::state:
    break;
  }
  return true;
}

std::vector<Requirement> requirementsOf(const TaskGraph &graph, TaskId task) {
  const Constraints &wants = graph.tasks[task].constraints;
  std::vector<Requirement> all;
  auto add = [&](RequirementKind kind, const std::string &key = "") {
    all.push_back({kind, task, key, {}, {}, {}});
  };
  // In the order in which they are given up: what is left at the end is what a person would name first.
  add(RequirementKind::time);
  if (wants.device != DeviceKind::any)
    add(RequirementKind::device);
  for (const std::string &key : wants.together)
    add(RequirementKind::together, key);
  for (const std::string &key : wants.apart)
    add(RequirementKind::apart, key);
  if (wants.node)
    add(RequirementKind::node);
  if (wants.capability)
    add(RequirementKind::capability);
  if (!wants.models.empty())
    add(RequirementKind::models);
  add(RequirementKind::memory);
  return all;
}

std::vector<Requirement> statesOf(const Cluster &cluster) {
  std::vector<Requirement> all;
  for (NodeId node : cluster.nodes.ids())
    if (cluster.nodes[node].state != State::up)
      all.push_back({RequirementKind::state, {}, "", node, {}, {}});
  for (DeviceId device : cluster.devices.ids())
    if (const NodeId node = cluster.devices[device].node;
        cluster.devices[device].state != State::up && cluster.nodes[node].state == State::up)
      all.push_back({RequirementKind::state, {}, "", node, device, {}});
  return all;
}

std::optional<std::vector<TaskId>> contradiction(const RequirementFacts &facts, const Cluster &cluster,
                                                 const std::vector<TaskId> &tasks,
                                                 const std::vector<Requirement> &requirements) {
  return Oracle(facts, cluster, tasks, requirements).judge();
}

} // namespace streammap
