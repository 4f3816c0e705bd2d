// The exact solver: optima that are known or found by brute force, proofs that are given only where they
// hold.
#include "mapper/Exact.h"
#include "mapper/BranchAndBound.h"
#include "mapper/MapTasks.h"
#include "support/Catch.h"
#include "support/Cholesky.h"
#include "support/Processors.h"
#include <algorithm>
#include <random>

using namespace streammap;
using namespace streammap::test;

namespace {

struct Numbers {
  std::vector<std::vector<double>> times;
  std::vector<Edge> edges;
};

Numbers randomNumbers(std::mt19937 &random, std::size_t tasks, std::size_t processors) {
  auto number = [&](std::size_t most) { return static_cast<double>(1 + random() % most); };
  Numbers numbers{std::vector(tasks, std::vector<double>(processors)), {}};
  const bool alike = random() % 2 == 0;
  for (auto &row : numbers.times)
    for (double &time : row)
      time = alike && &time != &row[0] ? row[0] : number(12);
  const std::size_t weight = std::vector<std::size_t>{1, 10, 40}[random() % 3];
  for (std::size_t to = 1; to < tasks; ++to)
    for (std::size_t from = 0; from < to; ++from)
      if (random() % 5 < 2)
        numbers.edges.push_back({from, to, number(weight)});
  return numbers;
}

/// What branch and bound alone finds below `cutoff`.
ExactResult searched(const ProcessorGraph &g, Seconds cutoff, std::uint64_t mostSteps = UINT64_MAX) {
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  const std::optional<RelaxedProblem> relaxed = RelaxedProblem::of(*problem);
  REQUIRE(relaxed);
  return branchAndBound(*problem, *relaxed, cutoff, mostSteps, StopCondition({}));
}

Placement exact(const ProcessorGraph &g, Effort effort = Effort::normal) {
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  Expected<Placement> placement = mapTasks(*problem, {.strategy = "exact", .effort = effort});
  REQUIRE(placement);
  return std::move(*placement);
}

} // namespace

TEST_CASE("the optima of the HEFT and the PEFT paper's example are 73 and 113, with proof") {
  for (const auto &[g, optimum] : {std::pair{topcuogluExample(), 73}, {peftExample(), 113}}) {
    const ExactResult result = searched(g, seconds(1000));
    CHECK(result.exhausted);
    CHECK(result.makespan == optimum);
    CHECK(result.schedule.size() == 10);
    const Placement placement = exact(g);
    CHECK(placement.predicted.makespan == seconds(optimum));
    CHECK(placement.predicted.lowerBound == placement.predicted.makespan);
    CHECK(placement.predicted.gap == 0);
    CHECK(placement.predicted.optimal);
    CHECK(placement.predicted.boundBy == "exhaustive search");
  }
}

TEST_CASE("branch and bound from scratch agrees with brute force") {
  std::mt19937 random(11);
  for (int round = 0; round < 600; ++round) {
    INFO("round " << round << " of seed 11");
    const std::size_t processors = 1 + round % 3;
    const Numbers numbers = randomNumbers(random, 2 + round % 4, processors);
    const ProcessorGraph g = processorGraph(numbers.times, numbers.edges);
    const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
    REQUIRE(problem);
    const double optimum = bruteForceMakespan(*problem)->value();
    const ExactResult result = searched(g, seconds(1e6));
    CHECK(result.exhausted);
    CHECK(result.makespan == Approx(optimum));
    // Below the optimum there is nothing, and the search says so.
    const ExactResult none = searched(g, seconds(optimum));
    CHECK(none.exhausted);
    CHECK(none.schedule.empty());
    CHECK(none.makespan == optimum);
  }
}

TEST_CASE("tasks that take no time, and trades between alike processors, lose no optimum") {
  std::mt19937 random(12);
  for (int round = 0; round < 80; ++round) {
    INFO("round " << round << " of seed 12");
    Numbers numbers = randomNumbers(random, 5, 1);
    std::vector<double> times;
    for (const auto &row : numbers.times)
      times.push_back(random() % 3 == 0 ? 0 : row[0]);
    const ProcessorGraph g = identicalProcessors(times, numbers.edges, 3);
    const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
    REQUIRE(problem);
    CHECK(searched(g, seconds(1e6)).makespan == Approx(bruteForceMakespan(*problem)->value()));
  }
}

TEST_CASE("renaming processors changes no optimum, and a faster link never hurts") {
  std::mt19937 random(13);
  for (int round = 0; round < 40; ++round) {
    INFO("round " << round << " of seed 13");
    Numbers numbers = randomNumbers(random, 8, 3);
    const Placement before = exact(processorGraph(numbers.times, numbers.edges));
    REQUIRE(before.predicted.optimal);
    for (auto &row : numbers.times)
      std::ranges::rotate(row, row.begin() + 1);
    CHECK(exact(processorGraph(numbers.times, numbers.edges)).predicted.makespan ==
          before.predicted.makespan);
    for (Edge &edge : numbers.edges)
      edge.weight = std::floor(edge.weight / 2);
    CHECK(exact(processorGraph(numbers.times, numbers.edges)).predicted.makespan <=
          before.predicted.makespan);
  }
}

TEST_CASE("nothing is called optimal when the steps run out") {
  std::mt19937 random(14);
  const Numbers numbers = randomNumbers(random, 40, 4);
  const ProcessorGraph g = processorGraph(numbers.times, numbers.edges);
  const ExactResult result = searched(g, seconds(1e6), 50);
  CHECK_FALSE(result.exhausted);
  CHECK(result.steps <= 51);
}

TEST_CASE("a problem of too many tasks is mapped without a proof") {
  const ProcessorGraph g = identicalProcessors(std::vector<double>(65, 3), {}, 2);
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  CHECK_FALSE(RelaxedProblem::of(*problem));
  CHECK(exact(g).predicted.makespan == seconds(33 * 3));
}

TEST_CASE("tails know that successors at one place run one after the other") {
  // Three successors of 4 s: all here take 12, all elsewhere 10 + 4; two here and one elsewhere 14 as well,
  // so the best is 12. With transfers of 3 s all elsewhere end at 3 + 4, and one may stay.
  for (const auto &[weight, tail] : {std::pair{10.0, 12.0}, {3.0, 7.0}}) {
    const ProcessorGraph g =
        identicalProcessors({1, 4, 4, 4}, {{0, 1, weight}, {0, 2, weight}, {0, 3, weight}}, 4);
    const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
    REQUIRE(problem);
    const std::optional<RelaxedProblem> relaxed = RelaxedProblem::of(*problem);
    REQUIRE(relaxed);
    CHECK(relaxed->tail(0, 0) == tail);
    CHECK(relaxed->tail(1, 0) == 0);
  }
}

TEST_CASE("on shared links the bound holds, and what is called optimal is") {
  const ProcessorGraph g{choleskyWork(3, 1024), podOf(1)};
  const Placement placement = exact(g, Effort::fast);
  CHECK(placement.predicted.lowerBound <= placement.predicted.makespan);
  CHECK(placement.predicted.optimal == (placement.predicted.gap <= 1e-12));
}
