#include "mapper/MapTasks.h"
#include "mapper/LowerBound.h"
#include "mapper/MeanCosts.h"
#include "model/PlacementJson.h"
#include "model/Violations.h"
#include "support/Catch.h"
#include "support/Cholesky.h"
#include "support/Processors.h"
#include <random>

using namespace streammap;
using namespace streammap::test;

namespace {

double makespanBy(const ProcessorGraph &g, const std::string &strategy) {
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  const Expected<Placement> placement = mapTasks(*problem, {.strategy = strategy, .effort = Effort::fast});
  REQUIRE(placement);
  return placement->predicted.makespan.value();
}

/// Layers of tasks with edges to later ones; unrelated times; weights around `communication` times the task
/// times.
ProcessorGraph randomGraph(std::mt19937 &random, std::size_t tasks, std::size_t processors,
                           double communication) {
  std::uniform_real_distribution<double> time(1, 20);
  std::bernoulli_distribution linked(0.4);
  std::vector<std::vector<double>> times(tasks, std::vector<double>(processors));
  for (auto &row : times)
    for (double &t : row)
      t = std::round(time(random));
  std::vector<Edge> edges;
  for (std::size_t to = 1; to < tasks; ++to)
    for (std::size_t from = 0; from < to; ++from)
      if (linked(random))
        edges.push_back({from, to, std::round(communication * time(random))});
  return processorGraph(times, edges);
}

} // namespace

TEST_CASE("HEFT gives 80 and CPOP 86 on the example of their paper") {
  CHECK(makespanBy(topcuogluExample(), "heft") == Approx(80));
  CHECK(makespanBy(topcuogluExample(), "cpop") == Approx(86));
}

TEST_CASE("upward and downward ranks are those of the paper's table") {
  const ProcessorGraph g = topcuogluExample();
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  const MeanCosts means(*problem);
  const auto up = means.upwardRanks(), down = means.downwardRanks();
  const std::vector<double> paperUp{108.000, 77.000, 80.000, 80.000, 69.000,
                                    63.333,  42.667, 35.667, 44.333, 14.667};
  const std::vector<double> paperDown{0,      31.000, 25.000, 22.000, 24.000,
                                      27.000, 62.333, 66.667, 63.667, 93.333};
  for (std::size_t t = 0; t < 10; ++t) {
    CHECK(up[TaskId(t)].value() == Approx(paperUp[t]).margin(5e-4));
    CHECK(down[TaskId(t)].value() == Approx(paperDown[t]).margin(5e-4));
  }
}

TEST_CASE("PEFT gives 122 and HEFT 133 on the example of the PEFT paper") {
  CHECK(makespanBy(peftExample(), "peft") == Approx(122));
  CHECK(makespanBy(peftExample(), "heft") == Approx(133));
}

TEST_CASE("auto is never worse than any strategy it tries") {
  std::mt19937 random(7);
  for (int round = 0; round < 8; ++round) {
    const ProcessorGraph g = randomGraph(random, 12, 4, 3);
    const double best = makespanBy(g, "auto");
    for (const Strategy &strategy : strategies())
      CHECK(best <= makespanBy(g, std::string(strategy.name)) * (1 + 1e-12));
  }
}

TEST_CASE("every strategy keeps every rule, and no bound passes the optimum") {
  std::mt19937 random(1);
  for (int round = 0; round < 120; ++round) {
    INFO("round " << round << " of seed 1");
    const ProcessorGraph g = randomGraph(random, 2 + round % 4, 1 + round % 3, round % 5);
    const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
    REQUIRE(problem);
    const double optimum = bruteForceMakespan(*problem)->value();
    CHECK(lowerBound(*problem).time.value() <= optimum * (1 + 1e-12));
    for (const Strategy &strategy : strategies()) {
      INFO(strategy.name);
      const Expected<Placement> placement =
          mapTasks(*problem, {.strategy = std::string(strategy.name), .effort = Effort::fast});
      REQUIRE(placement);
      CHECK(findViolations(g.graph, g.cluster, *placement).empty());
      CHECK(placement->predicted.makespan.value() >= optimum * (1 - 1e-12));
    }
  }
}

TEST_CASE("the same problem gives the same bytes") {
  std::mt19937 random(3);
  const ProcessorGraph g = randomGraph(random, 30, 5, 2);
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster), again = makeProblem(g.graph, g.cluster);
  for (const Strategy &strategy : strategies()) {
    const MapOptions options{.strategy = std::string(strategy.name), .effort = Effort::fast};
    CHECK(writePlacement(*mapTasks(*problem, options), g.graph, g.cluster) ==
          writePlacement(*mapTasks(*again, options), g.graph, g.cluster));
  }
}

TEST_CASE("doubling every time and every byte doubles the makespan") {
  std::mt19937 random(5);
  for (int round = 0; round < 10; ++round) {
    ProcessorGraph g = randomGraph(random, 12, 3, 2);
    const double before = makespanBy(g, "auto");
    for (Task &task : g.graph.tasks)
      for (auto &[model, time] : task.seconds)
        time *= 2;
    for (Dependency &dependency : g.graph.dependencies)
      dependency.size *= 2;
    CHECK(makespanBy(g, "auto") == 2 * before); // powers of two: exact
  }
}

TEST_CASE("an unknown strategy names the nearest") {
  const ProcessorGraph g = topcuogluExample();
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  const Expected<Placement> placement = mapTasks(*problem, {.strategy = "heff"});
  REQUIRE_FALSE(placement);
  CHECK(placement.error().message == "unknown strategy 'heff'; did you mean 'heft'?");
}

TEST_CASE("an empty graph maps to an empty placement") {
  const ProcessorGraph g = identicalProcessors({}, {}, 2);
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  for (const Strategy &strategy : strategies()) {
    const Expected<Placement> placement =
        mapTasks(*problem, {.strategy = std::string(strategy.name), .effort = Effort::fast});
    REQUIRE(placement);
    CHECK(placement->assignments.empty());
  }
}

TEST_CASE("tiled Cholesky takes t^3 on one processor and 9t-10 on enough of them") {
  // Kernels of weight 1, 3, 3, 6 and free data: work t^3, critical path 9t-10 (arXiv 1510.05107).
  const CholeskyTimes weights{{"potrf", {{"*", seconds(1)}}},
                              {"trsm", {{"*", seconds(3)}}},
                              {"syrk", {{"*", seconds(3)}}},
                              {"gemm", {{"*", seconds(6)}}}};
  for (std::size_t t : {3, 5, 8}) {
    const double side = static_cast<double>(t);
    ProcessorGraph g = identicalProcessors({}, {}, 1);
    g.graph = choleskyGraph(t, bytes(1), weights);
    CHECK(makespanBy(g, "heft") == Approx(side * side * side));
    g.cluster = identicalProcessors({}, {}, 60).cluster;
    for (NodeType &type : g.cluster.nodeTypes)
      type.nicCount = 0; // not described: free
    CHECK(makespanBy(g, "heft") == Approx(9 * side - 10));
  }
}
