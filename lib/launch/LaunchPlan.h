#pragma once
// Which process runs where: the ranks of an MPI job in order, each with its node, its GPUs and what it must
// be told.
//
//   LaunchPlan plan = planRanks(nodesInUse(placement, cluster), &cluster, RanksPer::node);
//   plan.ranks[0].node;                  // "n001"
//   rankEnvironment(plan, 0);            // CUDA_VISIBLE_DEVICES=0,1,2,3 ...
//
// A program that 'streammap build' made wants one rank per node. RanksPer::gpu is for MPI programs of one's
// own that take one GPU per rank.
#include "model/Cluster.h"
#include "model/Placement.h"
#include <map>
#include <string>
#include <vector>

namespace streammap {

/// A node that runs something, and the numbers of the GPUs it does so on, ascending (none: its cores alone).
struct NodeUse {
  std::string node;
  std::vector<unsigned> gpus;
  bool operator==(const NodeUse &) const = default;
};

/// The nodes of a placement, sorted by name (`n2` before `n10`).
std::vector<NodeUse> nodesInUse(const Placement &placement, const Cluster &cluster);

enum class RanksPer { node, gpu };

struct Rank {
  std::string node;
  unsigned localRank = 0;        ///< among the ranks of its node
  std::vector<unsigned> gpus;    ///< that it uses
  unsigned nodeGpus = 0;         ///< how many the node has, all of which the rank sees
  unsigned cores = 0;            ///< of the node; 0: unknown
  std::string nodeType;          ///< empty: no cluster file
  std::string leaf;              ///< the switch the node hangs on; empty: unknown
  std::vector<std::string> nics; ///< network devices nearest to its GPUs; empty: the cluster file names none
};

struct LaunchPlan {
  std::vector<Rank> ranks;
  std::vector<std::string> nodes; ///< each once, in the order in which ranks come to them
  RanksPer ranksPer = RanksPer::node;
};

/// Ranks in the order that crosses leaves least: the switches are walked as a tree from its roots, nodes of a
/// leaf by name, so that neighbours in a ring of ranks, as NCCL builds it, are under one leaf wherever they
/// can be. Without a cluster nodes come by name. Nodes the cluster does not have come last.
LaunchPlan planRanks(const std::vector<NodeUse> &uses, const Cluster *cluster, RanksPer ranksPer);

/// How often neighbours in the ring of ranks hang on different leaves.
std::size_t leafCrossings(const LaunchPlan &plan);

using Environment = std::map<std::string, std::string>;

/// What all ranks of a program of ours are told: STREAMMAP_PLACEMENT (the path given), STREAMMAP_NODES (the
/// node of each rank, as a hostlist) and STREAMMAP_CHECK_NODES, which makes a rank look where it has woken
/// up. Empty for RanksPer::gpu. Always: CUDA_DEVICE_ORDER, so that GPU numbers are those of nvidia-smi.
Environment commonEnvironment(const LaunchPlan &plan, const std::string &placementPath);

/// What one rank is told: CUDA_VISIBLE_DEVICES, and the network devices near its GPUs where they are known
/// (UCX_NET_DEVICES, and NCCL_IB_HCA or NCCL_SOCKET_IFNAME). All GPUs of the node stay visible, those of the
/// rank first: CUDA can map another process's memory only from a device it sees, and a rank that sees a
/// single GPU loses CUDA IPC with its neighbours. A program of ours gets them in order, since it counts by
/// itself.
Environment rankEnvironment(const LaunchPlan &plan, std::size_t rank);

} // namespace streammap
