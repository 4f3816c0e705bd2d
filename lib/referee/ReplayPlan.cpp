#include "referee/ReplayPlan.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace streammap {
namespace {

constexpr double sameMoment = 1e-9; ///< of the makespan

std::string nicName(const std::string &node, const NodeType &type, std::size_t nic) {
  const std::string &name = type.nics[nic].name;
  return node + ":" + (name.empty() ? "nic" + std::to_string(nic) : name);
}

/// Of the NIC that the route names, or of all alike.
Seconds nicLatency(const std::string &node, const NodeType &type, const std::vector<std::string> &route,
                   const char *direction) {
  for (std::size_t i = 0; i < type.nics.size(); ++i)
    if (std::ranges::find(route, nicName(node, type, i) + direction) != route.end())
      return type.nics[i].speed.latency;
  return type.nic.latency;
}

/// Bandwidth and channels of every described link, by the names routes use.
class LinkTable {
public:
  explicit LinkTable(const Cluster &cluster) {
    for (const Node &node : cluster.nodes)
      addNode(node.name, cluster.nodeTypes[node.type]);
    for (const Switch &from : cluster.network.switches)
      for (const Uplink &uplink : from.uplinks) {
        const std::string &above = cluster.network.switches[uplink.to].name;
        add(from.name + ">" + above, uplink.bandwidth, uplink.count);
        add(above + ">" + from.name, uplink.bandwidth, uplink.count);
      }
  }

  const PlanLink *find(const std::string &name) const {
    const auto found = links_.find(name);
    return found == links_.end() ? nullptr : &found->second;
  }

private:
  void add(const std::string &name, BytesPerSecond bandwidth, unsigned channels) {
    if (bandwidth < unlimitedBandwidth)
      links_[name] = {name, bandwidth, std::max(1u, channels)};
  }

  void addNode(const std::string &name, const NodeType &type) {
    for (std::size_t gpu = 0; gpu < type.gpus.size(); ++gpu) {
      const std::string device = name + ":gpu" + std::to_string(gpu);
      add(device + ":host.up", type.hostLink.bandwidth, 1);
      add(device + ":host.down", type.hostLink.bandwidth, 1);
      add(device + ":peer.out", type.gpuLink.bandwidth, 1);
      add(device + ":peer.in", type.gpuLink.bandwidth, 1);
    }
    for (const GpuPairLink &pair : type.gpuPairs) {
      const std::string a = "gpu" + std::to_string(pair.a), b = "gpu" + std::to_string(pair.b);
      add(name + ":" + a + ">" + b, pair.speed.bandwidth, 1);
      add(name + ":" + b + ">" + a, pair.speed.bandwidth, 1);
    }
    for (std::size_t i = 0; i < type.nics.size(); ++i) { // as links of their own, where routes name them
      add(nicName(name, type, i) + ".up", type.nics[i].speed.bandwidth, 1);
      add(nicName(name, type, i) + ".down", type.nics[i].speed.bandwidth, 1);
    }
    add(name + ":nic.up", type.nic.bandwidth, type.nicCount);
    add(name + ":nic.down", type.nic.bandwidth, type.nicCount);
  }

  std::map<std::string, PlanLink> links_;
};

class Planner {
public:
  Planner(const TaskGraph &graph, const Cluster &cluster, const Placement &placement)
      : graph_(graph), cluster_(cluster), placement_(placement), table_(cluster),
        tolerance_(placement.predicted.makespan * sameMoment) {}

  Expected<ReplayPlan> plan() {
    plan_.contended = cluster_.network.model == NetworkModel::contended;
    runs_.assign(graph_.tasks.size(), nullptr);
    for (const Assignment &run : placement_.assignments)
      runs_[run.task] = &run;
    for (TaskId task : graph_.tasks.ids())
      if (!runs_[task])
        return failure("the placement has no device for task '" + graph_.tasks[task].id + "'");
    for (std::size_t i = 0; i < placement_.transfers.size(); ++i)
      arriving_[placement_.transfers[i].to].push_back(i);
    for (std::size_t i = 0; i < placement_.transfers.size(); ++i)
      if (Expected<void> added = addTransfer(i); !added)
        return std::unexpected(added.error());
    for (TaskId task : graph_.tasks.ids())
      addTask(task);
    addQueues();
    addArrivals();
    return std::move(plan_);
  }

private:
  StepIndex step(TaskId task) const { return task.index(); }
  StepIndex transferStep(std::size_t i) const { return graph_.tasks.size() + i; }
  NodeId nodeOf(DeviceId device) const { return cluster_.devices[device].node; }
  std::string hostOf(NodeId node) const { return cluster_.nodes[node].name + ":host"; }

  std::size_t end(const std::string &name) {
    const auto [found, isNew] = ends_.try_emplace(name, plan_.ends.size());
    if (isNew)
      plan_.ends.push_back(name);
    return found->second;
  }

  Expected<std::size_t> link(const std::string &name) {
    const auto [found, isNew] = links_.try_emplace(name, plan_.links.size());
    if (isNew) {
      const PlanLink *known = table_.find(name);
      if (!known)
        return failure("the placement's routes use the link '" + name + "', which the cluster does not have");
      plan_.links.push_back(*known);
    }
    return found->second;
  }

  /// Whether the two carry data of the same producer and buffer.
  bool isSameData(const Transfer &a, const Transfer &b) const {
    if (a.buffer != b.buffer || a.dependency.has_value() != b.dependency.has_value())
      return false;
    return !a.dependency ||
           graph_.dependencies[*a.dependency].from == graph_.dependencies[*b.dependency].from;
  }

  /// The last transfer of the same data that reached `device` before the moment.
  std::optional<std::size_t> earlierArrival(const Transfer &transfer, DeviceId device) const {
    std::optional<std::size_t> last;
    if (const auto found = arriving_.find(device); found != arriving_.end())
      for (std::size_t i : found->second)
        if (const Transfer &other = placement_.transfers[i];
            &other != &transfer && isSameData(other, transfer) && other.size >= transfer.size &&
            other.end <= transfer.start + tolerance_ && other.start < other.end &&
            (!last || other.end > placement_.transfers[*last].end))
          last = i;
    return last;
  }

  Expected<void> addTransfer(std::size_t i) {
    const Transfer &transfer = placement_.transfers[i];
    PlanTransfer planned;
    const NodeId node = nodeOf(transfer.to);
    planned.from = end(transfer.from.valid() ? deviceName(cluster_, transfer.from) : hostOf(node));
    planned.to = end(deviceName(cluster_, transfer.to));
    for (const std::string &name : transfer.route) {
      const Expected<std::size_t> found = link(name);
      if (!found)
        return std::unexpected(found.error());
      planned.links.push_back(*found);
    }
    planned.size = transfer.size;
    planned.latency = latencyOf(transfer);
    addSource(transfer, planned);
    plan_.transfers.push_back(std::move(planned));
    return {};
  }

  /// The data is there once its producer has ended, or has arrived where it is sent from.
  void addSource(const Transfer &transfer, PlanTransfer &planned) const {
    if (!transfer.dependency)
      return; // in host memory from the start, or on a device that got it from there
    const TaskId producer = graph_.dependencies[*transfer.dependency].from;
    planned.after.push_back(step(producer));
    if (transfer.from.valid()) {
      if (transfer.from != runs_[producer]->device)
        if (const std::optional<std::size_t> before = earlierArrival(transfer, transfer.from))
          planned.after.push_back(transferStep(*before));
      return;
    }
    // From the node's memory: it came over the network to one of the node's devices.
    std::optional<std::size_t> first;
    for (DeviceId device : cluster_.devices.ids())
      if (nodeOf(device) == nodeOf(transfer.to))
        if (const std::optional<std::size_t> before = earlierArrival(transfer, device))
          if (!first || placement_.transfers[*before].end < placement_.transfers[*first].end)
            first = before;
    if (first)
      planned.after.push_back(transferStep(*first));
  }

  Seconds latencyOf(const Transfer &transfer) const {
    const NodeId to = nodeOf(transfer.to);
    const NodeType &target = cluster_.nodeTypes[cluster_.nodes[to].type];
    auto host = [&](DeviceId device, const NodeType &type) {
      return cluster_.devices[device].gpu ? type.hostLink.latency : Seconds();
    };
    if (!transfer.from.valid())
      return host(transfer.to, target);
    const NodeId from = nodeOf(transfer.from);
    const NodeType &source = cluster_.nodeTypes[cluster_.nodes[from].type];
    if (from != to)
      return host(transfer.from, source) +
             nicLatency(cluster_.nodes[from].name, source, transfer.route, ".up") + cluster_.network.latency +
             nicLatency(cluster_.nodes[to].name, target, transfer.route, ".down") + host(transfer.to, target);
    const std::optional<unsigned> a = cluster_.devices[transfer.from].gpu,
                                  b = cluster_.devices[transfer.to].gpu;
    if (a && b) {
      for (const GpuPairLink &pair : target.gpuPairs)
        if ((pair.a == *a && pair.b == *b) || (pair.a == *b && pair.b == *a))
          return pair.speed.latency;
      if (target.gpuPairs.empty() && target.gpuLinkKind != GpuLinkKind::none)
        return target.gpuLink.latency;
    }
    return host(transfer.from, target) + host(transfer.to, target);
  }

  void addTask(TaskId id) {
    const Assignment &run = *runs_[id];
    PlanTask planned{run.end - run.start, {}};
    for (const Dependency &dependency : incoming(id))
      planned.after.push_back(step(dependency.from));
    if (const auto found = arriving_.find(run.device); found != arriving_.end())
      for (std::size_t i : found->second)
        if (const Transfer &transfer = placement_.transfers[i];
            transfer.end <= run.start + tolerance_ && serves(transfer, id))
          planned.after.push_back(transferStep(i));
    plan_.tasks.push_back(std::move(planned));
  }

  std::span<const Dependency> incoming(TaskId id) {
    if (byTarget_.empty() && !graph_.dependencies.empty()) {
      byTarget_ = graph_.dependencies;
      std::ranges::stable_sort(byTarget_, {}, &Dependency::to);
    }
    const auto range = std::ranges::equal_range(byTarget_, id, {}, &Dependency::to);
    return {range.begin(), range.end()};
  }

  bool serves(const Transfer &transfer, TaskId task) {
    if (transfer.dependency) {
      const Dependency &sent = graph_.dependencies[*transfer.dependency];
      return std::ranges::any_of(incoming(task), [&](const Dependency &needed) {
        return needed.from == sent.from && needed.buffer == sent.buffer && needed.size > Bytes();
      });
    }
    return transfer.buffer && std::ranges::any_of(graph_.tasks[task].accesses, [&](const Access &access) {
             return access.buffer == *transfer.buffer && access.mode != AccessMode::out;
           });
  }

  void addQueues() {
    std::map<DeviceId, std::vector<std::size_t>> byDevice;
    for (TaskId task : graph_.tasks.ids())
      byDevice[runs_[task]->device].push_back(task.index());
    for (auto &[device, tasks] : byDevice) {
      std::ranges::stable_sort(tasks, {}, [&](std::size_t i) {
        return std::pair(runs_[TaskId(i)]->start, runs_[TaskId(i)]->end);
      });
      plan_.queues.push_back(std::move(tasks));
    }
  }

  void addArrivals() {
    std::map<std::size_t, std::vector<std::size_t>> byEnd;
    for (std::size_t i = 0; i < plan_.transfers.size(); ++i)
      byEnd[plan_.transfers[i].to].push_back(i);
    for (auto &[to, transfers] : byEnd) {
      std::ranges::stable_sort(transfers, {}, [&](std::size_t i) {
        return std::pair(placement_.transfers[i].start, placement_.transfers[i].end);
      });
      plan_.arrivals.push_back(std::move(transfers));
    }
  }

  const TaskGraph &graph_;
  const Cluster &cluster_;
  const Placement &placement_;
  LinkTable table_;
  Seconds tolerance_;
  ReplayPlan plan_;
  IndexedVector<TaskId, const Assignment *> runs_;
  std::map<DeviceId, std::vector<std::size_t>> arriving_;
  std::map<std::string, std::size_t> ends_, links_;
  std::vector<Dependency> byTarget_;
};

} // namespace

Expected<ReplayPlan> makeReplayPlan(const TaskGraph &graph, const Cluster &cluster,
                                    const Placement &placement) {
  return Planner(graph, cluster, placement).plan();
}

} // namespace streammap
