#pragma once
// A launch plan in the words of each launcher:
//
//   for (const LaunchFile &file : findLaunchTarget("slurm")->write(plan, options))
//     writeFileWhole(folder + "/" + file.name, file.text);
//
// The files need nothing of ours at run time: they start the program itself.
#include "launch/LaunchPlan.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

struct LaunchOptions {
  std::vector<std::string> program;             ///< with its arguments
  std::string placement = "app.placement.json"; ///< as ranks find it
  std::string jobName = "app";
  std::string slurmMpi = "pmix";               ///< `srun --mpi`: pmix for Open MPI, pmi2 for MPICH
  std::vector<std::string> slurmOptions{};     ///< further options of sbatch: "--partition=gpu"
  std::string image{};                         ///< of the containers; Kubernetes only
  std::string workingDirectory = "/workspace"; ///< in the containers: holds program and placement
};

struct LaunchFile {
  std::string name;
  std::string text;
  bool operator==(const LaunchFile &) const = default;
};

struct LaunchTarget {
  std::string_view name;
  std::string_view description; ///< one line
  std::string_view command;     ///< how a person starts the job, in the folder of the files
  std::vector<LaunchFile> (*write)(const LaunchPlan &plan, const LaunchOptions &options);
};

/// openmpi, mpich, slurm, kubernetes.
std::span<const LaunchTarget> launchTargets();
const LaunchTarget *findLaunchTarget(std::string_view name);

std::vector<LaunchFile> openMpiFiles(const LaunchPlan &plan, const LaunchOptions &options);
std::vector<LaunchFile> mpichFiles(const LaunchPlan &plan, const LaunchOptions &options);
std::vector<LaunchFile> slurmFiles(const LaunchPlan &plan, const LaunchOptions &options);
std::vector<LaunchFile> kubernetesFiles(const LaunchPlan &plan, const LaunchOptions &options);

/// The ranks of an `mpirun` command of Open MPI for a shell, one a line, in their order:
///
///   -n 1 --host n001 -x NAME=value ./app 8 : ...
///   -n 1 --host n002 -x NAME=value ./app 8
///
/// `hosts` by rank; `common` is added to what each rank is told.
std::string openMpiRanks(const LaunchPlan &plan, const std::vector<std::string> &hosts,
                         const Environment &common, const std::vector<std::string> &program);

} // namespace streammap
