// Recorded workflows against a published scheduler library, and the mapper's strategies against each other on
// graphs whose communication is dear.
//
//   ninja -C build bench-mapper-workflows && build/bin/bench-mapper-workflows [--strategies
//   heft,partition,auto]
//
// The workflows are WfInstances' (github.com/wfcommons/WfInstances) on 16 processors of speeds 1, 1, 2, 4
// repeating, files at 100 MB/s between processors. SAGA 2.1.0 (github.com/ANRGUSC/saga) pays for all files of
// two tasks together each time; here a file goes to a processor once.
#include "mapper/MapTasks.h"
#include "support/ForeignGraphs.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>

using namespace streammap;
using namespace streammap::test;

namespace {

double makespanOf(const ProcessorGraph &graph, const std::string &strategy, double limit) {
  const Expected<Problem> problem = makeProblem(graph.graph, graph.cluster);
  const Expected<Placement> placement =
      problem ? mapTasks(*problem, {.strategy = strategy, .timeLimit = seconds(limit), .threads = 1})
              : Expected<Placement>(std::unexpected(problem.error()));
  if (!placement) {
    std::fprintf(stderr, "%s\n", placement.error().message.c_str());
    std::exit(1);
  }
  return placement->predicted.makespan.value();
}

/// The same graph on processors of speeds 1, 1, 2, 4, 1, 1, 2, 4, ...
ProcessorGraph withSpeeds(ProcessorGraph graph) {
  GpuModel processor = graph.cluster.models[GpuModelId(0)];
  std::map<unsigned, GpuModelId> models;
  std::map<unsigned, NodeTypeId> types;
  for (unsigned speed : {1u, 2u, 4u}) {
    processor.name = "speed" + std::to_string(speed);
    models[speed] = graph.cluster.models.push(processor);
    NodeType type = graph.cluster.nodeTypes[NodeTypeId(0)];
    type.name = processor.name;
    type.gpus = {models[speed]};
    types[speed] = graph.cluster.nodeTypes.push(type);
  }
  for (NodeId node : graph.cluster.nodes.ids()) {
    const unsigned speed = std::array{1u, 1u, 2u, 4u}[node.index() % 4];
    graph.cluster.nodes[node].type = types[speed];
    graph.cluster.devices[DeviceId(node.index())].model = models[speed];
  }
  for (Task &task : graph.graph.tasks) {
    const Seconds time = task.seconds.at("*");
    for (const auto &[speed, model] : models)
      task.seconds["speed" + std::to_string(speed)] = time / speed;
  }
  return graph;
}

void printWorkflows(const std::string &folder, const std::vector<std::string> &strategies, double limit) {
  std::printf(
      "\nWorkflows on 16 processors: makespan in s, and against the best of SAGA's\n%-44s %6s %8s %8s %8s",
      "", "tasks", "HEFT", "PEFT", "CPOP");
  for (const std::string &strategy : strategies)
    std::printf(" %17s", strategy.c_str());
  std::printf("\n");
  for (const auto &row : csvRows(folder + "/reference.csv")) {
    const ProcessorGraph graph = withSpeeds(readProblem(folder + "/" + row[0], 16, bytesPerSecond(100e6)));
    const double best = std::min({std::stod(row[2]), std::stod(row[3]), std::stod(row[4])});
    std::printf("%-44s %6s %8s %8s %8s", row[0].c_str(), row[1].c_str(), row[2].c_str(), row[3].c_str(),
                row[4].c_str());
    for (const std::string &strategy : strategies) {
      const double makespan = makespanOf(graph, strategy, limit);
      std::printf(" %9.2f (%5.3f)", makespan, makespan / best);
    }
    std::printf("\n");
  }
}

/// The band of "..._CCR_1.98_...".
std::string bandOf(const std::string &file) {
  const std::size_t at = file.find("CCR_");
  if (at == std::string::npos)
    return "no CCR given";
  const double ccr = std::stod(file.substr(at + 4));
  return ccr < 0.5 ? "CCR < 0.5" : ccr < 1.5 ? "CCR ~ 1" : ccr < 5 ? "CCR ~ 2" : "CCR ~ 10";
}

void printCommunication(const std::string &folder, const std::vector<std::string> &strategies, double limit) {
  struct Band {
    std::size_t graphs = 0;
    std::map<std::string, double> gaps;
  };
  std::map<std::string, Band> bands;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".dot")
      continue;
    const SolvedGraph solved = readSolvedDot(entry.path().string());
    Band &band = bands[bandOf(entry.path().filename().string())];
    ++band.graphs;
    for (const std::string &strategy : strategies)
      band.gaps[strategy] += makespanOf(solved.problem, strategy, limit) / solved.optimum - 1;
  }
  std::printf("\nGraphs with communication: mean gap to the proved optimum\n%-12s %6s", "", "graphs");
  for (const std::string &strategy : strategies)
    std::printf(" %12s", strategy.c_str());
  std::printf("\n");
  for (const auto &[name, band] : bands) {
    std::printf("%-12s %6zu", name.c_str(), band.graphs);
    for (const std::string &strategy : strategies)
      std::printf(" %10.1f %%", 100 * band.gaps.at(strategy) / static_cast<double>(band.graphs));
    std::printf("\n");
  }
}

} // namespace

int main(int argc, char *argv[]) {
  CLI::App app("The mapper on recorded workflows and on graphs with much communication.");
  std::vector<std::string> strategies{"heft", "partition", "auto"};
  double limit = 2;
  app.add_option("--strategies", strategies, "names of streammap map --list-strategies")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--seconds", limit, "of each search, on one thread")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const std::string data = sharedData();
  if (data.empty()) {
    std::printf("skipped: no public data found; set STREAMMAP_SHARED_DATA to its folder\n");
    return 0;
  }
  printWorkflows(data + "/wfinstances", strategies, limit);
  printCommunication(data + "/optimal-comm", strategies, limit);
  return 0;
}
