// streammap watch: does a placement still hold on the cluster as it is now, and would another be better?
//
//   $ streammap watch app.placement.json --from slurm --interval 30
//   n003: up -> drained (ECC: row remap pending)
//   the placement no longer holds: 12 of 120 tasks are on n003, which is drained; first: gemm[2,1,0] on
//   n003:gpu2 a new placement takes 1.32 s instead of 1.21 s: streammap map app.tasks.json --cluster ...
#include "Commands.h"
#include "GatherSources.h"
#include "discover/State.h"
#include "mapper/MapTasks.h"
#include "model/ClusterJson.h"
#include "model/PlacementJson.h"
#include "model/TaskGraphJson.h"
#include "support/Files.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <thread>

namespace streammap {
namespace {

struct WatchOptions {
  SourceOptions sources;
  std::string placement, tasks, cluster, output;
  double interval = 30;
  unsigned rounds = 0; ///< 0: without end
  bool once = false, running = false;
  double gain = 5;
  std::string diagnostics = "text";
};

struct Watched {
  TaskGraph graph;
  Cluster cluster;
  Placement placement;
  std::string tasksFile, clusterFile;
};

/// The file as named, or beside the placement.
std::string findFile(const std::string &given, const std::string &named, const std::string &placement) {
  if (!given.empty())
    return given;
  std::error_code ignored;
  if (std::filesystem::exists(named, ignored))
    return named;
  return (std::filesystem::path(placement).parent_path() / std::filesystem::path(named).filename()).string();
}

/// Unlike `report` and `run`, the cluster's text may have changed since: that its state did is what is
/// watched.
Expected<std::optional<Watched>> load(const WatchOptions &options, Diagnostics &diagnostics) {
  const Expected<std::string> text = readFile(options.placement);
  if (!text)
    return std::unexpected(text.error());
  const std::optional<PlacementInputs> inputs = readPlacementInputs(*text, options.placement, diagnostics);
  if (!inputs)
    return std::nullopt;
  Watched watched;
  watched.tasksFile = findFile(options.tasks, inputs->tasksFile, options.placement);
  watched.clusterFile = findFile(options.cluster, inputs->clusterFile, options.placement);
  const Expected<std::string> tasks = readFile(watched.tasksFile), cluster = readFile(watched.clusterFile);
  if (!tasks)
    return std::unexpected(tasks.error());
  if (!cluster)
    return std::unexpected(cluster.error());
  std::optional<TaskGraph> graph = readTaskGraph(*tasks, watched.tasksFile, diagnostics);
  std::optional<Cluster> machine = readCluster(*cluster, watched.clusterFile, diagnostics);
  if (!graph || !machine)
    return std::nullopt;
  watched.graph = std::move(*graph);
  watched.cluster = std::move(*machine);
  std::optional<Placement> placement =
      readPlacement(*text, options.placement, watched.graph, watched.cluster, diagnostics);
  if (!placement)
    return std::nullopt;
  watched.placement = std::move(*placement);
  return watched;
}

/// Devices with tasks that may not be used now, and the first task of each.
std::map<DeviceId, std::size_t> lostDevices(const Watched &watched, bool busyIsOurs) {
  std::map<DeviceId, std::size_t> lost;
  for (std::size_t i = 0; i < watched.placement.assignments.size(); ++i) {
    const DeviceId device = watched.placement.assignments[i].device;
    const State state = watched.cluster.devices[device].state;
    if (state != State::up && !(busyIsOurs && state == State::busy))
      lost.try_emplace(device, i);
  }
  return lost;
}

std::size_t tasksOn(const Placement &placement, const std::map<DeviceId, std::size_t> &devices) {
  return static_cast<std::size_t>(
      std::ranges::count_if(placement.assignments, [&](const Assignment &assignment) {
        return devices.contains(assignment.device);
      }));
}

void printLost(const Watched &watched, const std::map<DeviceId, std::size_t> &lost) {
  std::printf("the placement no longer holds: %zu of %zu tasks are on devices that may not be used\n",
              tasksOn(watched.placement, lost), watched.placement.assignments.size());
  for (const auto &[id, first] : lost) {
    const Device &device = watched.cluster.devices[id];
    const Task &task = watched.graph.tasks[watched.placement.assignments[first].task];
    std::printf("  %s is %s%s%s%s; first task: %s\n", deviceName(watched.cluster, id).c_str(),
                std::string(toText(device.state)).c_str(), device.reason.empty() ? "" : " (",
                device.reason.c_str(), device.reason.empty() ? "" : ")", task.name.c_str());
  }
}

/// What mapping again on the present state would give.
class Remap {
public:
  Remap(const Watched &watched, bool busyIsOurs) {
    Cluster cluster = watched.cluster;
    if (busyIsOurs) // the devices this very placement keeps busy are its own to use again
      for (const Assignment &assignment : watched.placement.assignments)
        if (Device &device = cluster.devices[assignment.device]; device.state == State::busy) {
          device.state = State::up;
          Node &node = cluster.nodes[device.node];
          node.state = node.state == State::busy ? State::up : node.state;
        }
    const Expected<Problem> problem = makeProblem(watched.graph, cluster);
    const Expected<Placement> placement =
        problem ? mapTasks(*problem, {}) : Expected<Placement>(std::unexpected(problem.error()));
    if (placement)
      makespan = placement->predicted.makespan;
    else
      why = placement.error().message;
  }
  std::optional<Seconds> makespan;
  std::string why;
};

/// 0: holds; 3: holds no more.
ExitCode judge(const WatchOptions &options, const Watched &watched, bool changed) {
  const std::map<DeviceId, std::size_t> lost = lostDevices(watched, options.running);
  if (!lost.empty())
    printLost(watched, lost);
  if (lost.empty() && !changed)
    return ExitCode::done;
  const Remap remap(watched, options.running);
  const Seconds now = watched.placement.predicted.makespan;
  const std::string command = "streammap map " + watched.tasksFile + " --cluster " +
                              (options.output.empty() ? watched.clusterFile : options.output) + " -o " +
                              options.placement;
  if (!lost.empty() && !remap.makespan)
    std::printf("no other placement is possible now: %s\n", remap.why.c_str());
  else if (!lost.empty())
    std::printf("a new placement takes %s instead of %s: %s\n", toText(*remap.makespan).c_str(),
                toText(now).c_str(), command.c_str());
  else if (remap.makespan && *remap.makespan * (1 + options.gain / 100) < now)
    std::printf("the placement holds; a new one would take %s instead of %s: %s\n",
                toText(*remap.makespan).c_str(), toText(now).c_str(), command.c_str());
  else
    std::printf("the placement holds\n");
  return lost.empty() ? ExitCode::done : ExitCode::noPlacement;
}

/// One look at the sources.
ExitCode lookOnce(const WatchOptions &options, Watched &watched, bool isFirst) {
  Diagnostics diagnostics;
  const Expected<std::vector<Findings>> sources = gatherSources(options.sources, diagnostics);
  StateRefresh refresh;
  if (sources && !diagnostics.hasErrors())
    refresh = refreshState(watched.cluster, *sources, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!sources)
    return environmentFailure(sources.error().message);
  if (diagnostics.hasErrors())
    return ExitCode::inputErrors;
  for (const StateChange &change : refresh.changes)
    std::printf("%s\n", toText(change).c_str());
  if (!options.output.empty())
    if (const Expected<void> written = writeFileWhole(options.output, writeCluster(watched.cluster));
        !written)
      return environmentFailure(written.error().message);
  const ExitCode code = judge(options, watched, isFirst || !refresh.changes.empty());
  std::fflush(stdout);
  return code;
}

ExitCode watchCommand(const WatchOptions &options) {
  Diagnostics diagnostics;
  Expected<std::optional<Watched>> watched = load(options, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!watched)
    return environmentFailure(watched.error().message);
  if (!*watched)
    return ExitCode::inputErrors;
  // A source that fails once may be back at the next look; only a placement that is lost ends the watch.
  for (unsigned round = 0;; ++round) {
    const ExitCode code = lookOnce(options, **watched, round == 0);
    if (options.once || code == ExitCode::noPlacement || code == ExitCode::inputErrors ||
        (options.rounds != 0 && round + 1 == options.rounds))
      return code;
    std::this_thread::sleep_for(std::chrono::duration<double>(options.interval));
  }
}

} // namespace

void addWatchCommand(CLI::App &app, ExitCode &exitCode) {
  CLI::App *command = app.add_subcommand(
      "watch", "Say when a placement no longer holds, and whether mapping again would help");
  auto options = std::make_shared<WatchOptions>();
  command->add_option("placement", options->placement, "placement file")->required();
  addSourceOptions(*command, options->sources);
  command->add_option("--tasks", options->tasks, "task graph; default: the one the placement names");
  command->add_option("--cluster", options->cluster, "cluster file; default: the one the placement names");
  command->add_option("--interval", options->interval, "seconds between two looks")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command->add_flag("--once", options->once, "look once and stop");
  command->add_option("--rounds", options->rounds, "stop after so many looks; 0: never")
      ->capture_default_str();
  command->add_flag("--running", options->running, "the program runs: devices it is placed on may be busy");
  command->add_option("--gain", options->gain, "per cent a new placement must save to be worth a word")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "keep a cluster file with the present states here");
  command->add_option("--diagnostics", options->diagnostics, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->footer("Exit code 0: the placement holds. 3: it no longer does, what changed is on standard "
                  "output. Others as usual.\n"
                  "Example: streammap watch app.placement.json --from slurm --interval 30");
  command->callback([options, &exitCode] { exitCode = watchCommand(*options); });
}

} // namespace streammap
