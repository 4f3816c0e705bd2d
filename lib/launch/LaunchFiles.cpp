#include "launch/LaunchFiles.h"
#include <algorithm>
#include <array>

namespace streammap {
namespace {

constexpr std::array<LaunchTarget, 4> table{{
    {"openmpi", "rankfile and application contexts of Open MPI", "sh openmpi.sh", openMpiFiles},
    {"mpich", "host file and configuration file of MPICH's Hydra", "sh mpich.sh", mpichFiles},
    {"slurm", "a batch script", "sbatch slurm.sbatch", slurmFiles},
    {"kubernetes", "a JobSet with one pod per node", "kubectl apply -f kubernetes.yaml", kubernetesFiles},
}};

} // namespace

std::span<const LaunchTarget> launchTargets() {
  return table;
}

const LaunchTarget *findLaunchTarget(std::string_view name) {
  const auto found = std::ranges::find(table, name, &LaunchTarget::name);
  return found == table.end() ? nullptr : &*found;
}

} // namespace streammap
