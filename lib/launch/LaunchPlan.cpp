#include "launch/LaunchPlan.h"
#include "model/Hostlist.h"
#include "support/Text.h"
#include <algorithm>
#include <set>

namespace streammap {
namespace {

/// The names of the switches above a node, root first: sorting nodes by it walks the tree.
std::vector<std::string> pathFromRoot(const Network &network, std::optional<SwitchId> at) {
  std::vector<std::string> path;
  while (at) {
    const Switch &here = network.switches[*at];
    path.insert(path.begin(), here.name);
    at = here.uplinks.empty() ? std::nullopt : std::optional(here.uplinks.front().to);
  }
  return path;
}

const Node *findNode(const Cluster *cluster, const std::string &name) {
  if (!cluster)
    return nullptr;
  const auto found = std::ranges::find(cluster->nodes, name, &Node::name);
  return found == cluster->nodes.end() ? nullptr : &*found;
}

Rank describeNode(const NodeUse &use, const Cluster *cluster) {
  Rank rank;
  rank.node = use.node;
  rank.gpus = use.gpus;
  rank.nodeGpus = use.gpus.empty() ? 0 : use.gpus.back() + 1;
  const Node *node = findNode(cluster, use.node);
  if (!node)
    return rank;
  const NodeType &type = cluster->nodeTypes[node->type];
  rank.nodeGpus = static_cast<unsigned>(type.gpus.size());
  rank.cores = type.cpuCores;
  rank.nodeType = type.name;
  if (node->leaf)
    rank.leaf = cluster->network.switches[*node->leaf].name;
  return rank;
}

/// The NICs behind the PCIe switch of a GPU that the rank uses, or else those on its NUMA node. Nothing where
/// the file does not say so for each of its GPUs: MPI and NCCL then look for themselves.
std::vector<std::string> nearestNics(const NodeType &type, const std::vector<unsigned> &gpus) {
  std::set<std::size_t> near;
  for (unsigned gpu : gpus) {
    std::set<std::size_t> direct, sameNuma;
    for (std::size_t i = 0; i < type.nics.size(); ++i) {
      const Nic &nic = type.nics[i];
      if (std::ranges::find(nic.gpus, gpu) != nic.gpus.end())
        direct.insert(i);
      if (nic.numa && gpu < type.gpuNuma.size() && type.gpuNuma[gpu] == nic.numa)
        sameNuma.insert(i);
    }
    const std::set<std::size_t> &nearest = direct.empty() ? sameNuma : direct;
    if (nearest.empty())
      return {};
    near.insert(nearest.begin(), nearest.end());
  }
  std::vector<std::string> names;
  for (std::size_t i : near)
    if (!type.nics[i].name.empty())
      names.push_back(type.nics[i].name);
  return names;
}

/// RDMA devices (mlx5_0, bnxt_re0, ...) have ports; everything else is a network interface (eth0, ib0).
bool isRdmaDevice(std::string_view name) {
  for (std::string_view prefix :
       {"mlx4_", "mlx5_", "bnxt_re", "hfi1_", "irdma", "efa_", "rdmap", "roce", "ibp"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

std::string joined(const std::vector<unsigned> &numbers) {
  std::string text;
  for (unsigned number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

/// All GPUs of the node; with one rank per GPU its own first and the others after it, around.
std::vector<unsigned> visibleGpus(const Rank &rank, RanksPer ranksPer) {
  std::vector<unsigned> visible;
  const unsigned first = ranksPer == RanksPer::gpu && !rank.gpus.empty() ? rank.gpus.front() : 0;
  for (unsigned k = 0; k < rank.nodeGpus; ++k)
    visible.push_back((first + k) % rank.nodeGpus);
  return visible;
}

void bindNics(const Rank &rank, Environment &environment) {
  std::string rdma, interfaces;
  for (const std::string &nic : rank.nics) {
    std::string &list = isRdmaDevice(nic) ? rdma : interfaces;
    list += (list.empty() ? "" : ",") + nic + (isRdmaDevice(nic) ? ":1" : "");
  }
  if (rdma.empty() && interfaces.empty())
    return;
  environment["UCX_NET_DEVICES"] = rdma + (rdma.empty() || interfaces.empty() ? "" : ",") + interfaces;
  // '=' asks NCCL for exactly these names, not for all that begin so (mlx5_1 is also the start of mlx5_10).
  if (!rdma.empty())
    environment["NCCL_IB_HCA"] = "=" + rdma;
  else
    environment["NCCL_SOCKET_IFNAME"] = "=" + interfaces;
}

} // namespace

std::vector<NodeUse> nodesInUse(const Placement &placement, const Cluster &cluster) {
  std::map<NodeId, std::set<unsigned>> gpus;
  for (const Assignment &assignment : placement.assignments) {
    const Device &device = cluster.devices[assignment.device];
    std::set<unsigned> &ofNode = gpus[device.node];
    if (device.gpu)
      ofNode.insert(*device.gpu);
  }
  std::vector<NodeUse> uses;
  for (const auto &[node, numbers] : gpus)
    uses.push_back({cluster.nodes[node].name, {numbers.begin(), numbers.end()}});
  std::ranges::sort(uses, naturallyBefore, &NodeUse::node);
  return uses;
}

LaunchPlan planRanks(const std::vector<NodeUse> &uses, const Cluster *cluster, RanksPer ranksPer) {
  struct Place {
    std::vector<std::string> path;
    const NodeUse *use;
  };
  std::vector<Place> places;
  for (const NodeUse &use : uses) {
    const Node *node = findNode(cluster, use.node);
    places.push_back({node ? pathFromRoot(cluster->network, node->leaf) : std::vector<std::string>(), &use});
  }
  std::ranges::stable_sort(places, [](const Place &a, const Place &b) {
    if (a.path.empty() != b.path.empty())
      return b.path.empty();
    if (a.path != b.path)
      return std::ranges::lexicographical_compare(a.path, b.path, naturallyBefore);
    return naturallyBefore(a.use->node, b.use->node);
  });

  const auto bound = [&](Rank rank) {
    if (const Node *node = findNode(cluster, rank.node))
      rank.nics = nearestNics(cluster->nodeTypes[node->type], rank.gpus);
    return rank;
  };
  LaunchPlan plan;
  plan.ranksPer = ranksPer;
  for (const Place &place : places) {
    plan.nodes.push_back(place.use->node);
    const Rank whole = describeNode(*place.use, cluster);
    if (ranksPer == RanksPer::node || whole.gpus.size() < 2) {
      plan.ranks.push_back(bound(whole));
      continue;
    }
    for (unsigned local = 0; local < whole.gpus.size(); ++local) {
      plan.ranks.push_back(whole);
      plan.ranks.back().localRank = local;
      plan.ranks.back().gpus = {whole.gpus[local]};
      plan.ranks.back() = bound(plan.ranks.back());
    }
  }
  return plan;
}

std::size_t leafCrossings(const LaunchPlan &plan) {
  std::size_t crossings = 0;
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank)
    crossings += plan.ranks[rank].leaf != plan.ranks[(rank + 1) % plan.ranks.size()].leaf;
  return crossings;
}

Environment commonEnvironment(const LaunchPlan &plan, const std::string &placementPath) {
  Environment environment{{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}};
  if (plan.ranksPer == RanksPer::gpu)
    return environment;
  environment["STREAMMAP_PLACEMENT"] = placementPath;
  environment["STREAMMAP_NODES"] = compressHostlist(plan.nodes);
  environment["STREAMMAP_CHECK_NODES"] = "1";
  return environment;
}

Environment rankEnvironment(const LaunchPlan &plan, std::size_t rank) {
  Environment environment;
  const Rank &here = plan.ranks[rank];
  if (here.nodeGpus > 0)
    environment["CUDA_VISIBLE_DEVICES"] = joined(visibleGpus(here, plan.ranksPer));
  bindNics(here, environment);
  return environment;
}

} // namespace streammap
