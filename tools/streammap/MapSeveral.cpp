#include "MapSeveral.h"
#include "mapper/ShareCluster.h"
#include "model/ClusterJson.h"
#include "model/PlacementJson.h"
#include "model/TaskGraphJson.h"
#include "support/Digest.h"
#include "support/Files.h"
#include <algorithm>
#include <cstdio>
#include <map>

namespace streammap {
namespace {

struct ProgramToMap {
  std::string file, text;
  TaskGraph graph;
  std::optional<Placement> placement;
  ProgramShare share;
};

struct Inputs {
  std::vector<ProgramToMap> programs;
  std::string clusterText;
  Cluster cluster;
};

/// Nothing, with the reason printed and `exitCode` set, where one of the files cannot be used.
std::optional<Inputs> readInputs(const SeveralPrograms &options, ExitCode &exitCode) {
  Inputs inputs;
  Diagnostics diagnostics;
  for (const std::string &file : options.tasks) {
    Expected<std::string> text = readFile(file);
    if (!text) {
      exitCode = environmentFailure(text.error().message);
      return std::nullopt;
    }
    std::optional<TaskGraph> graph = readTaskGraph(*text, file, diagnostics);
    inputs.programs.push_back({file, std::move(*text), graph ? std::move(*graph) : TaskGraph(), {}, {}});
  }
  Expected<std::string> text = readFile(options.cluster);
  if (!text) {
    exitCode = environmentFailure(text.error().message);
    return std::nullopt;
  }
  std::optional<Cluster> cluster = readCluster(*text, options.cluster, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!cluster || diagnostics.hasErrors()) {
    exitCode = ExitCode::inputErrors;
    return std::nullopt;
  }
  inputs.clusterText = std::move(*text);
  inputs.cluster = std::move(*cluster);
  return inputs;
}

/// Programs of one priority, the highest first; each group by its place on the command line.
std::vector<std::vector<std::size_t>> byPriority(const SeveralPrograms &options) {
  std::map<double, std::vector<std::size_t>, std::greater<>> groups;
  for (std::size_t i = 0; i < options.tasks.size(); ++i)
    groups[options.priorities.empty() ? 0 : options.priorities[i]].push_back(i);
  std::vector<std::vector<std::size_t>> result;
  for (auto &[priority, group] : groups)
    result.push_back(std::move(group));
  return result;
}

/// The first number in the mapper's message counts within the group; people know files.
std::string named(std::string message, const std::vector<std::size_t> &group,
                  const SeveralPrograms &options) {
  for (std::size_t i = 0; i < group.size(); ++i)
    if (const std::string number = "program " + std::to_string(i + 1);
        message.starts_with(number + ":") || message.starts_with(number + " has"))
      return options.tasks[group[i]] + message.substr(number.size());
  return message;
}

/// Maps the programs of a group on what is left of the cluster, and takes away the devices they use.
Expected<void> mapGroup(const std::vector<std::size_t> &group, const SeveralPrograms &options, Cluster &left,
                        std::vector<ProgramToMap> &programs) {
  std::vector<const TaskGraph *> graphs;
  std::vector<double> weights;
  for (std::size_t i : group) {
    graphs.push_back(&programs[i].graph);
    weights.push_back(options.weights.empty() ? 1 : options.weights[i]);
  }
  const Expected<ClusterShares> shares = shareCluster(left, graphs, weights);
  if (!shares)
    return failure(named(shares.error().message, group, options));
  std::vector<DeviceId> used;
  for (std::size_t k = 0; k < group.size(); ++k) {
    ProgramToMap &program = programs[group[k]];
    program.share = shares->programs[k];
    const Cluster own = onlyDevices(left, program.share.devices);
    const Expected<Problem> problem = makeProblem(program.graph, own);
    Expected<Placement> placement =
        problem ? mapTasks(*problem, options.map) : Expected<Placement>(std::unexpected(problem.error()));
    if (!placement)
      return failure(program.file + ", on its " + std::to_string(program.share.devices.size()) +
                     " devices: " + placement.error().message);
    for (const DeviceUse &device : placement->devices)
      used.push_back(device.device);
    program.placement = std::move(*placement);
  }
  left = withoutDevices(left, used);
  return {};
}

void printProgram(const ProgramToMap &program) {
  const Placement &placement = *program.placement;
  std::fprintf(stderr, "%s: %zu devices, %.0f %% of %s; uses %zu; makespan %s, lower bound %s (%s)\n",
               program.file.c_str(), program.share.devices.size(), 100 * program.share.dominantShare,
               program.share.dominantModel.c_str(), placement.devices.size(),
               toText(placement.predicted.makespan).c_str(), toText(placement.predicted.lowerBound).c_str(),
               placement.predicted.boundBy.c_str());
}

} // namespace

ExitCode mapSeveral(const SeveralPrograms &options) {
  ExitCode exitCode = ExitCode::done;
  std::optional<Inputs> inputs = readInputs(options, exitCode);
  if (!inputs)
    return exitCode;
  Cluster left = inputs->cluster;
  for (const std::vector<std::size_t> &group : byPriority(options))
    if (const Expected<void> mapped = mapGroup(group, options, left, inputs->programs); !mapped) {
      std::fprintf(stderr, "streammap: no placement: %s\n", mapped.error().message.c_str());
      return ExitCode::noPlacement;
    }
  // From here on every program has a placement, so either all files are written or none was needed.
  for (std::size_t i = 0; i < inputs->programs.size(); ++i) {
    ProgramToMap &program = inputs->programs[i];
    program.placement->tasksFile = program.file;
    program.placement->clusterFile = options.cluster;
    program.placement->tasksDigest = digest(program.text);
    program.placement->clusterDigest = digest(inputs->clusterText);
    if (const Expected<void> written = writeFileWhole(
            options.outputs[i], writePlacement(*program.placement, program.graph, inputs->cluster));
        !written)
      return environmentFailure(written.error().message);
    if (!options.quiet)
      printProgram(program);
  }
  return ExitCode::done;
}

} // namespace streammap
