// Nodes by a division of the graph, then HEFT.
#include "mapper/Partition.h"
#include "mapper/Random.h"
#include "support/Catch.h"
#include "support/GraphText.h"
#include "support/Processors.h"

using namespace streammap;
using namespace streammap::test;

namespace {

double makespanBy(const std::string &strategy, const ProcessorGraph &g) {
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  const Expected<Placement> placement = mapTasks(*problem, {.strategy = strategy});
  REQUIRE(placement);
  return placement->predicted.makespan.value();
}

/// Four groups of ten tasks; whatever two of a group exchange is dear, and a little passes between groups.
ProcessorGraph groups(std::uint64_t seed) {
  Random random(seed);
  std::vector<Edge> edges;
  for (std::size_t to = 1; to < 40; ++to)
    for (std::size_t from = 0; from < to; ++from)
      if (const bool same = from % 4 == to % 4; random.chance(same ? 0.3 : 0.01))
        edges.push_back({from, to, same ? 30.0 : 1.0});
  return identicalProcessors(std::vector<double>(40, 10.0), edges, 4);
}

} // namespace

TEST_CASE("what tasks exchange, and how long they take, as whole numbers") {
  const ProcessorGraph g = identicalProcessors({3, 1}, {{0, 1, 7}}, 2);
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  const CommunicationGraph graph = communicationOf(*problem);
  CHECK(graph.vertexWeight == std::vector<std::int64_t>{1500, 500});
  CHECK(graph.amount == std::vector<std::int64_t>{7, 7});
}

TEST_CASE("no edges where no data passes, and tasks that take no time still weigh something") {
  const ProcessorGraph g = identicalProcessors({0, 0}, {{0, 1, 0}}, 2);
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  const CommunicationGraph graph = communicationOf(*problem);
  CHECK(graph.to.empty());
  CHECK(graph.vertexWeight == std::vector<std::int64_t>{1, 1});
}

TEST_CASE("never worse than HEFT, and better where groups of tasks talk much") {
  double heft = 0, partition = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ProcessorGraph g = groups(seed);
    const double byHeft = makespanBy("heft", g), byPartition = makespanBy("partition", g);
    CHECK(byPartition <= byHeft);
    heft += byHeft;
    partition += byPartition;
  }
  INFO("HEFT " << heft << ", partition " << partition);
  CHECK(partition < 0.95 * heft); // measured 0.91
}
