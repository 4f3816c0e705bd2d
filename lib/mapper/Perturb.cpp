#include "mapper/Perturb.h"
#include <charconv>

namespace streammap {
namespace {

BytesPerSecond times(BytesPerSecond bandwidth, double factor) {
  return bandwidth * factor;
}

/// "gpu3..." read from the front of `text`, which is cut behind the number.
std::optional<unsigned> takeGpu(std::string_view &text) {
  if (!text.starts_with("gpu"))
    return std::nullopt;
  unsigned gpu = 0;
  const auto [end, error] = std::from_chars(text.data() + 3, text.data() + text.size(), gpu);
  if (error != std::errc())
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return gpu;
}

std::optional<LinkGroup> groupInNode(const Cluster &cluster, NodeId node, std::string_view rest) {
  LinkGroup group;
  group.node = node;
  if (rest.starts_with("nic."))
    return group;
  const NodeType &type = cluster.nodeTypes[cluster.nodes[node].type];
  for (std::size_t i = 0; i < type.nics.size(); ++i)
    if (const std::string &name = type.nics[i].name;
        rest.substr(0, rest.rfind('.')) == (name.empty() ? "nic" + std::to_string(i) : name))
      return group; // one of those that are links of their own: all of the node's change together
  const std::optional<unsigned> a = takeGpu(rest);
  if (!a)
    return std::nullopt;
  if (rest.starts_with(":host.") || rest.starts_with(":peer.")) {
    group.kind = rest.starts_with(":host.") ? LinkKind::host : LinkKind::peer;
    return group;
  }
  if (!rest.starts_with(">"))
    return std::nullopt;
  rest.remove_prefix(1);
  const std::optional<unsigned> b = takeGpu(rest);
  const std::vector<GpuPairLink> &pairs = cluster.nodeTypes[cluster.nodes[node].type].gpuPairs;
  group.kind = LinkKind::pair;
  for (group.pair = 0; b && group.pair < pairs.size(); ++group.pair)
    if (const GpuPairLink &pair = pairs[group.pair];
        (pair.a == *a && pair.b == *b) || (pair.a == *b && pair.b == *a))
      return group;
  return std::nullopt;
}

void scale(NodeType &type, LinkKind kind, std::optional<std::size_t> pair, double factor) {
  if (kind == LinkKind::nic) {
    type.nic.bandwidth = times(type.nic.bandwidth, factor);
    for (Nic &nic : type.nics)
      nic.speed.bandwidth = times(nic.speed.bandwidth, factor);
  }
  if (kind == LinkKind::host)
    type.hostLink.bandwidth = times(type.hostLink.bandwidth, factor);
  if (kind == LinkKind::peer)
    type.gpuLink.bandwidth = times(type.gpuLink.bandwidth, factor);
  if (kind == LinkKind::peer || kind == LinkKind::pair)
    for (std::size_t i = 0; i < type.gpuPairs.size(); ++i)
      if (!pair || *pair == i)
        type.gpuPairs[i].speed.bandwidth = times(type.gpuPairs[i].speed.bandwidth, factor);
}

} // namespace

TaskGraph scaledTimes(const Problem &problem, const std::function<double(TaskId, ClassId)> &factor) {
  TaskGraph graph = problem.graph();
  for (TaskId task : graph.tasks.ids())
    for (ClassId c : problem.classes().ids())
      if (const std::optional<TimeEstimate> &estimate = problem.estimate(task, c))
        graph.tasks[task].seconds[problem.cluster().models[problem.classes()[c]].name] =
            estimate->time * factor(task, c);
  return graph;
}

TaskGraph scaledTime(const Problem &problem, TaskId task, ClassId id, double factor) {
  return scaledTimes(problem, [&](TaskId other, ClassId c) { return other == task && c == id ? factor : 1; });
}

std::optional<LinkGroup> linkGroupOf(const Cluster &cluster, std::string_view link) {
  if (const std::size_t colon = link.find(':'); colon != std::string_view::npos)
    for (NodeId node : cluster.nodes.ids())
      if (cluster.nodes[node].name == link.substr(0, colon))
        return groupInNode(cluster, node, link.substr(colon + 1));
  const std::size_t arrow = link.find('>');
  if (arrow == std::string_view::npos)
    return std::nullopt;
  const std::string_view a = link.substr(0, arrow), b = link.substr(arrow + 1);
  for (SwitchId below : cluster.network.switches.ids()) {
    const Switch &from = cluster.network.switches[below];
    for (std::size_t i = 0; i < from.uplinks.size(); ++i) {
      const std::string &above = cluster.network.switches[from.uplinks[i].to].name;
      if ((from.name == a && above == b) || (from.name == b && above == a)) {
        LinkGroup group;
        group.kind = LinkKind::uplink;
        group.below = below;
        group.uplink = i;
        return group;
      }
    }
  }
  return std::nullopt;
}

std::string nameOf(const Cluster &cluster, const LinkGroup &group) {
  if (group.kind == LinkKind::uplink) {
    const Switch &below = cluster.network.switches[group.below];
    return "the uplinks " + below.name + " - " +
           cluster.network.switches[below.uplinks[group.uplink].to].name;
  }
  const Node &node = cluster.nodes[group.node];
  if (group.kind == LinkKind::pair) {
    const GpuPairLink &pair = cluster.nodeTypes[node.type].gpuPairs[group.pair];
    return "the link of gpu" + std::to_string(pair.a) + " and gpu" + std::to_string(pair.b) + " of " +
           node.name;
  }
  return node.name + (group.kind == LinkKind::nic    ? "'s NICs"
                      : group.kind == LinkKind::host ? "'s host links"
                                                     : "'s GPU links");
}

Cluster scaledLinks(const Cluster &cluster, const LinkGroup &group, double factor) {
  Cluster changed = cluster;
  if (group.kind == LinkKind::uplink) {
    BytesPerSecond &bandwidth = changed.network.switches[group.below].uplinks[group.uplink].bandwidth;
    bandwidth = times(bandwidth, factor);
    return changed;
  }
  // Links belong to a node's type: this node gets a type of its own.
  NodeType type = cluster.nodeTypes[cluster.nodes[group.node].type];
  scale(type, group.kind, group.kind == LinkKind::pair ? std::optional(group.pair) : std::nullopt, factor);
  changed.nodes[group.node].type = changed.nodeTypes.push(std::move(type));
  return changed;
}

Cluster scaledLinks(const Cluster &cluster, LinkKind kind, double factor) {
  Cluster changed = cluster;
  if (kind == LinkKind::uplink)
    for (Switch &from : changed.network.switches)
      for (Uplink &uplink : from.uplinks)
        uplink.bandwidth = times(uplink.bandwidth, factor);
  else
    for (NodeType &type : changed.nodeTypes)
      scale(type, kind, std::nullopt, factor);
  return changed;
}

} // namespace streammap
