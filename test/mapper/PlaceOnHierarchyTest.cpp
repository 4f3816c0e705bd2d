// Partitioning, placement on a hierarchy, quadratic assignment.
#include "mapper/PlaceOnHierarchy.h"
#include "mapper/QuadraticAssignment.h"
#include "mapper/RefinePartition.h"
#include "support/Catch.h"
#include <algorithm>
#include <numeric>

using namespace streammap;

namespace {

CommunicationGraph randomGraph(std::size_t vertices, std::size_t edges, Random &random, bool weighted) {
  std::vector<CommunicationEdge> list;
  for (std::size_t i = 0; i < edges; ++i)
    list.push_back({static_cast<std::uint32_t>(random.below(vertices)),
                    static_cast<std::uint32_t>(random.below(vertices)),
                    1 + static_cast<std::int64_t>(random.below(9))});
  CommunicationGraph graph = communicationGraph(vertices, std::move(list));
  if (weighted)
    for (std::int64_t &weight : graph.vertexWeight)
      weight = 1 + static_cast<std::int64_t>(random.below(4));
  return graph;
}

/// A `side` x `side` mesh.
CommunicationGraph mesh(std::uint32_t side) {
  std::vector<CommunicationEdge> edges;
  for (std::uint32_t y = 0; y < side; ++y)
    for (std::uint32_t x = 0; x < side; ++x) {
      if (x + 1 < side)
        edges.push_back({y * side + x, y * side + x + 1, 1});
      if (y + 1 < side)
        edges.push_back({y * side + x, y * side + x + side, 1});
    }
  return communicationGraph(side * side, std::move(edges));
}

std::int64_t heaviest(const CommunicationGraph &graph, const std::vector<std::uint32_t> &blockOf,
                      std::size_t blocks) {
  return std::ranges::max(blockWeights(graph, blockOf, blocks));
}

std::int64_t leastCost(const CommunicationGraph &graph, const Hierarchy &hierarchy) {
  std::vector<std::uint32_t> placeOf(graph.size());
  std::iota(placeOf.begin(), placeOf.end(), 0u);
  std::int64_t least = INT64_MAX;
  do
    least = std::min(least, communicationCost(graph, hierarchy, placeOf));
  while (std::ranges::next_permutation(placeOf).found);
  return least;
}

AssignmentProblem randomAssignment(std::size_t size, Random &random) {
  AssignmentProblem problem{SquareMatrix(size, std::vector<std::int64_t>(size)),
                            SquareMatrix(size, std::vector<std::int64_t>(size))};
  for (SquareMatrix *matrix : {&problem.flow, &problem.distance})
    for (std::vector<std::int64_t> &row : *matrix)
      for (std::int64_t &value : row)
        value = static_cast<std::int64_t>(random.below(20)); // not symmetric, not 0 on the diagonal
  return problem;
}

} // namespace

TEST_CASE("a communication graph has each edge once from both ends") {
  const CommunicationGraph graph = communicationGraph(3, {{0, 1, 5}, {1, 0, 2}, {2, 2, 9}, {2, 1, 1}});
  CHECK(graph.degree(0) == 1);
  CHECK(graph.degree(1) == 2);
  CHECK(graph.degree(2) == 1);
  CHECK(graph.amount[graph.first[0]] == 7);
  CHECK(communicationCost(graph, {{1, 3}, {1, 2}}, {0, 1, 2}) == 2 * (7 * 2 + 1 * 2));
}

TEST_CASE("distances follow the level at which two places meet") {
  const BlockDistances distance(Hierarchy{{8, 16, 4}, {1, 10, 30}});
  CHECK(distance.blocks() == 512);
  CHECK(distance(3, 3) == 0);
  CHECK(distance(0, 7) == 1);
  CHECK(distance(7, 8) == 10);
  CHECK(distance(127, 128) == 30);
}

TEST_CASE("merging keeps all weight and every amount that is not inside a merged vertex") {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    const CommunicationGraph graph = randomGraph(40, 120, random, true);
    std::vector<std::uint32_t> order(40), blockOf(40);
    std::iota(order.begin(), order.end(), 0u);
    shuffle(random, order);
    for (std::uint32_t &block : blockOf)
      block = static_cast<std::uint32_t>(random.below(3));
    const Coarsening coarse = coarsened(graph, blockOf, 6, order);
    CHECK(coarse.graph.totalWeight() == graph.totalWeight());
    CHECK(coarse.graph.size() < graph.size());
    CHECK(std::ranges::max(coarse.graph.vertexWeight) <= 6);
    std::vector<std::uint32_t> coarseBlocks(coarse.graph.size());
    for (std::size_t v = 0; v < 40; ++v)
      coarseBlocks[coarse.coarseOf[v]] = blockOf[v];
    for (std::size_t v = 0; v < 40; ++v)
      CHECK(coarseBlocks[coarse.coarseOf[v]] == blockOf[v]);
    CHECK(communicationCost(coarse.graph, {{3}, {1}}, coarseBlocks) ==
          communicationCost(graph, {{3}, {1}}, blockOf));
  }
}

TEST_CASE("refining never makes a division worse, and says how much better it made it") {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const CommunicationGraph graph = randomGraph(30, 90, random, round % 2 == 0);
    const Hierarchy hierarchy{{3, 2}, {1, 5}};
    std::vector<std::uint32_t> blockOf(30);
    for (std::uint32_t &block : blockOf)
      block = static_cast<std::uint32_t>(random.below(6));
    const std::int64_t allowed = graph.totalWeight() / 6 + 3;
    const std::vector<std::int64_t> capacity(6, allowed);
    const std::int64_t heaviestBefore = heaviest(graph, blockOf, 6);
    const std::int64_t before = communicationCost(graph, hierarchy, blockOf);
    const std::int64_t won = refine(graph, blockOf, BlockDistances(hierarchy), capacity, {}, random);
    CHECK(won >= 0);
    CHECK(communicationCost(graph, hierarchy, blockOf) == before - 2 * won);
    CHECK(heaviest(graph, blockOf, 6) <= std::max(allowed, heaviestBefore));
  }
}

TEST_CASE("relieving fits blocks to their capacity where vertices are light") {
  Random random(3);
  const CommunicationGraph graph = randomGraph(60, 150, random, false);
  std::vector<std::uint32_t> blockOf(60, 2);
  relieve(graph, blockOf, BlockDistances(6), std::vector<std::int64_t>(6, 10));
  CHECK(heaviest(graph, blockOf, 6) == 10);
}

TEST_CASE("two groups that talk among themselves go to two nodes") {
  std::vector<CommunicationEdge> edges{{0, 4, 1}};
  for (std::uint32_t group : {0u, 4u})
    for (std::uint32_t a = 0; a < 4; ++a)
      for (std::uint32_t b = 0; b < a; ++b)
        edges.push_back({group + a, group + b, 10});
  const Hierarchy nodes{{4, 2}, {1, 100}};
  const CommunicationGraph graph = communicationGraph(8, edges);
  const std::vector<std::uint32_t> placeOf = placeOnHierarchy(graph, nodes, {});
  CHECK(communicationCost(graph, nodes, placeOf) == 2 * (100 + 12 * 10));
  CHECK(heaviest(graph, placeOf, 8) == 1);
}

TEST_CASE("close to the best of all placements on small problems") {
  Random random(5);
  const Hierarchy hierarchy{{2, 2, 2}, {1, 4, 12}};
  double gaps = 0;
  for (std::uint64_t round = 0; round < 20; ++round) {
    const CommunicationGraph graph = randomGraph(8, 14, random, false);
    const std::vector<std::uint32_t> placeOf = placeOnHierarchy(graph, hierarchy, {.seed = round});
    CHECK(heaviest(graph, placeOf, 8) == 1);
    const double cost = static_cast<double>(communicationCost(graph, hierarchy, placeOf));
    const double least = static_cast<double>(leastCost(graph, hierarchy));
    CHECK(cost >= least);
    gaps += cost / least - 1;
  }
  CHECK(gaps / 20 < 0.05); // measured 0.01
}

TEST_CASE("a mesh on a hierarchy: near the straight cut, in balance, the same for the same seed") {
  const CommunicationGraph graph = mesh(32);
  const Hierarchy machine{{4, 4, 2}, {1, 10, 30}};
  const std::vector<std::uint32_t> placeOf = placeOnHierarchy(graph, machine, {});
  CHECK(heaviest(graph, placeOf, 32) <= 32); // floor(1.03 x 32)
  // Straight cuts: 32 edges between leaves; inside each half, 16 x 32, three cuts of 16 into 16 x 8; each of
  // those in four of 8 x 4 by 3 cuts of 8 or two crossing ones of 8 + 16.
  const std::int64_t straight = 2 * (32 * 30 + 2 * 3 * 16 * 10 + 8 * 24 * 1);
  const std::int64_t cost = communicationCost(graph, machine, placeOf);
  INFO(cost << " against " << straight);
  CHECK(static_cast<double>(cost) < 1.15 * static_cast<double>(straight));
  CHECK(placeOnHierarchy(graph, machine, {}) == placeOf);
}

TEST_CASE("no vertices, one place, more places than vertices") {
  CHECK(placeOnHierarchy(communicationGraph(0, {}), {{4}, {1}}, {}).empty());
  CHECK(placeOnHierarchy(communicationGraph(3, {{0, 1, 1}}), {{1}, {1}}, {}) ==
        std::vector<std::uint32_t>{0, 0, 0});
  const CommunicationGraph pair = communicationGraph(2, {{0, 1, 1}});
  const std::vector<std::uint32_t> placeOf = placeOnHierarchy(pair, {{4, 4}, {1, 10}}, {});
  CHECK(communicationCost(pair, {{4, 4}, {1, 10}}, placeOf) == 2);
}

TEST_CASE("assignment: the best of all on small problems, and a cost that is what it says") {
  Random random(9);
  for (std::uint64_t round = 0; round < 30; ++round) {
    const AssignmentProblem problem = randomAssignment(6, random);
    const Assigned assigned = solveAssignment(problem, {.steps = 2000, .seed = round});
    CHECK(assigned.cost == assignmentCost(problem, assigned.locationOf));
    std::vector<std::uint32_t> all(6);
    std::iota(all.begin(), all.end(), 0u);
    std::int64_t least = INT64_MAX;
    do
      least = std::min(least, assignmentCost(problem, all));
    while (std::ranges::next_permutation(all).found);
    CHECK(assigned.cost == least);
  }
}

TEST_CASE("assignment of one facility, and of none") {
  CHECK(solveAssignment({{{3}}, {{2}}}, {}).cost == 6);
  CHECK(solveAssignment({{}, {}}, {}).locationOf.empty());
}
