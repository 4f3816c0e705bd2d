// The local search: anytime, repeatable, and good enough to find small optima.
#include "mapper/Evaluator.h"
#include "mapper/MapTasks.h"
#include "model/PlacementJson.h"
#include "support/Catch.h"
#include "support/Cholesky.h"
#include "support/Processors.h"
#include <random>

using namespace streammap;
using namespace streammap::test;

namespace {

Placement mapped(const ProcessorGraph &g, const MapOptions &options) {
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  Expected<Placement> placement = mapTasks(*problem, options);
  REQUIRE(placement);
  return std::move(*placement);
}

/// A chain of layers on unlike processors, with communication.
ProcessorGraph layered(std::uint32_t seed, std::size_t tasks, std::size_t processors) {
  std::mt19937 random(seed);
  auto number = [&](std::size_t most) { return static_cast<double>(1 + random() % most); };
  std::vector<std::vector<double>> times(tasks, std::vector<double>(processors));
  for (auto &row : times)
    for (double &time : row)
      time = number(20);
  std::vector<Edge> edges;
  for (std::size_t to = 1; to < tasks; ++to)
    for (std::size_t from = to < 8 ? 0 : to - 8; from < to; ++from)
      if (random() % 4 == 0)
        edges.push_back({from, to, number(30)});
  return processorGraph(times, edges);
}

} // namespace

TEST_CASE("search finds the optima of the two papers' examples") {
  const MapOptions options{.strategy = "search"};
  CHECK(mapped(topcuogluExample(), options).predicted.makespan == seconds(73));
  CHECK(mapped(peftExample(), options).predicted.makespan == seconds(113));
  CHECK(mapped(topcuogluExample(), options).solver.strategy == "search");
}

TEST_CASE("search finds the optimum of small random problems") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    const ProcessorGraph g = layered(seed, 5, 3);
    const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
    REQUIRE(problem);
    const Expected<Placement> placement = mapTasks(*problem, {.strategy = "search", .effort = Effort::fast});
    REQUIRE(placement);
    CHECK(placement->predicted.makespan.value() == Approx(bruteForceMakespan(*problem)->value()));
  }
}

TEST_CASE("one thread or two, the search finds the same; another seed may not") {
  const ProcessorGraph g = layered(1, 60, 5);
  auto textOf = [&](unsigned threads, std::uint64_t seed) {
    return writePlacement(
        mapped(g, {.strategy = "search", .seed = seed, .effort = Effort::fast, .threads = threads}), g.graph,
        g.cluster);
  };
  CHECK(textOf(1, 5) == textOf(2, 5));
  CHECK(textOf(1, 5) != textOf(1, 6)); // the seed is in the file, at the least
}

TEST_CASE("search is never worse than the list schedulers, and mostly better") {
  int better = 0;
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    const ProcessorGraph g = layered(seed, 40, 4);
    double lists = mapped(g, {.strategy = "heft"}).predicted.makespan.value();
    for (const char *name : {"peft", "cpop", "one-device"})
      lists = std::min(lists, mapped(g, {.strategy = name}).predicted.makespan.value());
    const double searched =
        mapped(g, {.strategy = "search", .effort = Effort::fast}).predicted.makespan.value();
    CHECK(searched <= lists);
    better += searched < lists;
  }
  CHECK(better >= 3); // these graphs leave room
}

TEST_CASE("a search that is told to stop returns the best list schedule, and says so in its progress") {
  const ProcessorGraph g = layered(2, 60, 4);
  std::atomic<bool> stop = true;
  int calls = 0;
  MapOptions options{.strategy = "search"};
  options.stop = &stop;
  options.progress = [&](const MapProgress &) { ++calls; };
  const Placement stopped = mapped(g, options);
  CHECK(calls == 0);
  CHECK(stopped.solver.strategy != "search");

  options.stop = nullptr;
  options.effort = Effort::fast;
  Seconds last = never;
  std::uint64_t steps = 0;
  options.progress = [&](const MapProgress &progress) {
    ++calls;
    CHECK(progress.makespan <= last);
    CHECK(progress.lowerBound <= progress.makespan);
    CHECK(progress.steps > steps);
    CHECK(progress.steps <= progress.mostSteps);
    last = progress.makespan;
    steps = progress.steps;
  };
  CHECK(mapped(g, options).predicted.makespan == last);
  CHECK(calls > 3);
}

TEST_CASE("a time limit of nothing leaves the list schedules") {
  const ProcessorGraph g = layered(3, 60, 4);
  const Placement placement = mapped(g, {.strategy = "search", .timeLimit = seconds(0)});
  CHECK(placement.solver.strategy != "search");
}

TEST_CASE("search improves a tiled Cholesky factorisation on a contended cluster") {
  const ProcessorGraph g{choleskyWork(8, 2048), podOf(2)};
  const double heft = mapped(g, {.strategy = "heft"}).predicted.makespan.value();
  CHECK(mapped(g, {.strategy = "search", .effort = Effort::fast}).predicted.makespan.value() < heft);
}
