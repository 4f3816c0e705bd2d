#include "discover/State.h"
#include "discover/Merge.h"
#include <algorithm>
#include <map>
#include <unordered_map>

namespace streammap {
namespace {

class Refresher {
public:
  Refresher(Cluster &cluster, Diagnostics &diagnostics) : cluster_(cluster), diagnostics_(diagnostics) {
    firstDevice_.assign(cluster.nodes.size(), DeviceId());
    for (NodeId node : cluster.nodes.ids())
      index_[cluster.nodes[node].name] = node;
    for (DeviceId device : cluster.devices.ids())
      if (DeviceId &first = firstDevice_[cluster.devices[device].node]; !first.valid())
        first = device;
  }

  StateRefresh run(std::span<const Findings> sources) {
    // Who names a node goes before who does not, as in merge().
    for (const bool isNamed : {true, false})
      for (const Findings &source : sources)
        for (const NodeFindings &node : source.nodes)
          if (node.name.empty() != isNamed)
            assign(node);
    StateRefresh refresh;
    NodeRemarks unknown;
    for (const auto &[node, findings] : said_)
      refreshNode(node, findings, refresh, unknown);
    refresh.unknown = unknown.texts();
    return refresh;
  }

private:
  void assign(const NodeFindings &node) {
    if (node.name.empty() && cluster_.nodes.size() == 1)
      return said_[NodeId(0)].push_back(&node);
    if (node.name.empty())
      return diagnostics_.error(node.where,
                                "tells the state of a node without naming it; say which: --input NODES=FILE",
                                "unnamed-node");
    const auto found = index_.find(node.name);
    if (found == index_.end())
      return diagnostics_.warning(
          node.where, "node '" + node.name + "' is not in the cluster file; run 'streammap discover' anew",
          "unknown-node");
    said_[found->second].push_back(&node);
  }

  void refreshNode(NodeId id, const std::vector<const NodeFindings *> &findings, StateRefresh &refresh,
                   NodeRemarks &unknown) {
    Node &node = cluster_.nodes[id];
    const bool isSaid =
        std::ranges::any_of(findings, [](const NodeFindings *found) { return found->state.has_value(); });
    StateFinding now{node.state, node.reason, {}};
    if (isSaid) {
      now = {};
      for (const NodeFindings *found : findings)
        if (found->state && isWorse(found->state->state, now.state))
          now = *found->state;
    }
    // A GPU whose state is only its node's follows the node.
    const State before = node.state;
    const std::string reasonBefore = node.reason;
    if (now.state != before || now.reason != reasonBefore)
      refresh.changes.push_back({node.name, before, now.state, now.reason});
    node.state = now.state;
    node.reason = now.reason;
    const std::size_t gpus = cluster_.nodeTypes[node.type].gpus.size();
    for (unsigned gpu = 0; gpu < gpus; ++gpu)
      refreshGpu(id, gpu, gpus, findings, before, refresh);
    if (const DeviceId cores(firstDevice_[id].index() + gpus);
        cluster_.devices.contains(cores) && cluster_.devices[cores].node == id) {
      cluster_.devices[cores].state = node.state;
      cluster_.devices[cores].reason = node.reason;
    }
    for (const NodeFindings *found : findings) {
      if (found->gpusInUse)
        unknown.add("which " + std::to_string(found->gpusInUse->value) + " GPUs are in use (" +
                        toText(SourceLocation{found->gpusInUse->where.file, 0, 0, {}}) + " only counts them)",
                    node.name);
      if (found->gpuCount && found->gpuCount->value != gpus)
        diagnostics_.warning(found->gpuCount->where,
                             "'" + node.name + "' has " + std::to_string(found->gpuCount->value) +
                                 " GPUs here and " + std::to_string(gpus) +
                                 " in the cluster file, so their states are left alone",
                             "gpu-count");
    }
  }

  void refreshGpu(NodeId id, unsigned gpu, std::size_t count,
                  const std::vector<const NodeFindings *> &findings, State nodeBefore,
                  StateRefresh &refresh) {
    Device &device = cluster_.devices[DeviceId(firstDevice_[id].index() + gpu)];
    const Node &node = cluster_.nodes[id];
    std::vector<const GpuFindings *> said;
    for (const NodeFindings *found : findings)
      if (found->gpus.size() == count)
        if (const GpuFindings &one = found->gpus[gpu]; one.state || one.readings != GpuReadings())
          said.push_back(&one);
    StateFinding now{device.state, device.reason, {}};
    if (!said.empty()) {
      device.readings = {};
      for (const GpuFindings *one : said)
        fillReadings(device.readings, one->readings);
      now = mergeGpuState(said, device.readings, cluster_.models[device.model].memory);
    } else if (device.state == nodeBefore) {
      now = {State::up, {}, {}}; // it only followed its node
    }
    const bool follows = !isWorse(now.state, node.state) && node.state != State::up;
    if (!follows && (now.state != device.state || now.reason != device.reason) &&
        !(now.state == State::up && nodeBefore != State::up && device.state == nodeBefore))
      refresh.changes.push_back(
          {node.name + ":gpu" + std::to_string(gpu), device.state, now.state, now.reason});
    device.state = follows ? node.state : now.state;
    device.reason = follows ? node.reason : now.reason;
  }

  Cluster &cluster_;
  Diagnostics &diagnostics_;
  std::unordered_map<std::string, NodeId> index_;
  IndexedVector<NodeId, DeviceId> firstDevice_;
  std::map<NodeId, std::vector<const NodeFindings *>> said_;
};

} // namespace

std::string toText(const StateChange &change) {
  std::string text = change.place + ": " + std::string(toText(change.before));
  if (change.before != change.after)
    text += " -> " + std::string(toText(change.after));
  return change.reason.empty() ? text : text + " (" + change.reason + ")";
}

StateRefresh refreshState(Cluster &cluster, std::span<const Findings> sources, Diagnostics &diagnostics) {
  return Refresher(cluster, diagnostics).run(sources);
}

} // namespace streammap
