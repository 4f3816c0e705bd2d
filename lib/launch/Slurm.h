#pragma once
// What Slurm is asked for: used by the batch script, by `run --launcher srun` and by `submit`.
#include "launch/LaunchPlan.h"
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

/// Consecutive ranks on nodes of one kind. Slurm asks every node of a component for the same number of GPUs,
/// so a plan over several kinds of nodes becomes a heterogeneous job.
struct SlurmComponent {
  std::size_t firstRank = 0;
  std::size_t ranks = 0;
  std::vector<std::string> nodes; ///< in rank order
  unsigned gpusPerNode = 0;       ///< all a node has
};

/// One component where all nodes have as many GPUs. Otherwise one for each stretch of ranks whose nodes have
/// as many and come in the order of their names, for within a component of a heterogeneous job Slurm numbers
/// ranks by node.
std::vector<SlurmComponent> slurmComponents(const LaunchPlan &plan);

/// The node of every rank, one a line: what SLURM_HOSTFILE names for `--distribution=arbitrary`. A node list
/// alone does not keep its order.
std::string slurmHostfile(const LaunchPlan &plan);

struct UnusableNode {
  std::string node;
  std::string state;  ///< as Slurm calls it: "drained", "down"
  std::string reason; ///< the administrator's; "none" where there is none
  bool operator==(const UnusableNode &) const = default;
};

/// Nodes on which Slurm starts nothing now. A job that asks for one would wait until somebody brings it back.
/// `sinfo` is what `sinfo --noheader --Node --format=%N|%T|%E` prints; a node in several partitions counts
/// once.
std::vector<UnusableNode> unusableNodes(std::string_view sinfo);

/// Options of every component of every `srun` we make. --kill-on-bad-exit: without it a step whose rank was
/// killed hangs for ever.
/// --gpu-bind=none: a rank sees all GPUs of its node, which CUDA IPC needs.
std::vector<std::string> srunOptions(const std::string &mpi);

/// Options of one component, for sbatch and, outside an allocation, for srun: nodes, ranks, GPUs, the node
/// for itself.
std::vector<std::string> slurmRequest(const SlurmComponent &component);

} // namespace streammap
