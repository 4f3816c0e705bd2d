// How far the strategies are from proved optima, and how long they take as problems grow.
//
//   ninja -C build bench-mapper && build/bin/bench-mapper            # all tables
//   build/bin/bench-mapper search --sample 4 --seconds 10            # every fourth graph, 10 s for each
//
// Tables: quality (list schedulers and auto), exact (proofs and their time), search (gap to proved optima),
// planted (known optima at any size), speed (time as problems grow).
#include "Sets.h"
#include "mapper/MapTasks.h"
#include "support/Cholesky.h"
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <map>

using namespace streammap;
using namespace streammap::bench;
using namespace streammap::test;

namespace {

struct Options {
  std::string table = "all";
  std::size_t sample = 1;
  double seconds = 10;
  unsigned threads = 1;
  bool verbose = false;
};

Placement mapped(const TaskGraph &graph, const Cluster &cluster, const MapOptions &options) {
  const Expected<Problem> problem = makeProblem(graph, cluster);
  Expected<Placement> placement =
      problem ? mapTasks(*problem, options) : Expected<Placement>(std::unexpected(problem.error()));
  if (!placement) {
    std::fprintf(stderr, "%s\n", placement.error().message.c_str());
    std::exit(1);
  }
  return std::move(*placement);
}

/// CPU seconds of this process since `start`, so that a busy machine does not show.
double secondsSince(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// "5.5 % / 43 %": mean excess over the reference, and the share that reaches it.
std::string excess(const Set &set, std::string_view strategy) {
  double sum = 0;
  std::size_t reached = 0;
  for (const Case &one : set.cases) {
    const MapOptions options{.strategy = std::string(strategy), .effort = Effort::fast};
    const double makespan = mapped(one.graph.graph, one.graph.cluster, options).predicted.makespan.value();
    sum += makespan / one.reference - 1;
    reached += makespan <= one.reference * (1 + 1e-6);
  }
  const double count = static_cast<double>(set.cases.size());
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %% / %.0f %%", 100 * sum / count,
                100 * static_cast<double>(reached) / count);
  return text;
}

void printQuality(const Options &options) {
  constexpr std::array columns{"heft", "peft", "cpop", "one-device", "auto"};
  std::printf(
      "\nQuality: mean excess over the reference / share of graphs that reach it (auto: --effort fast)"
      "\n%-32s %6s",
      "", "graphs");
  for (const char *column : columns)
    std::printf(" %16s", column);
  std::printf("\n");
  for (const Set &set : knownSets(options.sample)) {
    std::printf("%-32s %6zu", set.name.c_str(), set.cases.size());
    for (const char *column : columns)
      std::printf(" %16s", excess(set, column).c_str());
    std::printf("\n");
  }
}

void printSearch(const Options &options) {
  std::printf("\nSearch: `auto --effort thorough --time-limit %g`, %u thread%s, against the reference\n"
              "%-32s %6s %9s %9s %9s %9s %9s %9s\n",
              options.seconds, options.threads, options.threads == 1 ? "" : "s", "", "graphs", "mean gap",
              "worst", "reached", "better", "proved", "mean s");
  for (const Set &set : knownSets(options.sample)) {
    double sum = 0, worst = -1, cpu = 0;
    std::size_t reached = 0, better = 0, proved = 0;
    for (const Case &one : set.cases) {
      const std::clock_t start = std::clock();
      const Placement placement = mapped(one.graph.graph, one.graph.cluster,
                                         {.strategy = "auto",
                                          .effort = Effort::thorough,
                                          .timeLimit = seconds(options.seconds),
                                          .threads = options.threads});
      const double used = secondsSince(start), gap = placement.predicted.makespan.value() / one.reference - 1;
      sum += gap;
      worst = std::max(worst, gap);
      cpu += used;
      reached += gap <= 5e-5; // some references are rounded
      better += gap < -5e-5;
      proved += placement.predicted.gap <= 1e-9;
      if (options.verbose)
        std::printf("  %-60s %10.4f reference %10.4f gap %6.2f %% bound gap %6.2f %% %7.2f s\n",
                    one.name.c_str(), placement.predicted.makespan.value(), one.reference, 100 * gap,
                    100 * placement.predicted.gap, used);
    }
    const double count = static_cast<double>(set.cases.size());
    std::printf("%-32s %6zu %7.2f %% %7.2f %% %7.1f %% %9zu %9zu %9.2f\n", set.name.c_str(), set.cases.size(),
                100 * sum / count, 100 * worst, 100 * static_cast<double>(reached) / count, better, proved,
                cpu / count);
    std::fflush(stdout);
  }
}

/// Sets of small graphs by their number of tasks: how many are proved, and how fast.
void printExact(const Options &options) {
  std::printf(
      "\nExact: `exact --effort thorough --time-limit %g`, CPU seconds\n%-32s %6s %6s %8s %8s %9s %9s\n",
      options.seconds, "", "tasks", "graphs", "proved", "wrong", "mean s", "worst s");
  for (const Set &set : knownSets(options.sample)) {
    struct Row {
      std::size_t graphs = 0, proved = 0, wrong = 0;
      double sum = 0, worst = 0;
    };
    std::map<std::size_t, Row> rows;
    for (const Case &one : set.cases) {
      const std::size_t tasks = one.graph.graph.tasks.size();
      if (!one.proved || tasks > 30)
        continue;
      const std::clock_t start = std::clock();
      const Placement placement = mapped(one.graph.graph, one.graph.cluster,
                                         {.strategy = "exact",
                                          .effort = Effort::thorough,
                                          .timeLimit = seconds(options.seconds),
                                          .threads = options.threads});
      const double used = secondsSince(start), makespan = placement.predicted.makespan.value();
      if (options.verbose)
        std::printf("  %-70s %10.4f %s %7.2f s %llu steps\n", one.name.c_str(), makespan,
                    placement.predicted.optimal ? "proved" : "      ", used,
                    static_cast<unsigned long long>(placement.solver.steps));
      Row &row = rows[set.name.starts_with("worked") ? 0 : tasks];
      ++row.graphs;
      row.proved += placement.predicted.optimal;
      row.wrong += placement.predicted.optimal && std::abs(makespan / one.reference - 1) > 1e-6;
      row.sum += used;
      row.worst = std::max(row.worst, used);
    }
    for (const auto &[tasks, row] : rows)
      std::printf("%-32s %6s %6zu %8zu %8zu %9.3f %9.3f\n", set.name.c_str(),
                  tasks == 0 ? "8-12" : std::to_string(tasks).c_str(), row.graphs, row.proved, row.wrong,
                  row.sum / static_cast<double>(row.graphs), row.worst);
    std::fflush(stdout);
  }
}

/// Graphs whose optimum is known because they were cut from it, at sizes no exact solver reaches.
void printPlanted(const Options &options) {
  std::printf("\nPlanted optima, 32 processors: gap to the optimum, CPU seconds (auto: --effort normal)\n"
              "%8s %10s %10s %12s %10s %12s %10s\n",
              "tasks", "edges", "bound gap", "heft gap", "s", "auto gap", "s");
  for (std::size_t tasks : {1'000, 3'000, 10'000, 30'000, 100'000}) {
    const Case one = plantedOptimum(tasks, 32, 1);
    const std::clock_t start = std::clock();
    const Placement heft = mapped(one.graph.graph, one.graph.cluster, {.strategy = "heft"});
    const double heftSeconds = secondsSince(start);
    const std::clock_t again = std::clock();
    const Placement best =
        mapped(one.graph.graph, one.graph.cluster, {.strategy = "auto", .threads = options.threads});
    std::printf("%8zu %10zu %8.3f %% %10.2f %% %10.2f %10.2f %% %10.2f\n", one.graph.graph.tasks.size(),
                one.graph.graph.dependencies.size(),
                100 * (one.reference / best.predicted.lowerBound.value() - 1),
                100 * (heft.predicted.makespan.value() / one.reference - 1), heftSeconds,
                100 * (best.predicted.makespan.value() / one.reference - 1), secondsSince(again));
    std::fflush(stdout);
  }
}

void printSpeed() {
  std::printf("\nSpeed: tiled Cholesky on nodes of 8 H100, leaf-spine network, contended\n"
              "%6s %8s %8s  %-12s %12s %12s %8s %8s\n",
              "tiles", "tasks", "GPUs", "strategy", "CPU s", "makespan", "gap", "used");
  for (const auto &[tiles, nodes] : {std::pair{12, 4}, {20, 25}, {32, 25}, {32, 200}, {48, 200}}) {
    const TaskGraph graph = choleskyWork(static_cast<std::size_t>(tiles), 2048);
    const Cluster cluster = podOf(static_cast<std::size_t>(nodes));
    for (const char *strategy : {"heft", "peft", "cpop", "one-device", "one-node", "auto"}) {
      const std::clock_t start = std::clock();
      const Placement placement = mapped(graph, cluster, {.strategy = strategy});
      std::printf("%6d %8zu %8zu  %-12s %12.3f %12s %7.1f%% %8zu\n", tiles, graph.tasks.size(),
                  cluster.devices.size(), strategy, secondsSince(start),
                  toText(placement.predicted.makespan).c_str(), 100 * placement.predicted.gap,
                  placement.devices.size());
      std::fflush(stdout);
    }
  }
}

} // namespace

int main(int argc, char *argv[]) {
  Options options;
  CLI::App app("Quality and speed of the mapper");
  app.add_option("table", options.table, "all, or one of them")
      ->check(CLI::IsMember({"all", "quality", "exact", "search", "planted", "speed"}));
  app.add_option("--sample", options.sample, "only every so many graphs of a set")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "of search for each graph")->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "of search");
  app.add_flag("--verbose", options.verbose, "a line for each graph of the search table");
  CLI11_PARSE(app, argc, argv);
  auto wanted = [&](const char *table) { return options.table == "all" || options.table == table; };
  if (wanted("quality"))
    printQuality(options);
  if (wanted("exact"))
    printExact(options);
  if (wanted("search"))
    printSearch(options);
  if (wanted("planted"))
    printPlanted(options);
  if (wanted("speed"))
    printSpeed();
  return 0;
}
