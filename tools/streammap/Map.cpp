// streammap map: which node and GPU runs each task, predicted when, and how good that is.
#include "Commands.h"
#include "MapProgress.h"
#include "MapSeveral.h"
#include "discover/CheckCluster.h"
#include "mapper/Conflicts.h"
#include "mapper/MapTasks.h"
#include "mapper/Sensitivity.h"
#include "model/ClusterJson.h"
#include "model/PlacementJson.h"
#include "model/TaskGraphJson.h"
#include "report/MeasuredTrace.h"
#include "sim/Profile.h"
#include "support/Digest.h"
#include "support/Files.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

namespace streammap {
namespace {

struct MapCommandOptions {
  std::string tasks;
  std::string cluster;
  std::string output = "-";
  MapOptions map;
  double timeLimit = 0; ///< seconds; 0: none
  bool listStrategies = false;
  bool quiet = false;
  bool sensitivity = false;
  std::string diagnostics = "text";
  std::string profile;
  std::string profileModel;
};

void printStrategies() {
  for (const Strategy &strategy : strategies())
    std::printf("%-12s %s\n", std::string(strategy.name).c_str(), std::string(strategy.description).c_str());
}

std::string count(std::size_t number, const char *noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/// The answer in a few lines on standard error; standard output may be the placement itself.
void printSummary(const TaskGraph &graph, const Cluster &cluster, const Placement &placement) {
  const Prediction &predicted = placement.predicted;
  char gap[48];
  std::snprintf(gap, sizeof gap, predicted.optimal ? "optimal" : "gap %.1f %%", 100 * predicted.gap);
  std::fprintf(stderr, "%s on %s by %s: makespan %s, lower bound %s (%s), %s\n",
               count(graph.tasks.size(), "task").c_str(), count(placement.devices.size(), "device").c_str(),
               placement.solver.strategy.c_str(), toText(predicted.makespan).c_str(),
               toText(predicted.lowerBound).c_str(), predicted.boundBy.c_str(), gap);
  std::size_t defaults = 0;
  for (const Assignment &assignment : placement.assignments)
    defaults += assignment.origin == Origin::defaulted || assignment.origin == Origin::unknown;
  if (defaults != 0)
    std::fprintf(stderr,
                 "note: %s on a default time; 'streammap report' names them and the clause that helps\n",
                 (count(defaults, "task") + (defaults == 1 ? " rests" : " rest")).c_str());
  for (const std::string &free : cluster.takenAsFree)
    std::fprintf(stderr, "note: %s\n", free.c_str());
}

/// The model that the profile was measured on: the one named, or the only one of the cluster's GPUs.
Expected<const GpuModel *> profiledModel(const Cluster &cluster, const std::string &named) {
  std::vector<std::string> names;
  const GpuModel *only = nullptr;
  for (const GpuModel &model : cluster.models) {
    if (!named.empty() && isModel(model, named))
      return &model;
    if (!model.isCpu()) {
      names.push_back(model.name);
      only = &model;
    }
  }
  if (named.empty() && names.size() == 1)
    return only;
  return failure((named.empty()
                      ? "say with --profile-model which of the cluster's models the profile was measured on"
                      : "--profile-model: the cluster has no '" + named + "'") +
                 std::string(": ") + join(std::span<const std::string>(names), ", "));
}

void printProfile(const Profiled &profiled, const GpuModel &model) {
  for (const ProfiledKind &kind : profiled.kinds)
    if (kind.factor > 0)
      std::fprintf(stderr, "profile: %s of '%s' take %.3g times their estimate on %s (median of %zu)\n",
                   count(kind.tasks, "task").c_str(), kind.name.c_str(), kind.factor, model.name.c_str(),
                   kind.measured);
    else
      std::fprintf(stderr, "profile: %s of '%s' had no estimate and get the median of %zu times\n",
                   count(kind.tasks, "task").c_str(), kind.name.c_str(), kind.measured);
  if (!profiled.unmatched.empty())
    std::fprintf(stderr, "note: the profile has times of %s that the graph does not have, such as '%s'\n",
                 count(profiled.unmatched.size(), "task").c_str(), profiled.unmatched.front().c_str());
}

/// The graph with the times of the trace at `options.profile`; nothing, with the exit code set, where that
/// cannot be.
std::optional<TaskGraph> profiledGraph(const TaskGraph &graph, const Cluster &cluster,
                                       const MapCommandOptions &options, ExitCode &exitCode) {
  const Expected<std::string> text = readFile(options.profile);
  if (!text) {
    exitCode = environmentFailure(text.error().message);
    return std::nullopt;
  }
  Diagnostics diagnostics;
  const std::optional<MeasuredRun> run = readMeasuredTrace(*text, options.profile, diagnostics);
  const Expected<const GpuModel *> model = profiledModel(cluster, options.profileModel);
  if (!model)
    diagnostics.error({options.cluster, 0, 0, ""}, model.error().message, "unknown-profile-model");
  printDiagnostics(diagnostics, options.diagnostics);
  if (diagnostics.hasErrors()) {
    exitCode = ExitCode::inputErrors;
    return std::nullopt;
  }
  std::vector<MeasuredTime> times;
  for (const auto &[name, time] : run->times)
    times.push_back({name, time});
  Profiled profiled = withProfile(graph, cluster, times, **model);
  if (!options.quiet)
    printProfile(profiled, **model);
  return std::move(profiled.graph);
}

/// Says what contradicts what, which device comes nearest, and what would help.
ExitCode noPlacement(const TaskGraph &graph, const Cluster &cluster, const MapCommandOptions &options,
                     const std::string &message, Diagnostics diagnostics) {
  if (const std::optional<Conflict> conflict = findConflict(graph, cluster))
    diagnostics.report(
        toDiagnostic(*conflict, graph, cluster, options.tasks, options.cluster, "no placement: " + message));
  else
    diagnostics.error({options.tasks, 0, 0, ""}, "no placement: " + message, "no-placement");
  printDiagnostics(diagnostics, options.diagnostics);
  return ExitCode::noPlacement;
}

/// mapTasks, with a line of progress on a terminal; Ctrl-C keeps the best so far.
Expected<Placement> mapWithProgress(const Problem &problem, const MapCommandOptions &options) {
  const InterruptFlag interrupt;
  MapOptions map = options.map;
  if (options.timeLimit > 0)
    map.timeLimit = seconds(options.timeLimit);
  map.stop = interrupt.flag();
  std::optional<ProgressLine> line(std::in_place, options.quiet ? ProgressLine::Show::never
                                                                : ProgressLine::Show::onTerminal);
  map.progress = [&](const MapProgress &progress) { line->draw(progress); };
  Expected<Placement> placement = mapTasks(problem, map);
  line.reset(); // the terminal is ours again
  if (placement && interrupt.isSet())
    std::fprintf(stderr, "note: interrupted; this is the best placement found until then\n");
  return placement;
}

ExitCode mapCommand(const MapCommandOptions &options) {
  const Expected<std::string> tasksText = readFile(options.tasks);
  if (!tasksText)
    return environmentFailure(tasksText.error().message);
  const Expected<std::string> clusterText = readFile(options.cluster);
  if (!clusterText)
    return environmentFailure(clusterText.error().message);

  Diagnostics diagnostics;
  std::optional<TaskGraph> graph = readTaskGraph(*tasksText, options.tasks, diagnostics);
  const std::optional<Cluster> cluster = readCluster(*clusterText, options.cluster, diagnostics);
  if (cluster && !options.quiet)
    checkCluster(*cluster, options.cluster, diagnostics);
  if (!graph || !cluster) {
    printDiagnostics(diagnostics, options.diagnostics);
    return ExitCode::inputErrors;
  }
  if (!options.profile.empty()) {
    ExitCode exitCode = ExitCode::done;
    graph = profiledGraph(*graph, *cluster, options, exitCode);
    if (!graph)
      return exitCode;
  }

  const Expected<Problem> problem = makeProblem(*graph, *cluster);
  Expected<Placement> placement =
      problem ? mapWithProgress(*problem, options) : Expected<Placement>(std::unexpected(problem.error()));
  if (!placement)
    return noPlacement(*graph, *cluster, options, placement.error().message, std::move(diagnostics));
  printDiagnostics(diagnostics, options.diagnostics);
  if (options.sensitivity)
    placement->sensitivity = sensitivityOf(*problem, *placement, {.seed = options.map.seed});
  placement->tasksFile = options.tasks;
  placement->clusterFile = options.cluster;
  placement->tasksDigest = digest(*tasksText);
  placement->clusterDigest = digest(*clusterText);
  if (const Expected<void> written =
          writeFileWhole(options.output, writePlacement(*placement, *graph, *cluster));
      !written)
    return environmentFailure(written.error().message);
  if (!options.quiet)
    printSummary(*graph, *cluster, *placement);
  if (placement->sensitivity)
    std::fputs(toText(*placement->sensitivity, *placement).c_str(), stderr);
  return ExitCode::done;
}

/// More than one task graph: each gets the part of the cluster that is fair, or its turn by priority.
ExitCode severalCommand(const SeveralPrograms &several, const MapCommandOptions &options) {
  const std::size_t count = several.tasks.size();
  std::string wrong;
  if (several.outputs.size() != count)
    wrong = "give as many -o as task graphs";
  else if (!several.priorities.empty() && several.priorities.size() != count)
    wrong = "give as many --priorities as task graphs";
  else if (!several.weights.empty() && several.weights.size() != count)
    wrong = "give as many --weights as task graphs";
  else if (!options.profile.empty())
    wrong = "--profile is for one task graph";
  if (!wrong.empty()) {
    std::fprintf(stderr, "streammap: error: %s\n", wrong.c_str());
    return ExitCode::wrongUsage;
  }
  SeveralPrograms all = several;
  all.cluster = options.cluster;
  all.map = options.map;
  all.quiet = options.quiet;
  all.diagnostics = options.diagnostics;
  return mapSeveral(all);
}

void addSeveralOptions(CLI::App &command, SeveralPrograms &several) {
  command
      .add_option("--priorities", several.priorities,
                  "of several task graphs, separated by commas: higher ones choose first, equal ones share")
      ->delimiter(',');
  command
      .add_option("--weights", several.weights,
                  "of several task graphs, separated by commas: a graph of weight 2 gets twice the share")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
}

} // namespace

void addMapCommand(CLI::App &app, ExitCode &exitCode) {
  CLI::App *command = app.add_subcommand("map", "Decide which node and GPU runs each task");
  auto options = std::make_shared<MapCommandOptions>();
  std::vector<std::string> names;
  for (const Strategy &strategy : strategies())
    names.emplace_back(strategy.name);
  auto several = std::make_shared<SeveralPrograms>();
  CLI::Option *tasks = command->add_option(
      "tasks", several->tasks,
      "task graph; - is standard input. Several are placed side by side, none on another's devices");
  CLI::Option *cluster = command->add_option("--cluster", options->cluster, "cluster file");
  command
      ->add_option("-o,--output", several->outputs,
                   "placement to write (default -, standard output); once for each task graph")
      ->allow_extra_args(false);
  addSeveralOptions(*command, *several);
  command->add_option("--strategy", options->map.strategy, "how to search; see --list-strategies")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_option("--seed", options->map.seed, "seed of strategies that draw numbers")
      ->check(CLI::Range(0.0, 9007199254740992.0, "a whole number from 0 to 2^53"))
      ->capture_default_str();
  const std::map<std::string, Effort> efforts{
      {"fast", Effort::fast}, {"normal", Effort::normal}, {"thorough", Effort::thorough}};
  command->add_option("--effort", options->map.effort, "how long auto, search and exact go on")
      ->transform(CLI::CheckedTransformer(efforts))
      ->option_text("fast|normal|thorough [normal]");
  command
      ->add_option(
          "--time-limit", options->timeLimit,
          "seconds after which a search stops, whatever the effort: the one option under which results "
          "depend on the machine")
      ->check(CLI::PositiveNumber);
  command->add_option("--threads", options->map.threads, "that search; changes no result [all cores]");
  command->add_flag("--list-strategies", options->listStrategies, "print the strategies and stop");
  CLI::Option *profile =
      command->add_option("--profile", options->profile,
                          "trace of a run (streammap run --trace): its times correct the estimates");
  command
      ->add_option("--profile-model", options->profileModel,
                   "model the profile was measured on, or cpu; default: the cluster's only GPU model")
      ->needs(profile);
  command->add_flag("--sensitivity", options->sensitivity,
                    "say how wrong the estimates may be before another placement wins");
  command->add_flag("-q,--quiet", options->quiet, "no summary on standard error");
  command->add_option("--diagnostics", options->diagnostics, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->footer("Example: streammap map app.tasks.json --cluster cluster.json -o app.placement.json");
  command->callback([options, several, tasks, cluster, &exitCode] {
    if (options->listStrategies)
      return printStrategies();
    if (tasks->count() == 0)
      throw CLI::RequiredError("tasks");
    if (cluster->count() == 0)
      throw CLI::RequiredError("--cluster");
    if (several->tasks.size() > 1) {
      exitCode = severalCommand(*several, *options);
      return;
    }
    options->tasks = several->tasks.front();
    if (!several->outputs.empty())
      options->output = several->outputs.back();
    exitCode = mapCommand(*options);
  });
}

} // namespace streammap
