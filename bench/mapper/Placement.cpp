// Placement of communicating parts: on a hierarchy of GPUs, nodes and leaves against partitioners, and on
// arbitrary distances against the best known solutions of QAPLIB.
//
//   ninja -C build bench-mapper-placement && build/bin/bench-mapper-placement [--attempts 1] [--cycles 2]
//   [--steps 200000]
//
// J is the sum over ordered pairs of neighbours of the distance of their GPUs; 512 GPUs as 8:16:4 with
// distances 1:10:30; a GPU holds at most 1.03 times its share. METIS (apt: metis) and Scotch (apt: scotch)
// run beside ours where they are installed, on one core each; the lines marked "published" were measured with
// the same graph and seed 1 on a similar, loaded machine: KaHIP at 5935f34, Scotch 7.0.3, METIS 5.1.0.
#include "mapper/PlaceOnHierarchy.h"
#include "mapper/QuadraticAssignment.h"
#include "mapper/RefinePartition.h"
#include "support/Files.h"
#include "support/ForeignGraphs.h"
#include "support/TemporaryFolder.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <sstream>
#include <sys/resource.h>

using namespace streammap;
using namespace streammap::test;

namespace {

const Hierarchy machine{{8, 16, 4}, {1, 10, 30}};
constexpr double imbalance = 0.03;
constexpr double kahipEco = 136668;

std::string outputOf(const std::string &command) {
  std::string text;
  if (FILE *pipe = ::popen(command.c_str(), "r")) {
    char part[65536];
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, pipe)) > 0;)
      text.append(part, n);
    ::pclose(pipe);
  }
  return text;
}

/// CPU seconds of this process, or of the commands it has waited for.
double cpuSeconds(int who) {
  rusage used{};
  ::getrusage(who, &used);
  const auto seconds = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

CommunicationGraph readMetis(const std::string &text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::vector<CommunicationEdge> edges;
  const std::size_t count = std::stoul(line);
  for (std::uint32_t v = 0; v < count && std::getline(lines, line); ++v) {
    std::istringstream in(line);
    for (std::uint32_t u; in >> u;)
      if (u - 1 > v)
        edges.push_back({v, u - 1, 1});
  }
  return communicationGraph(count, std::move(edges));
}

void printLine(const char *solver, double cost, double cut, double heaviest, double seconds) {
  std::printf("%-44s %9.0f %8.0f %8.0f %8.2f %8.3f\n", solver, cost, cut, heaviest, seconds, cost / kahipEco);
}

void printPlacement(const char *solver, const CommunicationGraph &graph,
                    const std::vector<std::uint32_t> &placeOf, double seconds) {
  const std::int64_t cut = communicationCost(graph, {{machine.places()}, {1}}, placeOf) / 2;
  printLine(solver, static_cast<double>(communicationCost(graph, machine, placeOf)), static_cast<double>(cut),
            static_cast<double>(std::ranges::max(blockWeights(graph, placeOf, machine.places()))), seconds);
}

std::string asMetis(const CommunicationGraph &graph) {
  std::string text = std::to_string(graph.size()) + " " + std::to_string(graph.to.size() / 2) + "\n";
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e)
      text += std::to_string(graph.to[e] + 1) + " ";
    text += "\n";
  }
  return text;
}

std::string asScotch(const CommunicationGraph &graph) {
  std::string text =
      "0\n" + std::to_string(graph.size()) + " " + std::to_string(graph.to.size()) + "\n0 000\n";
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    text += std::to_string(graph.degree(v));
    for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e)
      text += " " + std::to_string(graph.to[e]);
    text += "\n";
  }
  return text;
}

/// METIS divides in 512 blocks and knows no distances: block i goes to GPU i.
void runMetis(const CommunicationGraph &graph, const TemporaryFolder &folder) {
  if (outputOf("command -v gpmetis").empty())
    return void(std::printf("skipped: gpmetis is not installed (apt: metis)\n"));
  const double before = cpuSeconds(RUSAGE_CHILDREN);
  outputOf("gpmetis -ufactor=30 -seed=1 " + folder / "graph.metis" + " 512");
  const double seconds = cpuSeconds(RUSAGE_CHILDREN) - before;
  const Expected<std::string> written = readFile(folder / "graph.metis.part.512");
  if (!written)
    return void(std::printf("gpmetis failed: %s\n", written.error().message.c_str()));
  std::istringstream in(*written);
  std::vector<std::uint32_t> placeOf;
  for (std::uint32_t place; in >> place;)
    placeOf.push_back(place);
  printPlacement("METIS, block i on GPU i", graph, placeOf, seconds);
}

void runScotch(const CommunicationGraph &graph, const TemporaryFolder &folder) {
  if (outputOf("command -v scotch_gmap").empty())
    return void(std::printf("skipped: scotch_gmap is not installed (apt: scotch)\n"));
  const double before = cpuSeconds(RUSAGE_CHILDREN);
  outputOf("scotch_gmap -b0.03 " + folder / "graph.grf" + " " + folder / "machine.tgt" + " " +
           folder / "graph.map");
  const double seconds = cpuSeconds(RUSAGE_CHILDREN) - before;
  const Expected<std::string> written = readFile(folder / "graph.map");
  if (!written)
    return void(std::printf("scotch_gmap failed: %s\n", written.error().message.c_str()));
  std::istringstream in(*written);
  std::vector<std::uint32_t> placeOf(graph.size());
  std::uint32_t count = 0;
  in >> count;
  for (std::uint32_t vertex, place; in >> vertex >> place;)
    placeOf.at(vertex) = place;
  printPlacement("Scotch gmap, tleaf", graph, placeOf, seconds);
}

void printHierarchy(const std::string &data, PlaceOptions options) {
  const CommunicationGraph graph =
      readMetis(outputOf("gzip -dc " + data + "/process-mapping/delaunay_n15.graph.gz"));
  std::printf("\ndelaunay_n15, %zu vertices, %zu edges, on 512 GPUs as 8:16:4, distances 1:10:30\n%-44s %9s "
              "%8s %8s %8s %8s\n",
              graph.size(), graph.to.size() / 2, "", "J", "cut", "heaviest", "CPU s", "/eco");
  for (const auto &row : csvRows(data + "/process-mapping/reference.csv"))
    printLine((row[4] + ", published").c_str(), std::stod(row[5]), std::stod(row[6]), 0, 0);
  const TemporaryFolder folder;
  const bool written = writeFileWhole(folder / "graph.metis", asMetis(graph)) &&
                       writeFileWhole(folder / "graph.grf", asScotch(graph)) &&
                       writeFileWhole(folder / "machine.tgt", "tleaf 3 4 30 16 10 8 1\n");
  if (written) {
    runMetis(graph, folder);
    runScotch(graph, folder);
  }
  options.imbalance = imbalance;
  const double before = cpuSeconds(RUSAGE_SELF);
  const std::vector<std::uint32_t> placeOf = placeOnHierarchy(graph, machine, options);
  printPlacement("ours", graph, placeOf, cpuSeconds(RUSAGE_SELF) - before);
}

AssignmentProblem readAssignment(const std::string &path) {
  const Expected<std::string> text = readFile(path);
  std::istringstream in(text ? *text : "0");
  std::size_t size = 0;
  in >> size;
  const SquareMatrix empty(size, std::vector<std::int64_t>(size));
  AssignmentProblem problem{empty, empty};
  for (SquareMatrix *matrix : {&problem.distance, &problem.flow})
    for (std::vector<std::int64_t> &row : *matrix)
      for (std::int64_t &value : row)
        in >> value;
  return problem;
}

void printAssignments(const std::string &data, std::uint64_t steps) {
  std::printf("\nQAPLIB, robust tabu search, %llu steps\n%-12s %4s %12s %12s %9s %8s\n",
              static_cast<unsigned long long>(steps), "instance", "n", "best known", "ours", "gap", "CPU s");
  double gaps = 0;
  std::size_t reached = 0;
  const auto rows = csvRows(data + "/qaplib/best-known.csv");
  for (const auto &row : rows) {
    const AssignmentProblem problem = readAssignment(data + "/qaplib/" + row[0] + ".txt");
    const double before = cpuSeconds(RUSAGE_SELF);
    const Assigned assigned = solveAssignment(problem, {.steps = steps});
    const double best = std::stod(row[2]), gap = static_cast<double>(assigned.cost) / best - 1;
    gaps += gap;
    reached += gap <= 0;
    std::printf("%-12s %4zu %12.0f %12lld %8.2f%% %8.2f\n", row[0].c_str(), problem.flow.size(), best,
                static_cast<long long>(assigned.cost), 100 * gap, cpuSeconds(RUSAGE_SELF) - before);
  }
  std::printf("mean gap %.3f %%, %zu of %zu best known values reached\n",
              100 * gaps / static_cast<double>(rows.size()), reached, rows.size());
}

} // namespace

int main(int argc, char *argv[]) {
  CLI::App app("Placement on a hierarchy and on arbitrary distances.");
  PlaceOptions options;
  std::uint64_t steps = 200000;
  app.add_option("--attempts", options.attempts, "of every division")->capture_default_str();
  app.add_option("--cycles", options.cycles, "of refining over all places")->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--steps", steps, "of each quadratic assignment; 0 leaves them out")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const std::string data = sharedData();
  if (data.empty()) {
    std::printf("skipped: no public data found; set STREAMMAP_SHARED_DATA to its folder\n");
    return 0;
  }
  printHierarchy(data, options);
  if (steps > 0)
    printAssignments(data, steps);
  return 0;
}
