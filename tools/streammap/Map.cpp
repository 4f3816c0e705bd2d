// streammap map: which node and GPU runs each task, predicted when, and how good that is.
#include "Commands.h"
#include "mapper/MapTasks.h"
#include "model/ClusterJson.h"
#include "model/PlacementJson.h"
#include "model/TaskGraphJson.h"
#include "support/Digest.h"
#include "support/Files.h"
#include <CLI/CLI.hpp>
#include <cstdio>

namespace streammap {
namespace {

struct MapCommandOptions {
  std::string tasks;
  std::string cluster;
  std::string output = "-";
  MapOptions map;
  bool listStrategies = false;
  bool quiet = false;
  std::string diagnostics = "text";
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
  std::fprintf(stderr, "%s on %s by %s: makespan %s, lower bound %s (%s), gap %.1f %%\n",
               count(graph.tasks.size(), "task").c_str(), count(placement.devices.size(), "device").c_str(),
               placement.solver.strategy.c_str(), toText(predicted.makespan).c_str(),
               toText(predicted.lowerBound).c_str(), predicted.boundBy.c_str(), 100 * predicted.gap);
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

ExitCode mapCommand(const MapCommandOptions &options) {
  const Expected<std::string> tasksText = readFile(options.tasks);
  if (!tasksText)
    return environmentFailure(tasksText.error().message);
  const Expected<std::string> clusterText = readFile(options.cluster);
  if (!clusterText)
    return environmentFailure(clusterText.error().message);

  Diagnostics diagnostics;
  const std::optional<TaskGraph> graph = readTaskGraph(*tasksText, options.tasks, diagnostics);
  const std::optional<Cluster> cluster = readCluster(*clusterText, options.cluster, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!graph || !cluster)
    return ExitCode::inputErrors;

  const Expected<Problem> problem = makeProblem(*graph, *cluster);
  Expected<Placement> placement =
      problem ? mapTasks(*problem, options.map) : Expected<Placement>(std::unexpected(problem.error()));
  if (!placement) {
    std::fprintf(stderr, "streammap: no placement: %s\n", placement.error().message.c_str());
    return ExitCode::noPlacement;
  }
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
  return ExitCode::done;
}

} // namespace

void addMapCommand(CLI::App &app, ExitCode &exitCode) {
  CLI::App *command = app.add_subcommand("map", "Decide which node and GPU runs each task");
  auto options = std::make_shared<MapCommandOptions>();
  std::vector<std::string> names;
  for (const Strategy &strategy : strategies())
    names.emplace_back(strategy.name);
  CLI::Option *tasks = command->add_option("tasks", options->tasks, "task graph; - is standard input");
  CLI::Option *cluster = command->add_option("--cluster", options->cluster, "cluster file");
  command->add_option("-o,--output", options->output, "placement to write; - is standard output")
      ->capture_default_str();
  command->add_option("--strategy", options->map.strategy, "how to search; see --list-strategies")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_option("--seed", options->map.seed, "seed of strategies that draw numbers")
      ->capture_default_str();
  command->add_flag("--list-strategies", options->listStrategies, "print the strategies and stop");
  command->add_flag("-q,--quiet", options->quiet, "no summary on standard error");
  command->add_option("--diagnostics", options->diagnostics, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->footer("Example: streammap map app.tasks.json --cluster cluster.json -o app.placement.json");
  command->callback([options, tasks, cluster, &exitCode] {
    if (options->listStrategies)
      return printStrategies();
    if (tasks->count() == 0)
      throw CLI::RequiredError("tasks");
    if (cluster->count() == 0)
      throw CLI::RequiredError("--cluster");
    exitCode = mapCommand(*options);
  });
}

} // namespace streammap
