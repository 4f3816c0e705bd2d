#include "sim/Problem.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

namespace streammap {
namespace {

std::string title(const Task &task) {
  std::string text = "task '" + (task.name.empty() ? task.id : task.name) + "'";
  return task.location.empty() ? text : text + " (" + task.location + ")";
}

/// Why the task may not run on any device of the model, memory apart; nothing when it may.
std::optional<std::string> whyNot(const Task &task, const GpuModel &model, std::span<const Kernel> kernels) {
  const Constraints &wants = task.constraints;
  if (wants.device == DeviceKind::gpu && model.isCpu())
    return "it needs a GPU";
  if (wants.device == DeviceKind::cpu && !model.isCpu())
    return "it needs the cores of a node";
  if (wants.capability && !model.isCpu() && !hasCapability(model, *wants.capability))
    return model.name + " has compute capability " + model.capability + ", it needs " + *wants.capability;
  if (!wants.models.empty() &&
      std::ranges::none_of(wants.models, [&](const std::string &wanted) { return isModel(model, wanted); }))
    return model.name + " is not one of the models it names (" + wants.models.front() +
           (wants.models.size() > 1 ? ", ..." : "") + ")";
  if (std::optional<std::string> reason = whyItCannotStart(task, model, kernels))
    return reason;
  if (!estimateTime(task, model, kernels))
    return "its time on " + model.name + " is not known: give seconds for that model or for \"*\"";
  return std::nullopt;
}

std::span<const Kernel> kernelsOf(const TaskGraph &graph) {
  return {graph.kernels.begin(), graph.kernels.end()};
}

class Groups {
public:
  explicit Groups(std::size_t tasks) : parent_(tasks) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i)
      i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(std::size_t a, std::size_t b) {
    parent_[std::max(find(a), find(b))] = std::min(find(a), find(b));
  }

private:
  std::vector<std::size_t> parent_;
};

} // namespace

void Problem::indexDependencies() {
  const std::vector<Dependency> &dependencies = graph_->dependencies;
  auto eachBy = [&](TaskId Dependency::*end) {
    return [&dependencies, end](auto give) {
      for (std::size_t i = 0; i < dependencies.size(); ++i)
        give(dependencies[i].*end, i);
    };
  };
  outgoing_ = Rows<TaskId, std::size_t>::collect(graph_->tasks.size(), eachBy(&Dependency::from));
  incoming_ = Rows<TaskId, std::size_t>::collect(graph_->tasks.size(), eachBy(&Dependency::to));
  IndexedVector<TaskId, std::size_t> waiting(graph_->tasks.size());
  for (TaskId task : graph_->tasks.ids())
    waiting[task] = incoming_[task].size();
  std::priority_queue<TaskId, std::vector<TaskId>, std::greater<>> ready;
  for (TaskId task : graph_->tasks.ids())
    if (waiting[task] == 0)
      ready.push(task);
  order_.reserve(graph_->tasks.size());
  while (!ready.empty()) {
    const TaskId task = ready.top();
    ready.pop();
    order_.push_back(task);
    for (std::size_t i : outgoing_[task])
      if (const TaskId next = graph_->dependencies[i].to; --waiting[next] == 0)
        ready.push(next);
  }
  assert(order_.size() == graph_->tasks.size() && "a task graph is acyclic");
}

/// A GPU that alone passes its node's power limit never runs anything.
bool Problem::passesPowerLimit(DeviceId id) const {
  const Device &device = cluster_->devices[id];
  const std::optional<Watts> &limit = cluster_->nodeTypes[cluster_->nodes[device.node].type].powerLimit;
  return limit && device.gpu && cluster_->models[device.model].power > *limit;
}

void Problem::collectDevices() {
  std::map<GpuModelId, ClassId> known;
  for (DeviceId id : cluster_->devices.ids()) {
    const Device &device = cluster_->devices[id];
    auto [found, inserted] = known.try_emplace(device.model, ClassId(classes_.size()));
    if (inserted) {
      classes_.push(device.model);
      classSize_.push(0);
    }
    classOf_.push(found->second);
    if (device.state == State::up && cluster_->nodes[device.node].state == State::up &&
        !passesPowerLimit(id)) {
      devices_.push_back(id);
      ++classSize_[found->second];
    }
  }
}

bool Problem::isTooSmall(const GpuModel &model, TaskId task) const {
  return model.memory > Bytes() && memoryNeeds_[task] > model.memory;
}

std::string Problem::whyNowhere(TaskId id) const {
  const Task &task = graph_->tasks[id];
  std::string reasons;
  auto add = [&](const std::string &reason) {
    if (reasons.find(reason) == std::string::npos)
      reasons += (reasons.empty() ? "" : "; ") + reason;
  };
  std::optional<ClassId> largest; // of the classes that have too little memory and nothing else against them
  for (ClassId c : classes_.ids()) {
    const GpuModel &model = cluster_->models[classes_[c]];
    if (const std::optional<std::string> reason = whyNot(task, model, kernelsOf(*graph_)))
      add(*reason);
    else if (classSize_[c] == 0)
      add("every " + model.name + " is down, drained, busy or reserved" +
          (std::ranges::any_of(
               cluster_->devices.ids(),
               [&](DeviceId device) { return classOf_[device] == c && passesPowerLimit(device); })
               ? ", or draws " + toText(model.power) + ", more than the power limit of its node"
               : ""));
    else if (isTooSmall(model, id) &&
             (!largest || model.memory > cluster_->models[classes_[*largest]].memory))
      largest = c;
  }
  if (largest) {
    const DeviceId nearest =
        *std::ranges::find(devices_, *largest, [&](DeviceId device) { return classOf_[device]; });
    const GpuModel &model = cluster_->models[classes_[*largest]];
    add("it needs " + toText(memoryNeed(id)) + " of device memory, the nearest, " +
        deviceName(*cluster_, nearest) + " (" + model.name + "), has " + toText(model.memory));
  }
  if (pinned_[id])
    add("it may only run on node " + cluster_->nodes[*pinned_[id]].name);
  return title(task) +
         " fits on no device that is up: " + (reasons.empty() ? "the cluster has none" : reasons);
}

Expected<void> Problem::collectEstimates() {
  pinned_.assign(graph_->tasks.size(), {});
  estimates_.resize(graph_->tasks.size() * classes_.size());
  const std::span<const Kernel> kernels = kernelsOf(*graph_);
  std::map<std::string, NodeId> nodes;
  for (NodeId node : cluster_->nodes.ids())
    nodes[cluster_->nodes[node].name] = node;
  for (TaskId id : graph_->tasks.ids()) {
    const Task &task = graph_->tasks[id];
    if (task.constraints.node) {
      const auto found = nodes.find(*task.constraints.node);
      if (found == nodes.end())
        return failure(title(task) + " may only run on node '" + *task.constraints.node +
                       "', which the cluster does not have");
      pinned_[id] = found->second;
    }
    for (ClassId c : classes_.ids()) {
      const GpuModel &model = cluster_->models[classes_[c]];
      if (!whyNot(task, model, kernels) && !isTooSmall(model, id))
        estimates_[id.index() * classes_.size() + c.index()] = estimateTime(task, model, kernels);
    }
    const bool somewhere =
        pinned_[id] ? std::ranges::any_of(devices_, [&](DeviceId device) { return allows(id, device); })
                    : std::ranges::any_of(classes_.ids(),
                                          [&](ClassId c) { return classSize_[c] != 0 && estimate(id, c); });
    if (!somewhere)
      return failure(whyNowhere(id));
  }
  return {};
}

Expected<void> Problem::collectGroups() {
  group_.assign(graph_->tasks.size(), {});
  apart_.assign(graph_->tasks.size(), {});
  Groups united(graph_->tasks.size());
  std::map<std::string, TaskId> first;
  std::map<std::string, std::size_t> apartKeys;
  for (TaskId id : graph_->tasks.ids()) {
    for (const std::string &key : graph_->tasks[id].constraints.together)
      united.unite(first.try_emplace(key, id).first->second.index(), id.index());
    for (const std::string &key : graph_->tasks[id].constraints.apart)
      apart_[id].push_back(apartKeys.try_emplace(key, apartKeys.size()).first->second);
  }
  apartKeys_ = apartKeys.size();
  std::map<std::size_t, std::vector<TaskId>> members;
  for (TaskId id : graph_->tasks.ids())
    if (!graph_->tasks[id].constraints.together.empty())
      members[united.find(id.index())].push_back(id);
  for (const auto &[root, tasks] : members) {
    std::map<NodeId, std::size_t> served; // how many of the tasks have a device there
    for (TaskId task : tasks) {
      group_[task] = groupNodes_.size();
      std::set<NodeId> nodes;
      for (DeviceId device : devices_)
        if (allows(task, device))
          nodes.insert(cluster_->devices[device].node);
      for (NodeId node : nodes)
        ++served[node];
    }
    std::vector<NodeId> nodes;
    for (const auto &[node, count] : served)
      if (count == tasks.size())
        nodes.push_back(node);
    if (nodes.empty())
      return failure("no node has a device for each of the " + std::to_string(tasks.size()) +
                     " tasks that must run together, such as " + title(graph_->tasks[tasks.front()]));
    groupNodes_.push_back(std::move(nodes));
  }
  return {};
}

Problem Problem::boundTo(const IndexedVector<TaskId, std::optional<NodeId>> &nodes) const {
  Problem bound = *this;
  for (TaskId task : nodes.ids())
    if (nodes[task])
      bound.pinned_[task] = nodes[task];
  return bound;
}

Expected<Problem> makeProblem(const TaskGraph &graph, const Cluster &cluster) {
  Problem problem(graph, cluster);
  problem.indexDependencies();
  problem.collectDevices();
  problem.collectPieces();
  problem.collectMemory();
  // From here on every up device has a class.
  if (Expected<void> done = problem.collectEstimates(); !done)
    return std::unexpected(done.error());
  // Every task has at least one device by itself.
  if (Expected<void> done = problem.collectGroups(); !done)
    return std::unexpected(done.error());
  return problem;
}

} // namespace streammap
