// No bound is ever above the least makespan: ten thousand tiny problems against brute force, and larger ones
// against branch and bound, which the exact solver's tests hold against brute force.
#include "mapper/BranchAndBound.h"
#include "mapper/LowerBound.h"
#include "mapper/Random.h"
#include "mapper/WorkBound.h"
#include "support/Catch.h"
#include "support/Processors.h"

using namespace streammap;
using namespace streammap::test;

namespace {

/// Times and weights from 0 on; some processors alike, some tasks not for some processors.
ProcessorGraph randomProblem(Random &random, std::size_t tasks, std::size_t processors) {
  std::vector<std::vector<double>> times(tasks, std::vector<double>(processors));
  const std::size_t spread = random.below(3);
  for (auto &row : times)
    for (double &time : row)
      time = spread == 0 && &time != &row[0] ? row[0]
                                             : static_cast<double>(random.below(spread == 1 ? 12 : 100));
  std::vector<Edge> edges;
  const std::size_t weight = 1 + random.below(40);
  for (std::size_t to = 1; to < tasks; ++to)
    for (std::size_t from = 0; from < to; ++from)
      if (random.chance(0.4))
        edges.push_back({from, to, static_cast<double>(random.below(weight))});
  ProcessorGraph g = processorGraph(times, edges);
  for (Task &task : g.graph.tasks)
    if (processors > 1 && random.chance(0.2))
      task.seconds.erase(task.seconds.begin());
  return g;
}

void checkBounds(const Problem &problem, double optimum) {
  const double most = optimum * (1 + 1e-12);
  const WorkBounds bounds = workBounds(problem);
  CHECK(bounds.work.value() <= most);
  CHECK(bounds.pathAndWork.value() <= most);
  CHECK(lowerBound(problem).time.value() <= most);
}

} // namespace

TEST_CASE("no bound passes the optimum of ten thousand tiny problems") {
  Random random(21);
  for (int round = 0; round < 10'000; ++round) {
    INFO("round " << round << " of seed 21");
    const ProcessorGraph g = randomProblem(random, 1 + random.below(3), 1 + random.below(3));
    const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
    REQUIRE(problem);
    checkBounds(*problem, bruteForceMakespan(*problem)->value());
  }
}

TEST_CASE("no bound passes the optimum of problems of up to nine tasks") {
  Random random(22);
  for (int round = 0; round < 1500; ++round) {
    INFO("round " << round << " of seed 22");
    const ProcessorGraph g = randomProblem(random, 4 + random.below(6), 2 + random.below(3));
    const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
    REQUIRE(problem);
    const ExactResult exact =
        branchAndBound(*problem, *RelaxedProblem::of(*problem), seconds(1e9), UINT64_MAX, StopCondition({}));
    REQUIRE(exact.exhausted);
    checkBounds(*problem, exact.makespan);
  }
}

TEST_CASE("the work bound is the optimum of the linear program") {
  // Ten tasks of 2 s on one model and 4 s on the other, one device each: 20/3 of them on the first, 10/3 on
  // the second, both busy for 40/3 s. Ten that take 4 s and 2 s beside them: each where it is fast, 20 s.
  std::vector<std::vector<double>> times(10, {2, 4});
  const ProcessorGraph one = processorGraph(times, {});
  CHECK(workBounds(*makeProblem(one.graph, one.cluster)).work.value() == Approx(40.0 / 3).epsilon(2e-3));
  times.insert(times.end(), 10, {4, 2});
  const ProcessorGraph two = processorGraph(times, {});
  CHECK(workBounds(*makeProblem(two.graph, two.cluster)).work.value() == Approx(20).epsilon(1e-9));
}

TEST_CASE("path and work see a narrow start and end") {
  // 1 s alone, then eight tasks of 1 s on four processors, then 1 s alone: 4 s, where work alone says 2.5.
  std::vector<Edge> edges;
  for (std::size_t middle = 1; middle <= 8; ++middle) {
    edges.push_back({0, middle, 0});
    edges.push_back({middle, 9, 0});
  }
  const ProcessorGraph g = identicalProcessors(std::vector<double>(10, 1), edges, 4);
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  CHECK(workBounds(*problem).work.value() == Approx(2.5));
  CHECK(workBounds(*problem).pathAndWork.value() == Approx(4));
  CHECK(lowerBound(*problem).name == "path and work");
}
