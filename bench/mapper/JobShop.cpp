// Flexible job shops and projects with resources through the mapper's own strategies: constraints and
// capacities as hard tests of one engine, on problems whose best solutions are published.
//
//   ninja -C build bench-mapper-jobshop && build/bin/bench-mapper-jobshop [--strategies heft,auto] [--sample
//   5]
//
// Job shops carry over exactly, so the gap is to the best makespan anybody has found (FJSPLib;
// ScheduleOpt/benchmarks, Aug 2026). Of a project only one renewable resource does (docs/import.md): what is
// mapped is a relaxation, which is held against its own lower bound, the larger of critical path and
// resource-work / capacity, and stands beside the project's optimum (PSPLIB) for orientation.
#include "mapper/MapTasks.h"
#include "support/ForeignGraphs.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>

using namespace streammap;
using namespace streammap::test;

namespace {

struct Settings {
  std::vector<std::string> strategies{"heft", "peft", "auto"};
  std::size_t sample = 0;
  double seconds = 2;
};

struct Run {
  double makespan = 0, cpuSeconds = 0;
};

Run run(const ProcessorGraph &graph, const std::string &strategy, const Settings &settings) {
  const MapOptions options{
      .strategy = strategy, .effort = Effort::thorough, .timeLimit = seconds(settings.seconds), .threads = 1};
  const std::clock_t start = std::clock();
  const Expected<Problem> problem = makeProblem(graph.graph, graph.cluster);
  const Expected<Placement> placement =
      problem ? mapTasks(*problem, options) : Expected<Placement>(std::unexpected(problem.error()));
  if (!placement) {
    std::fprintf(stderr, "%s\n", placement.error().message.c_str());
    std::exit(1);
  }
  return {placement->predicted.makespan.value(), static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC};
}

/// Every row, or about `sample` of them spread over the table.
std::vector<std::vector<std::string>> sampled(std::vector<std::vector<std::string>> rows,
                                              std::size_t sample) {
  if (sample == 0 || sample >= rows.size())
    return rows;
  std::vector<std::vector<std::string>> some;
  for (std::size_t i = 0; i < sample; ++i)
    some.push_back(rows[i * rows.size() / sample]);
  return some;
}

/// Mean of makespan / reference - 1 over the rows of a table, how many reach the reference, and CPU time.
struct Total {
  double gaps = 0, cpuSeconds = 0;
  std::size_t reached = 0;
};

void printHeading(const char *title, const char *columns, const Settings &settings) {
  std::printf("\n%s\n%-16s %s", title, "file", columns);
  for (const std::string &strategy : settings.strategies)
    std::printf(" %18s", strategy.c_str());
  std::printf("\n");
}

void printTotals(const std::map<std::string, Total> &totals, std::size_t rows, const Settings &settings) {
  for (const std::string &strategy : settings.strategies) {
    const Total &total = totals.at(strategy);
    std::printf("  %-12s mean gap %5.1f %%, %zu of %zu reach it, %.2f CPU s\n", strategy.c_str(),
                100 * total.gaps / static_cast<double>(rows), total.reached, rows, total.cpuSeconds);
  }
}

void runAll(const ProcessorGraph &graph, double reference, const Settings &settings,
            std::map<std::string, Total> &totals) {
  for (const std::string &strategy : settings.strategies) {
    const Run done = run(graph, strategy, settings);
    Total &total = totals[strategy];
    total.gaps += done.makespan / reference - 1;
    total.reached += done.makespan <= reference * (1 + 1e-9);
    total.cpuSeconds += done.cpuSeconds;
    std::printf(" %8.0f (+%5.1f %%)", done.makespan, 100 * (done.makespan / reference - 1));
  }
  std::printf("\n");
}

void printJobShops(const std::string &folder, const Settings &settings) {
  const auto rows = sampled(csvRows(folder + "/best-known.csv"), settings.sample);
  printHeading("Flexible job shops: makespan and gap to the best known", "operations  best", settings);
  std::map<std::string, Total> totals;
  for (const auto &row : rows) {
    const ProcessorGraph graph = readProblem(folder + "/" + row[0]);
    const double best = std::stod(row[3]);
    std::printf("%-16s %10zu %5.0f", row[0].c_str(), graph.graph.tasks.size(), best);
    runAll(graph, best, settings, totals);
  }
  printTotals(totals, rows.size(), settings);
}

/// The imported relaxation's own bound: critical path, and power-seconds over the power limit.
double boundOf(const ProcessorGraph &project) {
  const Expected<Problem> problem = makeProblem(project.graph, project.cluster);
  std::vector<double> end(project.graph.tasks.size());
  double longest = 0, work = 0;
  for (TaskId task : problem->topologicalOrder()) {
    const auto &[model, time] = *project.graph.tasks[task].seconds.begin();
    double start = 0;
    for (std::size_t i : problem->incoming(task))
      start = std::max(start, end[project.graph.dependencies[i].from.index()]);
    end[task.index()] = start + time.value();
    longest = std::max(longest, end[task.index()]);
    for (const GpuModel &known : project.cluster.models)
      if (known.name == model)
        work += time.value() * known.power.value();
  }
  return std::max(longest, work / project.cluster.nodeTypes[NodeTypeId(0)].powerLimit->value());
}

void printProjects(const std::string &folder, const Settings &settings) {
  const auto rows = sampled(csvRows(folder + "/optimal.csv"), settings.sample);
  printHeading("Projects, one resource of four: makespan and gap to the bound of what was imported",
               "   optimum of the project  bound", settings);
  std::map<std::string, Total> totals;
  for (const auto &row : rows) {
    const ProcessorGraph graph = readProblem(folder + "/" + row[0]);
    const double bound = boundOf(graph);
    std::printf("%-16s %25s %6.1f", row[0].c_str(), row[1].c_str(), bound);
    runAll(graph, bound, settings, totals);
  }
  printTotals(totals, rows.size(), settings);
}

} // namespace

int main(int argc, char *argv[]) {
  CLI::App app("The mapper on flexible job shops and projects with resources.");
  Settings settings;
  app.add_option("--strategies", settings.strategies, "names of streammap map --list-strategies")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--seconds", settings.seconds, "of each search, on one thread")->capture_default_str();
  app.add_option("--sample", settings.sample, "problems of each set; 0: all")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const std::string data = sharedData();
  if (data.empty()) {
    std::printf("skipped: no public data found; set STREAMMAP_SHARED_DATA to its folder\n");
    return 0;
  }
  printJobShops(data + "/flexible-jobshop", settings);
  printProjects(data + "/rcpsp", settings);
  return 0;
}
