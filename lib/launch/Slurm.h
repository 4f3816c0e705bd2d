#pragma once
// What Slurm is asked for: used by the batch script, by `run --launcher srun` and by `submit`.
#include "launch/LaunchPlan.h"
#include <string>
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

/// Options of every `srun` we make. --kill-on-bad-exit: without it a step whose rank was killed hangs for
/// ever.
/// --gpu-bind=none: a rank sees all GPUs of its node, which CUDA IPC needs.
std::vector<std::string> srunOptions(const std::string &mpi);

/// Options of one component, for sbatch and, outside an allocation, for srun: nodes, ranks, GPUs, the node
/// for itself.
std::vector<std::string> slurmRequest(const SlurmComponent &component);

} // namespace streammap
