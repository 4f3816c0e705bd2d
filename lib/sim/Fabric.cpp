#include "sim/Fabric.h"
#include <algorithm>
#include <deque>

namespace streammap {
namespace {

bool described(const LinkSpeed &speed) {
  return speed.bandwidth < unlimitedBandwidth;
}

/// NICs that hang on leaves of their own, or run at speeds of their own, are links of their own. All others
/// are channels of one link.
bool hasOwnNicLinks(const NodeType &type, const Node &node) {
  return !type.nics.empty() &&
         (!node.nicLeaves.empty() || std::ranges::any_of(type.nics, [&](const Nic &nic) {
           return nic.speed.bandwidth != type.nic.bandwidth || nic.speed.latency != type.nic.latency;
         }));
}

} // namespace

Fabric::Fabric(const Cluster &cluster) : cluster_(&cluster) {
  gpuLinks_.assign(cluster.devices.size(), {});
  nodeLinks_.assign(cluster.nodes.size(), {});
  firstDevice_.assign(cluster.nodes.size(), {});
  pairLinks_.assign(cluster.nodes.size(), {});
  for (DeviceId device : cluster.devices.ids())
    if (NodeId node = cluster.devices[device].node; !firstDevice_[node].valid())
      firstDevice_[node] = device;
  for (NodeId node : cluster.nodes.ids())
    addNode(node, firstDevice_[node]);
  addSwitches();
}

LinkId Fabric::add(std::string name, BytesPerSecond bandwidth, unsigned channels) {
  return links_.push({std::move(name), bandwidth, std::max(1u, channels)});
}

void Fabric::addNode(NodeId node, DeviceId firstDevice) {
  const NodeType &type = typeOf(node);
  const std::string &name = cluster_->nodes[node].name;
  for (unsigned gpu = 0; gpu < type.gpus.size(); ++gpu) {
    GpuLinks &links = gpuLinks_[DeviceId(firstDevice.index() + gpu)];
    const std::string gpuName = name + ":gpu" + std::to_string(gpu);
    if (described(type.hostLink)) {
      links.hostUp = add(gpuName + ":host.up", type.hostLink.bandwidth, 1);
      links.hostDown = add(gpuName + ":host.down", type.hostLink.bandwidth, 1);
    }
    if (type.gpuPairs.empty() && type.gpuLinkKind != GpuLinkKind::none && described(type.gpuLink)) {
      links.peerOut = add(gpuName + ":peer.out", type.gpuLink.bandwidth, 1);
      links.peerIn = add(gpuName + ":peer.in", type.gpuLink.bandwidth, 1);
    }
  }
  for (const GpuPairLink &pair : type.gpuPairs) {
    const std::string a = "gpu" + std::to_string(pair.a), b = "gpu" + std::to_string(pair.b);
    LinkId there, back;
    if (described(pair.speed)) {
      there = add(name + ":" + a + ">" + b, pair.speed.bandwidth, 1);
      back = add(name + ":" + b + ">" + a, pair.speed.bandwidth, 1);
    }
    pairLinks_[node].emplace_back(there, back);
  }
  if (hasOwnNicLinks(type, cluster_->nodes[node])) {
    for (const Nic &nic : type.nics) {
      const std::string nicName =
          name + ":" + (nic.name.empty() ? "nic" + std::to_string(nodeLinks_[node].nics.size()) : nic.name);
      auto &[up, down] = nodeLinks_[node].nics.emplace_back();
      if (described(nic.speed)) {
        up = add(nicName + ".up", nic.speed.bandwidth, 1);
        down = add(nicName + ".down", nic.speed.bandwidth, 1);
      }
    }
  } else if (type.nicCount != 0 && described(type.nic)) {
    nodeLinks_[node].nicUp = add(name + ":nic.up", type.nic.bandwidth, type.nicCount);
    nodeLinks_[node].nicDown = add(name + ":nic.down", type.nic.bandwidth, type.nicCount);
  }
}

void Fabric::addSwitches() {
  const auto &switches = cluster_->network.switches;
  hops_.assign(switches.size(), {});
  for (SwitchId id : switches.ids())
    for (const Uplink &uplink : switches[id].uplinks) {
      SwitchHop hop{uplink.to, {}, {}};
      if (uplink.bandwidth < unlimitedBandwidth) {
        const std::string &below = switches[id].name, &above = switches[uplink.to].name;
        hop.up = add(below + ">" + above, uplink.bandwidth, uplink.count);
        hop.down = add(above + ">" + below, uplink.bandwidth, uplink.count);
      }
      hops_[id].push_back(hop);
    }
  ascents_.assign(switches.size(), {});
  for (SwitchId id : switches.ids())
    ascents_[id] = ascentFrom(id);
}

/// Breadth first, so that the way to each switch is one of the shortest.
Fabric::Ascent Fabric::ascentFrom(SwitchId leaf) const {
  Ascent ascent;
  ascent.ways.push_back({leaf, {}});
  for (std::size_t i = 0; i < ascent.ways.size(); ++i)
    for (const SwitchHop &hop : hops_[ascent.ways[i].first]) {
      if (std::ranges::any_of(ascent.ways, [&](const auto &known) { return known.first == hop.to; }))
        continue;
      std::vector<SwitchHop> way = ascent.ways[i].second;
      way.push_back(hop);
      ascent.ways.emplace_back(hop.to, std::move(way));
    }
  for (std::size_t i = 0; i < ascent.ways.size(); ++i)
    ascent.positions.emplace_back(ascent.ways[i].first, i);
  std::ranges::sort(ascent.positions);
  return ascent;
}

const std::vector<Fabric::SwitchHop> *Fabric::Ascent::wayTo(SwitchId above) const {
  const auto found = std::ranges::lower_bound(positions, above, {}, [](const auto &p) { return p.first; });
  return found != positions.end() && found->first == above ? &ways[found->second].second : nullptr;
}

void Fabric::pass(Route &route, LinkId link, Seconds latency) const {
  route.latency += latency;
  if (!link.valid())
    return;
  route.links.push_back(link);
  route.bandwidth = std::min(route.bandwidth, links_[link].bandwidth);
}

/// GPU to GPU inside a node; false where only the host connects them.
bool Fabric::passPeer(Route &route, DeviceId from, DeviceId to) const {
  const Device &source = cluster_->devices[from], &target = cluster_->devices[to];
  const NodeType &type = typeOf(source.node);
  if (!source.gpu || !target.gpu)
    return false;
  if (type.gpuPairs.empty()) {
    if (type.gpuLinkKind == GpuLinkKind::none)
      return false;
    pass(route, gpuLinks_[from].peerOut, type.gpuLink.latency);
    pass(route, gpuLinks_[to].peerIn, Seconds());
    return true;
  }
  for (std::size_t i = 0; i < type.gpuPairs.size(); ++i) {
    const GpuPairLink &pair = type.gpuPairs[i];
    const auto &[there, back] = pairLinks_[source.node][i];
    if (pair.a == *source.gpu && pair.b == *target.gpu)
      return pass(route, there, pair.speed.latency), true;
    if (pair.b == *source.gpu && pair.a == *target.gpu)
      return pass(route, back, pair.speed.latency), true;
  }
  return false;
}

void Fabric::passHostLink(Route &route, const Place &place, bool up) const {
  if (!place.device || !cluster_->devices[*place.device].gpu)
    return;
  const GpuLinks &links = gpuLinks_[*place.device];
  pass(route, up ? links.hostUp : links.hostDown, typeOf(place.node).hostLink.latency);
}

/// The NIC a place sends and receives through: of those near its GPU one, so that GPUs that share several
/// spread over them; the first for host memory.
std::size_t Fabric::nicOf(const Place &place) const {
  const NodeType &type = typeOf(place.node);
  const std::optional<unsigned> gpu = place.device ? cluster_->devices[*place.device].gpu : std::nullopt;
  if (!gpu)
    return 0;
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < type.nics.size(); ++i)
    if (std::ranges::find(type.nics[i].gpus, *gpu) != type.nics[i].gpus.end())
      near.push_back(i);
  return near.empty() ? *gpu % type.nics.size() : near[*gpu % near.size()];
}

void Fabric::passNic(Route &route, const Place &place, bool up) const {
  const NodeLinks &links = nodeLinks_[place.node];
  if (links.nics.empty())
    return pass(route, up ? links.nicUp : links.nicDown, typeOf(place.node).nic.latency);
  const std::size_t nic = nicOf(place);
  pass(route, up ? links.nics[nic].first : links.nics[nic].second,
       typeOf(place.node).nics[nic].speed.latency);
}

std::optional<SwitchId> Fabric::leafOf(const Place &place) const {
  const Node &node = cluster_->nodes[place.node];
  return node.nicLeaves.empty() ? node.leaf : node.nicLeaves[nicOf(place)];
}

void Fabric::passSwitches(Route &route, const Place &from, const Place &to) const {
  const std::optional<SwitchId> fromLeaf = leafOf(from), toLeaf = leafOf(to);
  if (!fromLeaf || !toLeaf || *fromLeaf == *toLeaf)
    return;
  // Of the switches above both, those with the fewest hops; the destination's number chooses among them.
  const Ascent &ascent = ascents_[*fromLeaf], &descent = ascents_[*toLeaf];
  std::size_t fewest = SIZE_MAX, meetings = 0;
  for (const auto &[above, up] : ascent.ways)
    if (const std::vector<SwitchHop> *down = descent.wayTo(above)) {
      const std::size_t hops = up.size() + down->size();
      meetings = hops < fewest ? 1 : meetings + (hops == fewest);
      fewest = std::min(fewest, hops);
    }
  if (meetings == 0)
    return;
  std::size_t skipped = to.node.index() % meetings;
  for (const auto &[above, up] : ascent.ways)
    if (const std::vector<SwitchHop> *down = descent.wayTo(above);
        down && up.size() + down->size() == fewest && skipped-- == 0)
      return passOver(route, up, *down);
}

void Fabric::passOver(Route &route, const std::vector<SwitchHop> &up,
                      const std::vector<SwitchHop> &down) const {
  for (const SwitchHop &hop : up)
    pass(route, hop.up, Seconds());
  for (auto hop = down.rbegin(); hop != down.rend(); ++hop)
    pass(route, hop->down, Seconds());
}

Route Fabric::route(const Place &from, const Place &to) const {
  Route route;
  if (from == to)
    return route;
  if (from.node == to.node) {
    if (from.device && to.device && passPeer(route, *from.device, *to.device))
      return route;
    passHostLink(route, from, true);
    passHostLink(route, to, false);
    return route;
  }
  passHostLink(route, from, true);
  passNic(route, from, true);
  route.latency += cluster_->network.latency;
  passSwitches(route, from, to);
  passNic(route, to, false);
  passHostLink(route, to, false);
  return route;
}

} // namespace streammap
