// Tiled Cholesky on real machines: StarPU's measured kernel times and bus matrices, mapped before the run and
// timed with shared links, against StarPU's dynamic schedulers on the same kernels.
//
//   ninja -C build bench-mapper-cholesky && build/bin/bench-mapper-cholesky [--strategies heft,auto]
//
// StarPU's makespans are published constants here: StarPU 1.4 in its SimGrid 3.32 mode, single precision,
// tiles of 960 x 960, all GPUs and two CPU workers, the best of dmda, dmdas, modular-heft and eager in each
// line and dmdas itself. Ours has one core in place of two, so it has less of a machine. "bound" is computed
// here: the area bound as a linear program over kernels and classes of devices would be tighter than the
// largest of critical path and work.
#include "mapper/MapTasks.h"
#include "support/Cholesky.h"
#include "support/ForeignGraphs.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>

using namespace streammap;
using namespace streammap::test;

namespace {

/// Milliseconds; 0 where nobody measured.
struct Published {
  const char *machine;
  std::size_t tiles;
  double bound, dmdas, best;
};

constexpr Published published[] = {
    {"mirage", 10, 218, 322, 307},  {"mirage", 20, 1443, 1597, 1588}, {"sirocco", 10, 95, 153, 138},
    {"sirocco", 20, 311, 467, 467}, {"idgraf", 10, 278, 335, 335},    {"idgraf", 20, 574, 1320, 1320},
    {"attila", 10, 0, 0, 0},        {"attila", 20, 0, 0, 0},
};

std::string ratio(double ours, double theirs) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", ours / theirs);
  return theirs == 0 ? "-" : text;
}

void printMachine(const Published &known, const char *links, const ProcessorGraph &machine,
                  const std::vector<std::string> &strategies) {
  const Expected<Problem> problem = makeProblem(machine.graph, machine.cluster);
  for (const std::string &strategy : strategies) {
    const std::clock_t start = std::clock();
    const Expected<Placement> placement = problem ? mapTasks(*problem, {.strategy = strategy})
                                                  : Expected<Placement>(std::unexpected(problem.error()));
    if (!placement) {
      std::fprintf(stderr, "%s\n", placement.error().message.c_str());
      std::exit(1);
    }
    const double makespan = placement->predicted.makespan.inMilliseconds();
    const auto theirs = [](double value) { return value == 0 ? std::string("-") : shortest(value); };
    std::printf("%-8s %2zu x %-2zu %6zu %-5s  %-12s %8.0f %8.0f %8s %8s %8s %8s %8s %8.2f\n", known.machine,
                known.tiles, known.tiles, machine.graph.tasks.size(), links, strategy.c_str(), makespan,
                placement->predicted.lowerBound.inMilliseconds(), ratio(makespan, known.bound).c_str(),
                theirs(known.dmdas).c_str(), ratio(makespan, known.dmdas).c_str(), theirs(known.best).c_str(),
                ratio(makespan, known.best).c_str(),
                static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
}

} // namespace

int main(int argc, char *argv[]) {
  CLI::App app("The mapper on tiled Cholesky with measured kernels, against StarPU.");
  std::vector<std::string> strategies{"heft", "auto"};
  app.add_option("--strategies", strategies, "names of streammap map --list-strategies")
      ->delimiter(',')
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const std::string data = sharedData();
  if (data.empty()) {
    std::printf("skipped: no public data found; set STREAMMAP_SHARED_DATA to its folder\n");
    return 0;
  }
  std::printf(
      "Makespan in ms; ratios below 1: shorter than theirs\n%-8s %-7s %6s %-5s  %-12s %8s %8s %8s %8s %8s "
      "%8s %8s %8s\n",
      "machine", "tiles", "tasks", "links", "strategy", "ours", "bound", "/LP", "dmdas", "/dmdas", "best",
      "/best", "CPU s");
  for (const Published &known : published) {
    ProcessorGraph machine = readTiledMachine(data + "/tiled-kernels", known.machine, known.tiles);
    printMachine(known, "pairs", machine, strategies);
    for (NodeType &type : machine.cluster.nodeTypes)
      type.gpuPairs.clear();
    printMachine(known, "host", machine, strategies);
  }
  return 0;
}
