#pragma once
// How the ranks of a placement are started: by which launcher, with which command.
//
//   Expected<Launcher> launcher = findLauncher("srun", program, {});
//   const StartCommand start = startCommand(*launcher, request);
//   runChild(start.words, start.environment, 0);
//
// launch-files writes the same for people who start ranks by themselves (docs/launch.md).
#include "launch/LaunchPlan.h"
#include "streammap/Plan.h"
#include "support/Expected.h"

namespace streammap {

enum class MpiKind { openMpi, mpich, unknown };

/// Whose MPI library a program is linked with, as the dynamic linker sees it; unknown for scripts and
/// programs without MPI.
MpiKind mpiOf(const std::string &program);

struct Launcher {
  enum class Kind { mpirun, srun };
  Kind kind = Kind::mpirun;
  std::string path;
  MpiKind mpi = MpiKind::openMpi; ///< of mpirun
  std::string slurmMpi;           ///< of srun: pmix, pmi2
};

/// `name` is mpirun, mpiexec or srun. Fails where it is not on PATH, where it belongs to another MPI than
/// `program`, each rank of which would then be alone in its world, or where Slurm has no plugin for the
/// program's MPI. `slurmMpi`: as asked for; empty: what the program needs.
Expected<Launcher> findLauncher(const std::string &name, const std::string &program,
                                const std::string &slurmMpi);

/// The ranks of `plan`, in the order that crosses leaves least where the cluster file the placement names, or
/// `clusterFile`, is here and unchanged; else by node name.
LaunchPlan launchPlanOf(const engine::Plan &plan, const std::string &placementText,
                        const std::string &placementFile, const std::string &clusterFile);

enum class Where { here, onNodes };

struct StartRequest {
  LaunchPlan plan;
  std::vector<std::string> rank; ///< the command every rank runs
  Environment environment;       ///< that every rank gets
  Where where = Where::here;     ///< each rank on the host with its node's name, or all on this one
};

struct StartCommand {
  std::vector<std::string> words;
  Environment environment;
  std::string temporaryFile; ///< to remove when the command has ended; empty: none
};

Expected<StartCommand> startCommand(const Launcher &launcher, const StartRequest &request);

/// Fails where Slurm starts nothing on one of the nodes now: names it, its state and the administrator's
/// reason.
Expected<void> requireUsableNodes(const std::vector<std::string> &nodes);

/// Whether this process is in a Slurm allocation that has all nodes of the plan.
bool insideAllocationOf(const engine::Plan &plan);

} // namespace streammap
