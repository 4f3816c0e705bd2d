// Quality and speed of the mapper, as tables:
//
//   bench-mapper [quality|speed]        both by default; reads public graphs from STREAMMAP_SHARED_DATA
//
// Quality: gap to the proved optimum of every set whose optima are known, per strategy. Speed: seconds of
// this process for tiled Cholesky graphs of growing size on clusters of growing size, and placements tried
// per second.
#include "mapper/MapTasks.h"
#include "support/ForeignGraphs.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace streammap;
using namespace streammap::test;

namespace {

struct Solved {
  std::string set;
  ProcessorGraph problem;
  double optimum;
};

std::vector<std::vector<std::string>> rowsOf(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');)
      cells.push_back(cell);
    rows.push_back(cells);
  }
  return rows;
}

std::vector<Solved> solvedGraphs(const std::string &data) {
  std::vector<Solved> graphs;
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(data + "/optimal-comm"))
    if (entry.path().extension() == ".dot")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  for (const std::string &file : files) {
    SolvedGraph solved = readSolvedDot(file);
    graphs.push_back({"optimal-comm", std::move(solved.problem), solved.optimum});
  }
  const std::string examples = data + "/hetero-dag/published-examples/";
  for (const auto &row : rowsOf(examples + "optimal.csv"))
    graphs.push_back({"published examples", readHeteroDag(examples + row[0]), std::stod(row[3])});
  for (const auto &row : rowsOf(data + "/stg/best-known.csv"))
    if (row[2] == row[3])
      graphs.push_back({"stg", readStg(data + "/stg/" + row[0], std::stoul(row[1])), std::stod(row[3])});
  return graphs;
}

void printQuality() {
  const std::string data = sharedData();
  if (data.empty()) {
    std::printf("quality: skipped, no public graphs (set STREAMMAP_SHARED_DATA)\n");
    return;
  }
  const std::vector<Solved> graphs = solvedGraphs(data);
  std::printf("%-20s %-12s %7s %10s %10s\n", "set", "strategy", "graphs", "mean gap", "optimal");
  for (const char *set : {"published examples", "optimal-comm", "stg"})
    for (const Strategy &strategy : strategies()) {
      double gaps = 0;
      std::size_t count = 0, optimal = 0;
      for (const Solved &solved : graphs) {
        if (solved.set != set)
          continue;
        const Expected<Problem> problem = makeProblem(solved.problem.graph, solved.problem.cluster);
        const Expected<Placement> placement = mapTasks(*problem, {.strategy = std::string(strategy.name)});
        const double ratio = placement->predicted.makespan.value() / solved.optimum;
        gaps += ratio - 1;
        optimal += ratio <= 1 + 1e-9;
        ++count;
      }
      std::printf("%-20s %-12s %7zu %8.1f %% %8.0f %%\n", set, std::string(strategy.name).c_str(), count,
                  100 * gaps / static_cast<double>(count),
                  100.0 * static_cast<double>(optimal) / static_cast<double>(count));
    }
}

/// Tiled Cholesky of t x t tiles of 8 MiB, times in the proportions 1 : 3 : 3 : 6 of its kernels.
TaskGraph choleskyGraph(std::size_t t) {
  TaskGraph graph;
  const BufferId buffer = graph.buffers.push({"b0", "A", mebibytes(8.0 * static_cast<double>(t * t)), ""});
  std::vector<TaskId> writer(t * t);
  auto add = [&](double weight, std::initializer_list<std::size_t> reads, std::size_t target) {
    Task task;
    task.id = "t" + std::to_string(graph.tasks.size());
    task.seconds["*"] = milliseconds(0.1 * weight);
    const TaskId id = graph.tasks.push(std::move(task));
    for (std::size_t tile : reads)
      graph.dependencies.push_back({writer[tile], id, mebibytes(8), buffer});
    if (writer[target].valid())
      graph.dependencies.push_back({writer[target], id, mebibytes(8), buffer});
    writer[target] = id;
  };
  for (std::size_t k = 0; k < t; ++k) {
    add(1, {}, k * t + k);
    for (std::size_t i = k + 1; i < t; ++i)
      add(3, {k * t + k}, i * t + k);
    for (std::size_t i = k + 1; i < t; ++i) {
      add(3, {i * t + k}, i * t + i);
      for (std::size_t j = k + 1; j < i; ++j)
        add(6, {i * t + k, j * t + k}, i * t + j);
    }
  }
  std::ranges::sort(graph.dependencies, [](const Dependency &a, const Dependency &b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  return graph;
}

Cluster pod(std::size_t nodes) {
  Cluster cluster;
  GpuModel gpu;
  gpu.name = "gpu";
  NodeType type;
  type.name = "box";
  type.gpus.assign(8, cluster.models.push(gpu));
  type.gpuLinkKind = GpuLinkKind::nvswitch;
  type.gpuLink = {gigabytesPerSecond(450), microseconds(1)};
  type.hostLink = {gigabytesPerSecond(55), microseconds(2)};
  type.nicCount = 8;
  type.nic.bandwidth = gigabitsPerSecond(400);
  cluster.nodeTypes.push(type);
  for (std::size_t n = 0; n < nodes; ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.type = NodeTypeId(0);
    const NodeId id = cluster.nodes.push(node);
    for (unsigned g = 0; g < 8; ++g)
      cluster.devices.push({id, g, GpuModelId(0), State::up, ""});
  }
  return cluster;
}

void printSpeed() {
  std::printf("\n%8s %8s %-12s %10s %14s %10s\n", "tasks", "devices", "strategy", "seconds", "tasks/second",
              "makespan");
  for (std::size_t tiles : {16, 32, 48})
    for (std::size_t nodes : {8, 200})
      for (const char *strategy : {"heft", "peft"}) {
        const TaskGraph graph = choleskyGraph(tiles);
        const Cluster cluster = pod(nodes);
        const auto begin = std::chrono::steady_clock::now();
        const Expected<Problem> problem = makeProblem(graph, cluster);
        const Expected<Placement> placement = mapTasks(*problem, {.strategy = strategy});
        const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        std::printf("%8zu %8zu %-12s %10.3f %14.0f %10s\n", graph.tasks.size(), cluster.devices.size(),
                    strategy, taken, static_cast<double>(graph.tasks.size()) / taken,
                    toText(placement->predicted.makespan).c_str());
      }
}

} // namespace

int main(int argc, char *argv[]) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what != "speed")
    printQuality();
  if (what != "quality")
    printSpeed();
  return 0;
}
