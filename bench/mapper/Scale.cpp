// How time and memory grow with the problem: from the text of tasks.json to the text of the placement.
//
//   ninja -C build bench-mapper-scale && build/bin/bench-mapper-scale            # the ladder of sizes
//   build/bin/bench-mapper-scale layered 1000000 200 16 heft                     # kind tasks nodes gpus
//   strategy build/bin/bench-mapper-scale --write FOLDER layered 1000000 200 16           # only the two
//   input files
//
//   kind      tasks    deps  GPUs strategy   read  problem  map+check  write  total s  peak MiB   slope
//
// Every row runs in a process of its own, so the peak is its own; seconds are CPU time (one thread). `slope`
// is the growth of the total against the row before of the same kind, cluster and strategy: log(time ratio) /
// log(size ratio), so 1 is linear.
#include "BigGraphs.h"
#include "mapper/MapTasks.h"
#include "model/ClusterJson.h"
#include "model/PlacementJson.h"
#include "model/TaskGraphJson.h"
#include "support/Files.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace streammap;

namespace {

struct Row {
  std::string kind;
  std::size_t tasks, nodes;
  unsigned gpus;
  std::string strategy;
};

/// What the child measured; passed through a pipe as it is.
struct Measured {
  std::size_t tasks = 0, dependencies = 0;
  double read = 0, problem = 0, map = 0, write = 0, makespan = 0, gap = 0;
};

[[noreturn]] void endWith(const std::string &message) {
  std::fprintf(stderr, "bench-mapper-scale: %s\n", message.c_str());
  std::exit(1);
}

TaskGraph graphOf(const Row &row) {
  if (row.kind == "layered")
    return bench::layeredGraph(row.tasks, 1);
  if (row.kind == "stencil")
    return bench::stencilGraph(row.tasks, row.tasks >= 100000 ? 100 : 20);
  if (row.kind == "cholesky")
    return bench::choleskyUpTo(row.tasks);
  endWith("unknown kind '" + row.kind + "'; expected layered, stencil or cholesky");
}

void writeInputs(const Row &row, const std::string &folder) {
  for (const Expected<void> &written :
       {writeFileWhole(folder + "/tasks.json", writeTaskGraph(graphOf(row))),
        writeFileWhole(folder + "/cluster.json", writeCluster(bench::clusterOf(row.nodes, row.gpus)))})
    if (!written)
      endWith(written.error().message);
}

class Clock {
public:
  /// CPU seconds of this process since the last call, so that a busy machine does not show.
  double lap() {
    const std::clock_t now = std::clock();
    const double seconds = static_cast<double>(now - last_) / CLOCKS_PER_SEC;
    last_ = now;
    return seconds;
  }

private:
  std::clock_t last_ = std::clock();
};

/// What `streammap map` does, timed.
Measured run(const Row &row, const std::string &folder) {
  Measured measured;
  Clock clock;
  Diagnostics diagnostics;
  const Expected<std::string> tasks = readFile(folder + "/tasks.json"),
                              machine = readFile(folder + "/cluster.json");
  if (!tasks || !machine)
    endWith("cannot read the inputs in " + folder);
  const std::optional<TaskGraph> graph = readTaskGraph(*tasks, "tasks.json", diagnostics);
  const std::optional<Cluster> cluster = readCluster(*machine, "cluster.json", diagnostics);
  if (!graph || !cluster)
    endWith("the inputs have errors");
  measured.read = clock.lap();
  const Expected<Problem> problem = makeProblem(*graph, *cluster);
  if (!problem)
    endWith(problem.error().message);
  measured.problem = clock.lap();
  const Expected<Placement> placement = mapTasks(*problem, {.strategy = row.strategy});
  if (!placement)
    endWith(placement.error().message);
  measured.map = clock.lap();
  if (!writeFileWhole(folder + "/placement.json", writePlacement(*placement, *graph, *cluster)))
    endWith("cannot write the placement");
  measured.write = clock.lap();
  measured.tasks = graph->tasks.size();
  measured.dependencies = graph->dependencies.size();
  measured.makespan = placement->predicted.makespan.value();
  measured.gap = placement->predicted.gap;
  return measured;
}

/// Runs `body` in a process of its own; its result and its peak memory in MiB.
template <class Body>
std::pair<Measured, double> apart(Body body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0)
    endWith("no pipe");
  const pid_t child = ::fork();
  if (child < 0)
    endWith("cannot start a process");
  if (child == 0) {
    const Measured result = body();
    const bool told = ::write(ends[1], &result, sizeof result) == sizeof result;
    std::_Exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  Measured result;
  const bool told = ::read(ends[0], &result, sizeof result) == sizeof result;
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (!told || status != 0)
    endWith("a row failed");
  return {result, static_cast<double>(usage.ru_maxrss) / 1024};
}

void print(const std::vector<Row> &rows) {
  std::printf("%-9s %8s %8s %5s %-10s %7s %8s %9s %7s %8s %9s %6s  %10s %8s\n", "kind", "tasks", "deps",
              "GPUs", "strategy", "read s", "problem", "map+check", "write", "total s", "peak MiB", "slope",
              "makespan s", "gap");
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("bench-mapper-scale." + std::to_string(::getpid())))
          .string();
  std::filesystem::create_directories(folder);
  std::optional<std::pair<Row, double>> before;
  for (const Row &row : rows) {
    apart([&] {
      writeInputs(row, folder);
      return Measured();
    });
    const auto [m, peak] = apart([&] { return run(row, folder); });
    const double total = m.read + m.problem + m.map + m.write;
    std::string slope = "-";
    if (before && before->first.kind == row.kind && before->first.strategy == row.strategy &&
        before->first.nodes * before->first.gpus == row.nodes * row.gpus && row.tasks > before->first.tasks) {
      char text[16];
      std::snprintf(text, sizeof text, "%.2f",
                    std::log(total / before->second) /
                        std::log(static_cast<double>(row.tasks) / static_cast<double>(before->first.tasks)));
      slope = text;
    }
    std::printf("%-9s %8zu %8zu %5zu %-10s %7.2f %8.2f %9.2f %7.2f %8.2f %9.0f %6s  %10.4g %7.1f%%\n",
                row.kind.c_str(), m.tasks, m.dependencies, row.nodes * row.gpus, row.strategy.c_str(), m.read,
                m.problem, m.map, m.write, total, peak, slope.c_str(), m.makespan, 100 * m.gap);
    std::fflush(stdout);
    before = {row, total};
  }
  std::filesystem::remove_all(folder);
}

Row rowFrom(char **words, int count) {
  return {words[0], std::strtoul(words[1], nullptr, 10), std::strtoul(words[2], nullptr, 10),
          static_cast<unsigned>(std::strtoul(words[3], nullptr, 10)), count > 4 ? words[4] : "heft"};
}

} // namespace

int main(int argc, char *argv[]) {
  if (argc == 7 && argv[1] == std::string("--write")) {
    writeInputs(rowFrom(argv + 3, 4), argv[2]);
    return 0;
  }
  if (argc == 6) {
    print({rowFrom(argv + 1, 5)});
    return 0;
  }
  if (argc != 1) {
    std::fprintf(stderr, "usage: bench-mapper-scale [[--write FOLDER] KIND TASKS NODES GPUS [STRATEGY]]\n");
    return 2;
  }
  std::vector<Row> rows{{"layered", 5000, 512, 8, "heft"}};
  for (const char *strategy : {"heft"})
    for (std::size_t tasks : {1000, 10000, 100000, 1000000})
      rows.push_back({"layered", tasks, 200, 16, strategy});
  for (const char *kind : {"cholesky", "stencil"})
    for (std::size_t tasks : {10000, 100000})
      rows.push_back({kind, tasks, 200, 16, "heft"});
  print(rows);
  return 0;
}
