#include "sim/Problem.h"
#include "model/Footprint.h"
#include "model/Regions.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

namespace streammap {
namespace {

std::string title(const Task &task) {
  std::string text = "task '" + (task.name.empty() ? task.id : task.name) + "'";
  return task.location.empty() ? text : text + " (" + task.location + ")";
}

bool isTooSmall(const GpuModel &model, const Task &task) {
  return model.memory > Bytes() && footprint(task) > model.memory;
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
  incoming_.assign(graph_->tasks.size(), {});
  outgoing_.assign(graph_->tasks.size(), {});
  IndexedVector<TaskId, std::size_t> waiting(graph_->tasks.size());
  for (std::size_t i = 0; i < graph_->dependencies.size(); ++i) {
    const Dependency &dependency = graph_->dependencies[i];
    outgoing_[dependency.from].push_back(i);
    incoming_[dependency.to].push_back(i);
    ++waiting[dependency.to];
  }
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
    if (device.state == State::up && cluster_->nodes[device.node].state == State::up) {
      devices_.push_back(id);
      ++classSize_[found->second];
    }
  }
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
      add("every " + model.name + " is down, drained, busy or reserved");
    else if (isTooSmall(model, task) &&
             (!largest || model.memory > cluster_->models[classes_[*largest]].memory))
      largest = c;
  }
  if (largest) {
    const DeviceId nearest =
        *std::ranges::find(devices_, *largest, [&](DeviceId device) { return classOf_[device]; });
    const GpuModel &model = cluster_->models[classes_[*largest]];
    add("it needs " + toText(footprint(task)) + " of device memory, the nearest, " +
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
      if (!whyNot(task, model, kernels) && !isTooSmall(model, task))
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

// Pieces. Two tasks that read the same bytes of one producer share a piece, so that a device receives it
// once. With accesses, the piece is the smaller of what was written and what is read (they usually are the
// same tile); without, it is everything a dependency names. What a task reads and no task wrote is initial
// data.
void Problem::collectPieces() {
  using Key = std::tuple<TaskId, std::optional<BufferId>, Region>;
  std::map<Key, PieceId> known;
  inputs_.assign(graph_->tasks.size(), {});
  auto need = [&](TaskId task, const Key &key, Bytes size, std::optional<std::size_t> dependency) {
    auto [found, inserted] = known.try_emplace(key, PieceId(pieces_.size()));
    if (inserted)
      pieces_.push({std::get<0>(key), std::get<1>(key), dependency, size});
    else
      pieces_[found->second].size = std::max(pieces_[found->second].size, size);
    inputs_[task].push_back(found->second);
  };
  auto writes = [](const Access &access) { return access.mode != AccessMode::in; };
  auto reads = [](const Access &access) { return access.mode != AccessMode::out; };

  for (TaskId id : graph_->tasks.ids()) {
    const Task &task = graph_->tasks[id];
    IndexedVector<BufferId, double> received(graph_->buffers.size());
    for (std::size_t i : incoming_[id]) {
      const Dependency &dependency = graph_->dependencies[i];
      if (dependency.size <= Bytes())
        continue;
      if (dependency.buffer)
        received[*dependency.buffer] += dependency.size.value();
      double explained = 0;
      if (dependency.buffer)
        for (const Access &written : graph_->tasks[dependency.from].accesses)
          for (const Access &read : task.accesses) {
            if (written.buffer != *dependency.buffer || read.buffer != *dependency.buffer ||
                !writes(written) || !reads(read))
              continue;
            const std::uint64_t overlap = overlapBytes(written.region, read.region);
            if (overlap == 0)
              continue;
            const Region &smaller = overlap == written.region.bytes() ? written.region : read.region;
            need(id, {dependency.from, dependency.buffer, smaller}, bytes(static_cast<double>(overlap)), i);
            explained += static_cast<double>(overlap);
          }
      if (explained < dependency.size.value()) // no accesses, or not enough of them: the rest moves as one
        need(id, {dependency.from, dependency.buffer, Region{UINT64_MAX, 0, 0, dependency.buffer ? 0 : i}},
             bytes(dependency.size.value() - explained), i);
    }
    for (const Access &access : task.accesses) {
      if (!reads(access))
        continue;
      const double size = static_cast<double>(access.region.bytes());
      const double fresh = size - received[access.buffer];
      received[access.buffer] = std::max(0.0, received[access.buffer] - size);
      if (fresh > 0)
        need(id, {TaskId(), access.buffer, access.region}, bytes(fresh), std::nullopt);
    }
  }
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
  // From here on every up device has a class.
  if (Expected<void> done = problem.collectEstimates(); !done)
    return std::unexpected(done.error());
  // Every task has at least one device by itself.
  if (Expected<void> done = problem.collectGroups(); !done)
    return std::unexpected(done.error());
  problem.collectPieces();
  return problem;
}

} // namespace streammap
