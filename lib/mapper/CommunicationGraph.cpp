#include "mapper/CommunicationGraph.h"
#include <algorithm>
#include <numeric>
#include <tuple>

namespace streammap {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

} // namespace

std::int64_t CommunicationGraph::totalWeight() const {
  return std::accumulate(vertexWeight.begin(), vertexWeight.end(), std::int64_t{0});
}

CommunicationGraph communicationGraph(std::size_t vertices, std::vector<CommunicationEdge> edges) {
  const std::size_t given = edges.size();
  for (std::size_t i = 0; i < given; ++i)
    edges.push_back({edges[i].b, edges[i].a, edges[i].amount});
  std::ranges::sort(edges, [](const CommunicationEdge &x, const CommunicationEdge &y) {
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
  });
  CommunicationGraph graph;
  graph.vertexWeight.assign(vertices, 1);
  std::size_t i = 0;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const std::size_t begin = graph.to.size();
    for (; i < edges.size() && edges[i].a == v; ++i) {
      if (edges[i].b == v)
        continue;
      if (graph.to.size() > begin && graph.to.back() == edges[i].b) {
        graph.amount.back() += edges[i].amount;
        continue;
      }
      graph.to.push_back(edges[i].b);
      graph.amount.push_back(edges[i].amount);
    }
    graph.first.push_back(graph.to.size());
  }
  return graph;
}

Subgraph subgraphOf(const CommunicationGraph &graph, std::span<const std::uint32_t> of,
                    std::uint32_t wanted) {
  Subgraph made;
  std::vector<std::uint32_t> number(graph.size(), none);
  for (std::uint32_t v = 0; v < graph.size(); ++v)
    if (of[v] == wanted) {
      number[v] = static_cast<std::uint32_t>(made.vertices.size());
      made.vertices.push_back(v);
    }
  for (std::uint32_t v : made.vertices) {
    made.graph.vertexWeight.push_back(graph.vertexWeight[v]);
    for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e)
      if (number[graph.to[e]] != none) {
        made.graph.to.push_back(number[graph.to[e]]);
        made.graph.amount.push_back(graph.amount[e]);
      }
    made.graph.first.push_back(made.graph.to.size());
  }
  return made;
}

namespace {

/// The partner of each vertex, itself where it stays alone.
std::vector<std::uint32_t> matched(const CommunicationGraph &graph, std::span<const std::uint32_t> of,
                                   std::int64_t mostWeight, std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> partner(graph.size(), none);
  for (std::uint32_t v : order) {
    if (partner[v] != none)
      continue;
    std::uint32_t best = v;
    double bestRating = 0;
    for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
      const std::uint32_t u = graph.to[e];
      if (partner[u] != none || (!of.empty() && of[u] != of[v]) ||
          graph.vertexWeight[u] + graph.vertexWeight[v] > mostWeight)
        continue;
      const double amount = static_cast<double>(graph.amount[e]);
      const double rating =
          amount * amount /
          (static_cast<double>(graph.vertexWeight[u]) * static_cast<double>(graph.vertexWeight[v]));
      if (rating > bestRating) {
        bestRating = rating;
        best = u;
      }
    }
    partner[v] = best;
    partner[best] = v;
  }
  return partner;
}

} // namespace

Coarsening coarsened(const CommunicationGraph &graph, std::span<const std::uint32_t> of,
                     std::int64_t mostWeight, std::span<const std::uint32_t> order) {
  const std::vector<std::uint32_t> partner = matched(graph, of, mostWeight, order);
  Coarsening made;
  made.coarseOf.assign(graph.size(), none);
  std::vector<std::uint32_t> members; // the first of each coarse vertex
  for (std::uint32_t v = 0; v < graph.size(); ++v)
    if (made.coarseOf[v] == none) {
      made.coarseOf[v] = made.coarseOf[partner[v]] = static_cast<std::uint32_t>(members.size());
      members.push_back(v);
    }
  std::vector<std::size_t> entryOf(members.size(),
                                   0); // of a coarse neighbour, where it is in this vertex's list
  for (std::uint32_t c = 0; c < members.size(); ++c) {
    const std::size_t begin = made.graph.to.size();
    std::int64_t weight = 0;
    const auto add = [&](std::uint32_t v) {
      weight += graph.vertexWeight[v];
      for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
        const std::uint32_t other = made.coarseOf[graph.to[e]];
        if (other == c)
          continue;
        const std::size_t entry = entryOf[other];
        if (entry >= begin && entry < made.graph.to.size() && made.graph.to[entry] == other) {
          made.graph.amount[entry] += graph.amount[e];
          continue;
        }
        entryOf[other] = made.graph.to.size();
        made.graph.to.push_back(other);
        made.graph.amount.push_back(graph.amount[e]);
      }
    };
    add(members[c]);
    if (partner[members[c]] != members[c])
      add(partner[members[c]]);
    made.graph.vertexWeight.push_back(weight);
    made.graph.first.push_back(made.graph.to.size());
  }
  return made;
}

} // namespace streammap
