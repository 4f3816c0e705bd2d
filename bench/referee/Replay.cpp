// Predicted against simulated makespan, by SimGrid: tiled Cholesky on a pod of 200 nodes of 8 H100, from
// tiles so large that computing hides every transfer to tiles so small that the network is saturated.
//
//   ninja -C build bench-referee && build/bin/bench-referee
#include "referee/Replay.h"
#include "mapper/MapTasks.h"
#include "support/Cholesky.h"
#include "support/Columns.h"
#include <chrono>
#include <cstdio>

using namespace streammap;
using namespace streammap::test;

namespace {

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// How much of the makespan the busiest link carries something, as predicted.
double busiest(const Placement &placement) {
  Seconds most;
  for (const LinkUse &use : placement.links)
    most = std::max(most, use.busy);
  return most / placement.predicted.makespan;
}

void row(std::size_t tiles, std::size_t side, const Cluster &cluster, const char *strategy) {
  const TaskGraph graph = choleskyWork(tiles, side);
  const Expected<Problem> problem = makeProblem(graph, cluster);
  if (!problem)
    return;
  const Expected<Placement> placement = mapTasks(*problem, {.strategy = strategy});
  if (!placement)
    return;
  const auto start = std::chrono::steady_clock::now();
  const Expected<Replay> replay = replayWithSimGrid(graph, cluster, *placement);
  if (!replay) {
    std::printf("%s\n", replay.error().message.c_str());
    return;
  }
  std::printf("%5zu %5zu %6zu %-12s %10s %10s %7s %9s %8zu %8.2f\n", tiles, side, graph.tasks.size(),
              strategy, toText(replay->predicted).c_str(), toText(replay->simulated).c_str(),
              significant(replay->simulated / replay->predicted).c_str(),
              percent(busiest(*placement)).c_str(), placement->transfers.size(), secondsSince(start));
}

} // namespace

int main() {
  const Cluster cluster = podOf(200);
  std::printf("tiles  side  tasks strategy      predicted  simulated   ratio   busiest    moved  replay s\n");
  for (const auto &[tiles, side] :
       {std::pair<std::size_t, std::size_t>{20, 16384}, {20, 8192}, {20, 4096}, {20, 2048}, {30, 2048}})
    for (const char *strategy : {"heft", "peft", "one-node", "round-robin"})
      row(tiles, side, cluster, strategy);
}
