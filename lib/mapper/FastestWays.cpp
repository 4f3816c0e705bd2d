#include "mapper/FastestWays.h"
#include <algorithm>
#include <map>

namespace streammap {

void FastestWays::Way::addChoice(Seconds otherLatency, BytesPerSecond otherBandwidth) {
  latency = latency ? std::min(*latency, otherLatency) : otherLatency;
  bandwidth = std::max(bandwidth, otherBandwidth);
}

FastestWays::FastestWays(const Problem &problem) : networkLatency_(problem.cluster().network.latency) {
  const std::size_t classes = problem.classes().size();
  enter_.assign(classes, {});
  leave_.assign(classes, {});
  nic_.assign(classes, {});
  types_.assign(classes, {});
  // Nodes of one type are alike, so one of each will do. Parts that are not up are counted all the same: they
  // only add choices.
  const Cluster &cluster = problem.cluster();
  std::map<NodeTypeId, NodeId> example;
  for (NodeId node : cluster.nodes.ids())
    example.try_emplace(cluster.nodes[node].type, node);
  std::map<NodeId, std::vector<DeviceId>> devices;
  for (const auto &[type, node] : example)
    devices[node];
  for (DeviceId device : cluster.devices.ids())
    if (const auto found = devices.find(cluster.devices[device].node); found != devices.end())
      found->second.push_back(device);
  for (const auto &[node, itsDevices] : devices)
    addNode(problem, itsDevices);
  for (std::vector<NodeTypeId> &types : types_) {
    std::ranges::sort(types);
    types.erase(std::unique(types.begin(), types.end()), types.end());
  }
}

void FastestWays::addNode(const Problem &problem, const std::vector<DeviceId> &devices) {
  const Fabric &fabric = problem.fabric();
  for (DeviceId device : devices) {
    const Place place = fabric.placeOf(device);
    const ClassId itsClass = problem.classOf(device);
    const Route down = fabric.route(Fabric::hostOf(place.node), place),
                up = fabric.route(place, Fabric::hostOf(place.node));
    enter_[itsClass].addChoice(down.latency, down.bandwidth);
    leave_[itsClass].addChoice(up.latency, up.bandwidth);
    for (DeviceId other : devices) {
      if (problem.classOf(other) == itsClass)
        continue;
      const Route across = fabric.route(fabric.placeOf(other), place);
      enter_[itsClass].addChoice(across.latency, across.bandwidth);
      leave_[problem.classOf(other)].addChoice(across.latency, across.bandwidth);
    }
    const NodeTypeId type = problem.cluster().nodes[place.node].type;
    const NodeType &nodeType = problem.cluster().nodeTypes[type];
    nic_[itsClass].addChoice(nodeType.nic.latency,
                             nodeType.nicCount != 0 ? nodeType.nic.bandwidth : unlimitedBandwidth);
    types_[itsClass].push_back(type);
  }
}

Seconds FastestWays::between(ClassId from, ClassId to, Bytes size) const {
  if (from == to)
    return {};
  Seconds time = std::max(leave_[from].time(size), enter_[to].time(size));
  if (std::ranges::find_first_of(types_[from], types_[to]) == types_[from].end()) {
    const Way &out = nic_[from], &in = nic_[to];
    const Seconds latency = *out.latency + networkLatency_ + *in.latency;
    time = std::max(time, latency + size / std::min(out.bandwidth, in.bandwidth));
  }
  return time;
}

} // namespace streammap
