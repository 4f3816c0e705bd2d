#pragma once
// Who exchanges how much with whom, without directions: what partitioning and placement on a hierarchy work
// on.
//
//   CommunicationGraph graph = communicationGraph(3, {{0, 1, 4096}, {1, 2, 64}, {1, 0, 4096}});
//   graph.degree(0);             // 1: edges between the same two vertices are one, their amounts added
#include <cstdint>
#include <span>
#include <vector>

namespace streammap {

struct CommunicationGraph {
  /// The neighbours of vertex v are `to[first[v]]` to `to[first[v + 1] - 1]`; every edge is there from both
  /// ends.
  std::vector<std::size_t> first{0};
  std::vector<std::uint32_t> to;
  std::vector<std::int64_t> amount;       ///< of each entry of `to`, above 0
  std::vector<std::int64_t> vertexWeight; ///< work or memory that a place must hold, 1 or more

  std::size_t size() const { return vertexWeight.size(); }
  std::size_t degree(std::uint32_t v) const { return first[v + 1] - first[v]; }
  std::int64_t totalWeight() const;
};

struct CommunicationEdge {
  std::uint32_t a = 0, b = 0;
  std::int64_t amount = 1;
};

/// All vertices of weight 1. Edges from a vertex to itself are left out. O(vertices + edges log edges).
CommunicationGraph communicationGraph(std::size_t vertices, std::vector<CommunicationEdge> edges);

/// The vertices where `of` is `wanted`, and the edges between them; `vertices` gets their numbers in `graph`.
struct Subgraph {
  CommunicationGraph graph;
  std::vector<std::uint32_t> vertices;
};
Subgraph subgraphOf(const CommunicationGraph &graph, std::span<const std::uint32_t> of, std::uint32_t wanted);

/// Pairs of neighbours merged into one vertex each, the heaviest edge for the weight of its ends first
/// (Holtgrewe, Sanders, Schulz, "Engineering a Scalable High Quality Graph Partitioner", IPDPS 2010, rating
/// expansion*2).
struct Coarsening {
  CommunicationGraph graph;
  std::vector<std::uint32_t> coarseOf; ///< by vertex of the finer graph
};
/// No merged vertex weighs more than `mostWeight`; where `of` is not empty, only vertices of one block are
/// merged. Vertices are visited in the order of `order`. O(edges).
Coarsening coarsened(const CommunicationGraph &graph, std::span<const std::uint32_t> of,
                     std::int64_t mostWeight, std::span<const std::uint32_t> order);

} // namespace streammap
