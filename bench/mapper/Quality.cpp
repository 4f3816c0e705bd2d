// How far the strategies are from proved optima, and how long they take as problems grow.
//
//   ninja -C build bench-mapper && build/bin/bench-mapper            # all tables
//   build/bin/bench-mapper quality                                   # or: speed
//
// Quality reads the public graphs in the folder STREAMMAP_SHARED_DATA names (default: shared/data beside the
// checkout); where it is absent, only the graphs written down in the tests are measured.
#include "mapper/MapTasks.h"
#include "support/Cholesky.h"
#include "support/ForeignGraphs.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace streammap;
using namespace streammap::test;

namespace {

/// A problem and a length to hold answers against: a proved optimum, or the best anybody found.
struct Case {
  ProcessorGraph graph;
  double reference;
};

struct Set {
  std::string name;
  std::vector<Case> cases;
};

std::vector<std::vector<std::string>> rowsOf(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line); // heading
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');)
      cells.push_back(cell);
    rows.push_back(std::move(cells));
  }
  return rows;
}

std::string ccrBand(const std::string &file) {
  const std::size_t at = file.find("CCR_");
  if (at == std::string::npos)
    return "no communication";
  const double ccr = std::stod(file.substr(at + 4));
  return ccr < 0.5 ? "CCR < 0.5" : ccr < 1.5 ? "CCR ~ 1" : ccr < 5 ? "CCR ~ 2" : "CCR ~ 10";
}

std::vector<Set> qualitySets() {
  std::vector<Set> sets{{"two papers' examples", {{topcuogluExample(), 73}, {peftExample(), 113}}}};
  const std::string data = sharedData();
  if (data.empty()) {
    std::printf("no public graphs found: set STREAMMAP_SHARED_DATA to their folder\n");
    return sets;
  }
  const std::string published = data + "/hetero-dag/published-examples/", generated = data + "/hetero-dag/";
  sets.push_back({"published examples, optima", {}});
  for (const auto &row : rowsOf(published + "optimal.csv"))
    sets.back().cases.push_back({readHeteroDag(published + row[0]), std::stod(row[3])});
  sets.push_back({"hetero-dag, best found", {}});
  for (const auto &row : rowsOf(generated + "reference.csv"))
    if (const std::string file = generated + "generated/" + row[0]; std::filesystem::exists(file))
      sets.back().cases.push_back({readHeteroDag(file), std::stod(row.back())});
  sets.push_back({"STG, best known", {}});
  for (const auto &row : rowsOf(data + "/stg/best-known.csv"))
    if (const std::string file = data + "/stg/" + row[0]; std::filesystem::exists(file))
      sets.back().cases.push_back({readStg(file, std::stoul(row[1])), std::stod(row[3])});
  std::map<std::string, Set> bands;
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(data + "/optimal-comm"))
    if (entry.path().extension() == ".dot")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  for (const std::string &file : files) {
    SolvedGraph solved = readSolvedDot(file);
    Set &band = bands[ccrBand(file)];
    band.name = "optimal-comm, " + ccrBand(file);
    band.cases.push_back({std::move(solved.problem), solved.optimum});
  }
  for (auto &[name, band] : bands)
    sets.push_back(std::move(band));
  return sets;
}

Placement mapped(const TaskGraph &graph, const Cluster &cluster, std::string_view strategy) {
  const Expected<Problem> problem = makeProblem(graph, cluster);
  Expected<Placement> placement = problem ? mapTasks(*problem, {.strategy = std::string(strategy)})
                                          : Expected<Placement>(std::unexpected(problem.error()));
  if (!placement) {
    std::fprintf(stderr, "%s\n", placement.error().message.c_str());
    std::exit(1);
  }
  return std::move(*placement);
}

/// "5.5 % / 43 %": mean excess over the reference, and the share that reaches it.
std::string excess(const Set &set, std::string_view strategy) {
  double sum = 0;
  std::size_t reached = 0;
  for (const Case &one : set.cases) {
    const double makespan = mapped(one.graph.graph, one.graph.cluster, strategy).predicted.makespan.value();
    sum += makespan / one.reference - 1;
    reached += makespan <= one.reference * (1 + 1e-6);
  }
  const double count = static_cast<double>(set.cases.size());
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %% / %.0f %%", 100 * sum / count,
                100 * static_cast<double>(reached) / count);
  return text;
}

void printQuality() {
  constexpr std::array columns{"heft", "peft", "cpop", "one-device", "auto"};
  std::printf("\nQuality: mean excess over the reference / share of graphs that reach it\n%-28s %6s", "",
              "graphs");
  for (const char *column : columns)
    std::printf(" %16s", column);
  std::printf("\n");
  for (const Set &set : qualitySets()) {
    std::printf("%-28s %6zu", set.name.c_str(), set.cases.size());
    for (const char *column : columns)
      std::printf(" %16s", excess(set, column).c_str());
    std::printf("\n");
  }
}

/// CPU seconds of this process since `start`, so that a busy machine does not show.
double secondsSince(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void printSpeed() {
  std::printf("\nSpeed: tiled Cholesky on nodes of 8 H100, leaf-spine network, contended\n"
              "%6s %8s %8s %6s  %-12s %12s %12s %8s %8s\n",
              "tiles", "tasks", "GPUs", "", "strategy", "CPU s", "makespan", "gap", "used");
  for (const auto &[tiles, nodes] : {std::pair{12, 4}, {20, 25}, {32, 25}, {32, 200}, {48, 200}}) {
    const TaskGraph graph = choleskyWork(static_cast<std::size_t>(tiles), 2048);
    const Cluster cluster = podOf(static_cast<std::size_t>(nodes));
    for (const char *strategy : {"heft", "peft", "cpop", "one-device", "one-node", "auto"}) {
      const std::clock_t start = std::clock();
      const Placement placement = mapped(graph, cluster, strategy);
      std::printf("%6d %8zu %8zu %6s  %-12s %12.3f %12s %7.1f%% %8zu\n", tiles, graph.tasks.size(),
                  cluster.devices.size(), "", strategy, secondsSince(start),
                  toText(placement.predicted.makespan).c_str(), 100 * placement.predicted.gap,
                  placement.devices.size());
    }
  }
}

} // namespace

int main(int argc, char *argv[]) {
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  if (argc > 2 || (!wanted.empty() && wanted != "quality" && wanted != "speed")) {
    std::fprintf(stderr, "usage: bench-mapper [quality|speed]\n");
    return 2;
  }
  if (wanted != "speed")
    printQuality();
  if (wanted != "quality")
    printSpeed();
  return 0;
}
