#include "StartRanks.h"
#include "build/RunTool.h"
#include "build/Tools.h"
#include "launch/ExplainLauncher.h"
#include "launch/Slurm.h"
#include "model/ClusterJson.h"
#include "model/Hostlist.h"
#include "model/PlacementJson.h"
#include "support/Digest.h"
#include "support/Files.h"
#include "support/Text.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace fs = std::filesystem;

namespace streammap {
namespace {

using Words = std::vector<std::string>;

void append(Words &words, const Words &more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::string nameOf(MpiKind kind) {
  return kind == MpiKind::openMpi ? "Open MPI" : "MPICH";
}

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Expected<Launcher> findMpirun(const std::string &name, const std::string &program) {
  Launcher launcher;
  launcher.path = findOnPath(name);
  if (launcher.path.empty())
    return failure("cannot find " + name + " on PATH (apt-get install openmpi-bin)");
  const Expected<ToolRun> version = runTool({launcher.path, "--version"});
  if (!version)
    return std::unexpected(version.error());
  const bool openMpi = version->output.find("Open MPI") != std::string::npos ||
                       version->output.find("OpenRTE") != std::string::npos;
  launcher.mpi = openMpi ? MpiKind::openMpi : MpiKind::mpich;
  const MpiKind needed = mpiOf(program);
  if (needed != MpiKind::unknown && needed != launcher.mpi)
    return failure(launcher.path + " is " + nameOf(launcher.mpi) + "'s and " + program + " is built with " +
                   nameOf(needed) + ": every rank would be alone in a world of one; use " +
                   (needed == MpiKind::openMpi ? "mpirun of Open MPI" : "mpiexec.hydra of MPICH"));
  return launcher;
}

Expected<Launcher> findSrun(const std::string &program, const std::string &slurmMpi) {
  Launcher launcher;
  launcher.kind = Launcher::Kind::srun;
  launcher.path = findOnPath("srun");
  if (launcher.path.empty())
    return failure("cannot find srun on PATH (apt-get install slurm-client, and a Slurm cluster)");
  // Slurm's programs try for a minute to read a configuration that is not there.
  if (const std::string file = variable("SLURM_CONF"); !file.empty() && !fs::exists(file))
    return failure("SLURM_CONF names " + file + ", and there is no such file");
  launcher.slurmMpi = !slurmMpi.empty() ? slurmMpi : mpiOf(program) == MpiKind::mpich ? "pmi2" : "pmix";
  const Expected<ToolRun> list = runTool({launcher.path, "--mpi=list"});
  if (!list)
    return std::unexpected(list.error());
  if (list->exitCode == 0 && list->output.find(launcher.slurmMpi) == std::string::npos)
    return failure("this Slurm has no MPI plugin '" + launcher.slurmMpi + "', which " + program +
                   " needs; 'srun --mpi=list' names those it has");
  return launcher;
}

/// One application context per rank: only they say exactly which rank is where.
Words openMpiCommand(const Launcher &launcher, const StartRequest &request) {
  // Quiet: supervisors report failures. Unbound: a rank's devices and threads want all of its node's cores.
  Words command{launcher.path, "-q", "--bind-to", "none"};
  if (geteuid() == 0)
    command.push_back("--allow-run-as-root");
  if (request.where == Where::here) {
    for (const auto &[name, value] : request.environment)
      append(command, {"-x", name});
    append(command, {"--oversubscribe", "-n", std::to_string(request.plan.ranks.size())});
    append(command, request.rank);
    return command;
  }
  for (std::size_t i = 0; i < request.plan.ranks.size(); ++i) {
    append(command, i ? Words{":", "-n", "1"} : Words{"-n", "1"});
    append(command, {"--host", request.plan.ranks[i].node});
    Environment environment = rankEnvironment(request.plan, i);
    environment.insert(request.environment.begin(), request.environment.end());
    for (const auto &[name, value] : environment)
      append(command, {"-x", name + "=" + value});
    append(command, request.rank);
  }
  return command;
}

Words mpichCommand(const Launcher &launcher, const StartRequest &request) {
  Words command{launcher.path};
  if (request.where == Where::onNodes) {
    std::string hosts;
    for (const Rank &rank : request.plan.ranks)
      hosts += (hosts.empty() ? "" : ",") + rank.node;
    append(command, {"-hosts", hosts});
  }
  append(command, {"-n", std::to_string(request.plan.ranks.size())});
  append(command, request.rank);
  return command;
}

Expected<std::string> writeHostfile(const LaunchPlan &plan) {
  std::string name = (fs::temp_directory_path() / "streammap-hosts-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0)
    return failure("cannot make a temporary file in " + fs::temp_directory_path().string());
  close(file);
  if (const Expected<void> written = writeFileWhole(name, slurmHostfile(plan)); !written)
    return std::unexpected(written.error());
  return name;
}

/// Outside an allocation srun asks for one. Inside it uses what is there: --exclusive would mean another
/// thing.
Expected<StartCommand> srunCommand(const Launcher &launcher, const StartRequest &request) {
  StartCommand start;
  start.words = {launcher.path};
  const bool allocated = !variable("SLURM_JOB_ID").empty();
  const bool heterogeneous = std::atoi(variable("SLURM_HET_SIZE").c_str()) > 1;
  const std::vector<SlurmComponent> components = slurmComponents(request.plan);
  if (components.size() == 1 || (allocated && !heterogeneous)) {
    append(start.words, srunOptions(launcher.slurmMpi));
    append(start.words, allocated ? Words{"--ntasks=" + std::to_string(request.plan.ranks.size())}
                                  : slurmRequest(components.front()));
    start.words.push_back("--distribution=arbitrary");
    append(start.words, request.rank);
    const Expected<std::string> hostfile = writeHostfile(request.plan);
    if (!hostfile)
      return std::unexpected(hostfile.error());
    start.temporaryFile = start.environment["SLURM_HOSTFILE"] = *hostfile;
    return start;
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (i > 0)
      start.words.push_back(":");
    append(start.words, srunOptions(launcher.slurmMpi));
    append(start.words, allocated ? Words{"--het-group=" + std::to_string(i),
                                          "--ntasks=" + std::to_string(components[i].ranks)}
                                  : slurmRequest(components[i]));
    append(start.words, request.rank);
  }
  return start;
}

} // namespace

MpiKind mpiOf(const std::string &program) {
  const Expected<ToolRun> ran = runTool({"ldd", program});
  if (!ran || ran->exitCode != 0)
    return MpiKind::unknown;
  // The names are those of the libraries' ABIs: Open MPI since 3.0, the MPICH ABI initiative.
  if (ran->output.find("libmpi.so.40") != std::string::npos ||
      ran->output.find("libmpi.so.80") != std::string::npos)
    return MpiKind::openMpi;
  const bool mpich = ran->output.find("libmpich.so") != std::string::npos ||
                     ran->output.find("libmpi.so.12") != std::string::npos;
  return mpich ? MpiKind::mpich : MpiKind::unknown;
}

Expected<Launcher> findLauncher(const std::string &name, const std::string &program,
                                const std::string &slurmMpi) {
  return name == "srun" ? findSrun(program, slurmMpi) : findMpirun(name, program);
}

LaunchPlan launchPlanOf(const engine::Plan &plan, const std::string &placementText,
                        const std::string &placementFile, const std::string &clusterFile) {
  std::vector<NodeUse> uses;
  for (std::size_t rank = 0; rank < plan.nodes.size(); ++rank) {
    uses.push_back({plan.nodes[rank], {}});
    for (const engine::PlannedTask &task : plan.tasks)
      if (task.device >= 0 && task.rank == static_cast<int>(rank))
        uses.back().gpus.push_back(static_cast<unsigned>(task.device));
    std::ranges::sort(uses.back().gpus);
    const auto repeated = std::ranges::unique(uses.back().gpus);
    uses.back().gpus.erase(repeated.begin(), repeated.end());
  }
  Diagnostics ignored; // a cluster file that is missing or has changed costs the better order, nothing else
  const auto inputs = readPlacementInputs(placementText, placementFile, ignored);
  if (!inputs)
    return planRanks(uses, nullptr, RanksPer::node);
  const fs::path beside = fs::path(placementFile).parent_path() / fs::path(inputs->clusterFile).filename();
  for (const std::string &path : {clusterFile, inputs->clusterFile, beside.string()}) {
    const Expected<std::string> text = path.empty() ? failure("") : readFile(path);
    if (!text || digest(*text) != inputs->clusterDigest)
      continue;
    if (const std::optional<Cluster> cluster = readCluster(*text, path, ignored))
      return planRanks(uses, &*cluster, RanksPer::node);
  }
  return planRanks(uses, nullptr, RanksPer::node);
}

Expected<void> requireUsableNodes(const std::vector<std::string> &nodes) {
  const Expected<ToolRun> ran =
      runTool({"sinfo", "--noheader", "--Node", "--format=%N|%T|%E", "--nodes=" + compressHostlist(nodes)});
  if (!ran)
    return std::unexpected(ran.error());
  if (ran->exitCode != 0)
    return failure("sinfo failed: " + std::string(trim(ran->output)) +
                   explainLauncherOutput(ran->output)
                       .transform([](const std::string &why) { return "\n  " + why; })
                       .value_or(""));
  std::string list;
  for (const UnusableNode &node : unusableNodes(ran->output))
    list += (list.empty() ? "" : "; ") + node.node + " is " + node.state +
            (node.reason == "none" ? "" : " (" + node.reason + ")");
  if (!list.empty())
    return failure(list +
                   ". The job would wait for it; 'streammap discover --state' refreshes the cluster file, "
                   "'streammap map' then places around it");
  return {};
}

Expected<StartCommand> startCommand(const Launcher &launcher, const StartRequest &request) {
  Expected<StartCommand> start = StartCommand{};
  if (launcher.kind == Launcher::Kind::srun)
    start = srunCommand(launcher, request);
  else if (launcher.mpi == MpiKind::openMpi)
    start->words = openMpiCommand(launcher, request);
  else
    start->words = mpichCommand(launcher, request);
  if (start)
    start->environment.insert(request.environment.begin(), request.environment.end());
  return start;
}

bool insideAllocationOf(const engine::Plan &plan) {
  const std::string list = variable("SLURM_JOB_NODELIST");
  const Expected<std::vector<std::string>> allocated = expandHostlist(list);
  return !list.empty() && allocated && std::ranges::all_of(plan.nodes, [&](const std::string &node) {
    return std::ranges::find(*allocated, node) != allocated->end();
  });
}

} // namespace streammap
