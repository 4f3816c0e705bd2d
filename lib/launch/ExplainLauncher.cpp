#include "launch/ExplainLauncher.h"
#include <array>

namespace streammap {
namespace {

struct KnownFailure {
  std::string_view sign;        ///< part of the launcher's message
  std::string_view explanation; ///< "%" stands for the word after the sign
};

// The first that is found wins: causes stand before what follows from them. Signs are those of Slurm 22.05,
// Open MPI 4.1 and MPICH 4.0.
constexpr std::array<KnownFailure, 19> failures{{
    {"not built with SLURM's PMI support",
     "the program's Open MPI does not speak the protocol srun was told to use; use --mpi pmix"},
    {"Invalid MPI plugin name", "this Slurm has no such MPI plugin; 'srun --mpi=list' names those it has"},
    {"Node failure on ", "node % failed. 'streammap discover --state' refreshes the cluster file, 'streammap "
                         "map' then places around it"},
    {"Invalid node name specified", "the placement names a node that this Slurm does not have; was the "
                                    "cluster file made for another cluster?"},
    {"Required node not available (down, drained or reserved)",
     "a node of the placement is down, drained or reserved. 'streammap discover --state' refreshes the "
     "cluster "
     "file, 'streammap map' then places around it"},
    {"Requested node configuration is not available",
     "Slurm has the nodes of the placement but not with the GPUs or cores asked for; compare 'scontrol show "
     "node' with the cluster file"},
    {"Invalid generic resource (gres) specification",
     "Slurm does not know GPUs as a generic resource (GresTypes=gpu in slurm.conf)"},
    {"More processors requested than permitted",
     "the allocation has fewer cores on a node than ranks; allocate whole nodes (--exclusive)"},
    {"Requested nodes are busy", "other steps or jobs hold the nodes of the placement"},
    {"Unable to contact slurm controller", "slurmctld does not answer; ask the administrator"},
    {"Job violates accounting/QOS policy", "the account may not use as much; see 'sacctmgr show assoc'"},
    {"Could not resolve hostname", "a node of the placement has no address on this network"},
    {"Permission denied (publickey", "ssh to the nodes must work without a password ('ssh-copy-id NODE')"},
    {"Host key verification failed", "ssh does not know a node's host key ('ssh NODE' once accepts it)"},
    {"could not be found for the following", "the program's path does not exist on a node; put it on a file "
                                             "system that all nodes mount"},
    {"could not access or execute",
     "the program's path does not exist on a node; put it on a file system that "
     "all nodes mount"},
    {"There are not enough slots available",
     "mpirun was given fewer slots than ranks; inside an allocation ask for one task per node"},
    {"ORTE was unable to reliably start one or more daemons",
     "a node of the placement could not be reached, or all of its processes were killed; 'ssh NODE true' "
     "tells "
     "which"},
    {"HYD_sock_connect",
     "a node of the placement could not be reached by mpiexec; 'ssh NODE true' tells which"},
}};

} // namespace

std::optional<std::string> explainLauncherOutput(std::string_view output) {
  for (const KnownFailure &failure : failures) {
    const std::size_t at = output.find(failure.sign);
    if (at == std::string_view::npos)
      continue;
    const std::string_view rest = output.substr(at + failure.sign.size());
    const std::string_view word = rest.substr(0, rest.find_first_of(" \n,;"));
    std::string text(failure.explanation);
    if (const std::size_t hole = text.find('%'); hole != std::string::npos)
      text.replace(hole, 1, word);
    return text;
  }
  return std::nullopt;
}

} // namespace streammap
