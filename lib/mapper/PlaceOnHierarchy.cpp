#include "mapper/PlaceOnHierarchy.h"
#include "mapper/RefinePartition.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace streammap {
namespace {

/// Merging stops at this many vertices per block, or when a round merges less than a tenth.
constexpr std::size_t verticesPerBlock = 40;
constexpr double leastShrinking = 0.9;
/// Starts of the smallest bisections: each takes microseconds.
constexpr std::size_t growingTries = 8;

std::vector<std::uint32_t> shuffled(std::size_t count, Random &random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  shuffle(random, order);
  return order;
}

std::int64_t costOf(const CommunicationGraph &graph, const BlockDistances &distances,
                    const std::vector<std::uint32_t> &blockOf) {
  std::int64_t cost = 0;
  for (std::uint32_t v = 0; v < graph.size(); ++v)
    for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e)
      cost += graph.amount[e] * distances(blockOf[v], blockOf[graph.to[e]]);
  return cost;
}

/// Finer to coarser: levels[i].coarseOf leads from the graph of level i - 1 (the input for i = 0) to
/// levels[i].graph.
std::vector<Coarsening> merged(const CommunicationGraph &graph, std::span<const std::uint32_t> blockOf,
                               std::size_t fewest, Random &random) {
  std::vector<Coarsening> levels;
  const std::int64_t most = std::max<std::int64_t>(
      2, graph.totalWeight() * 3 / 2 / static_cast<std::int64_t>(std::max<std::size_t>(1, fewest)));
  const CommunicationGraph *finest = &graph;
  std::vector<std::uint32_t> blocks(blockOf.begin(), blockOf.end());
  while (finest->size() > fewest) {
    Coarsening level = coarsened(*finest, blocks, most, shuffled(finest->size(), random));
    if (static_cast<double>(level.graph.size()) > leastShrinking * static_cast<double>(finest->size()))
      break;
    if (!blocks.empty()) {
      std::vector<std::uint32_t> coarse(level.graph.size());
      for (std::size_t v = 0; v < level.coarseOf.size(); ++v)
        coarse[level.coarseOf[v]] = blocks[v];
      blocks = std::move(coarse);
    }
    levels.push_back(std::move(level));
    finest = &levels.back().graph;
  }
  return levels;
}

std::vector<std::uint32_t> projected(const Coarsening &level, const std::vector<std::uint32_t> &blockOf) {
  std::vector<std::uint32_t> fine(level.coarseOf.size());
  for (std::size_t v = 0; v < fine.size(); ++v)
    fine[v] = blockOf[level.coarseOf[v]];
  return fine;
}

/// Refines on the coarsest level, undoes one merging, refines again, down to the graph itself.
std::vector<std::uint32_t> refinedUp(const CommunicationGraph &graph, const std::vector<Coarsening> &levels,
                                     std::vector<std::uint32_t> blockOf, const BlockDistances &distances,
                                     std::span<const std::int64_t> capacity, const RefineOptions &options,
                                     Random &random) {
  for (std::size_t i = levels.size() + 1; i-- > 0;) {
    const CommunicationGraph &level = i == 0 ? graph : levels[i - 1].graph;
    relieve(level, blockOf, distances, capacity);
    refine(level, blockOf, distances, capacity, options, random);
    if (i > 0)
      blockOf = projected(levels[i - 1], blockOf);
  }
  return blockOf;
}

/// Two blocks on a small graph: the first grows from some vertex, by the neighbour that adds least to the
/// cut, until it has its share.
std::vector<std::uint32_t> grown(const CommunicationGraph &graph, std::int64_t share, Random &random) {
  std::vector<std::uint32_t> blockOf(graph.size(), 1);
  std::vector<std::int64_t> inside(graph.size(), 0), around(graph.size(), 0);
  for (std::uint32_t v = 0; v < graph.size(); ++v)
    for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e)
      around[v] += graph.amount[e];
  std::uint32_t next = static_cast<std::uint32_t>(random.below(graph.size()));
  for (std::int64_t weight = 0; weight + graph.vertexWeight[next] <= share;) {
    blockOf[next] = 0;
    weight += graph.vertexWeight[next];
    for (std::size_t e = graph.first[next]; e < graph.first[next + 1]; ++e)
      inside[graph.to[e]] += graph.amount[e];
    std::uint32_t best = UINT32_MAX;
    for (std::uint32_t v = 0; v < graph.size(); ++v)
      if (blockOf[v] == 1 &&
          (best == UINT32_MAX || std::pair(inside[v] > 0, 2 * inside[v] - around[v]) >
                                     std::pair(inside[best] > 0, 2 * inside[best] - around[best])))
        best = v;
    if (best == UINT32_MAX)
      break;
    next = best;
  }
  return blockOf;
}

class Divider {
public:
  Divider(const PlaceOptions &options, Random &random) : options_(options), random_(random) {}

  /// `capacity` of each block; block b should get about its share of all capacities.
  std::vector<std::uint32_t> divide(const CommunicationGraph &graph, std::span<const std::int64_t> capacity) {
    if (capacity.size() == 1 || graph.size() == 0)
      return std::vector<std::uint32_t>(graph.size(), 0);
    const BlockDistances distances(capacity.size());
    std::vector<std::uint32_t> best;
    Cost bestCost;
    for (std::size_t attempt = 0; attempt < std::max<std::size_t>(1, options_.attempts); ++attempt) {
      std::vector<std::uint32_t> blockOf = dividedOnce(graph, distances, capacity);
      // A cycle that merges inside blocks only starts from the same division and can but improve it.
      const auto levels = merged(graph, blockOf, verticesPerBlock * capacity.size(), random_);
      std::vector<std::uint32_t> coarse = blockOf;
      for (const Coarsening &level : levels)
        coarse = lifted(level, coarse);
      blockOf = refinedUp(graph, levels, std::move(coarse), distances, capacity, refining_, random_);
      const Cost cost = judged(graph, distances, blockOf, capacity);
      if (best.empty() || cost < bestCost) {
        best = std::move(blockOf);
        bestCost = cost;
      }
    }
    return best;
  }

  static std::vector<std::uint32_t> lifted(const Coarsening &level,
                                           const std::vector<std::uint32_t> &blockOf) {
    std::vector<std::uint32_t> coarse(level.graph.size());
    for (std::size_t v = 0; v < level.coarseOf.size(); ++v)
      coarse[level.coarseOf[v]] = blockOf[v];
    return coarse;
  }

private:
  /// What a division is judged by: first how much does not fit, then the cut.
  using Cost = std::pair<std::int64_t, std::int64_t>;
  static Cost judged(const CommunicationGraph &graph, const BlockDistances &distances,
                     const std::vector<std::uint32_t> &blockOf, std::span<const std::int64_t> capacity) {
    const std::vector<std::int64_t> weights = blockWeights(graph, blockOf, capacity.size());
    std::int64_t excess = 0;
    for (std::size_t block = 0; block < capacity.size(); ++block)
      excess += std::max<std::int64_t>(0, weights[block] - capacity[block]);
    return {excess, costOf(graph, distances, blockOf)};
  }

  std::vector<std::uint32_t> dividedOnce(const CommunicationGraph &graph, const BlockDistances &distances,
                                         std::span<const std::int64_t> capacity) {
    const auto levels = merged(graph, {}, verticesPerBlock * capacity.size(), random_);
    const CommunicationGraph &smallest = levels.empty() ? graph : levels.back().graph;
    std::vector<std::uint32_t> blockOf =
        capacity.size() == 2 ? bisected(smallest, distances, capacity) : split(smallest, capacity);
    return refinedUp(graph, levels, std::move(blockOf), distances, capacity, refining_, random_);
  }

  std::vector<std::uint32_t> bisected(const CommunicationGraph &graph, const BlockDistances &distances,
                                      std::span<const std::int64_t> capacity) {
    const std::int64_t share = static_cast<std::int64_t>(static_cast<double>(graph.totalWeight()) *
                                                         static_cast<double>(capacity[0]) /
                                                         static_cast<double>(capacity[0] + capacity[1]));
    std::vector<std::uint32_t> best;
    Cost bestCost;
    for (std::size_t i = 0; i < growingTries; ++i) {
      std::vector<std::uint32_t> blockOf = grown(graph, share, random_);
      relieve(graph, blockOf, distances, capacity);
      refine(graph, blockOf, distances, capacity, refining_, random_);
      const Cost cost = judged(graph, distances, blockOf, capacity);
      if (best.empty() || cost < bestCost) {
        best = std::move(blockOf);
        bestCost = cost;
      }
    }
    return best;
  }

  /// In two halves of the blocks, and each of those on its own.
  std::vector<std::uint32_t> split(const CommunicationGraph &graph, std::span<const std::int64_t> capacity) {
    const std::size_t left = capacity.size() / 2;
    const std::span<const std::int64_t> halves[] = {capacity.subspan(0, left), capacity.subspan(left)};
    std::vector<std::int64_t> sums;
    for (const std::span<const std::int64_t> &half : halves)
      sums.push_back(std::accumulate(half.begin(), half.end(), std::int64_t{0}));
    const std::vector<std::uint32_t> halfOf = divide(graph, sums);
    std::vector<std::uint32_t> blockOf(graph.size());
    for (std::uint32_t half = 0; half < 2; ++half) {
      const Subgraph part = subgraphOf(graph, halfOf, half);
      const std::vector<std::uint32_t> inside = divide(part.graph, halves[half]);
      for (std::size_t i = 0; i < inside.size(); ++i)
        blockOf[part.vertices[i]] = inside[i] + static_cast<std::uint32_t>(half == 0 ? 0 : left);
    }
    return blockOf;
  }

  const PlaceOptions &options_;
  Random &random_;
  RefineOptions refining_;
};

/// Divides `graph` among the groups of level `level`, then each part inside its group.
void placeLevel(const CommunicationGraph &graph, const Hierarchy &hierarchy, std::size_t level,
                std::int64_t placeCapacity, std::uint32_t firstPlace, std::span<const std::uint32_t> vertices,
                Divider &divider, std::vector<std::uint32_t> &placeOf) {
  std::size_t inside = 1;
  for (std::size_t i = 0; i < level; ++i)
    inside *= hierarchy.fanout[i];
  const std::size_t groups = hierarchy.fanout[level];
  // The room left over is spread evenly (as a factor) over the levels still to come.
  const double mean = static_cast<double>(graph.totalWeight()) / static_cast<double>(groups * inside);
  const double spare = std::max(1.0, static_cast<double>(placeCapacity) / std::max(mean, 1e-9));
  const double allowed = mean * std::pow(spare, 1 / static_cast<double>(level + 1));
  const std::int64_t capacity =
      level == 0 ? placeCapacity
                 : static_cast<std::int64_t>(std::ceil(allowed * static_cast<double>(inside)));
  const std::vector<std::uint32_t> groupOf =
      divider.divide(graph, std::vector<std::int64_t>(groups, capacity));
  for (std::uint32_t group = 0; group < groups; ++group) {
    const std::uint32_t first = firstPlace + group * static_cast<std::uint32_t>(inside);
    const Subgraph part = subgraphOf(graph, groupOf, group);
    std::vector<std::uint32_t> partVertices;
    for (std::uint32_t v : part.vertices)
      partVertices.push_back(vertices[v]);
    if (level > 0)
      placeLevel(part.graph, hierarchy, level - 1, placeCapacity, first, partVertices, divider, placeOf);
    else
      for (std::uint32_t v : partVertices)
        placeOf[v] = first;
  }
}

} // namespace

std::int64_t communicationCost(const CommunicationGraph &graph, const Hierarchy &hierarchy,
                               const std::vector<std::uint32_t> &placeOf) {
  return costOf(graph, BlockDistances(hierarchy), placeOf);
}

std::vector<std::uint32_t> placeOnHierarchy(const CommunicationGraph &graph, const Hierarchy &hierarchy,
                                            const PlaceOptions &options) {
  assert(!hierarchy.fanout.empty() && hierarchy.fanout.size() == hierarchy.distance.size());
  Random random(options.seed);
  Divider divider(options, random);
  const std::int64_t places = static_cast<std::int64_t>(hierarchy.places());
  const std::int64_t mean = (graph.totalWeight() + places - 1) / places;
  const std::int64_t capacity =
      static_cast<std::int64_t>(std::floor((1 + options.imbalance) * static_cast<double>(mean)));
  std::vector<std::uint32_t> all(graph.size()), placeOf(graph.size(), 0);
  std::iota(all.begin(), all.end(), 0u);
  placeLevel(graph, hierarchy, hierarchy.fanout.size() - 1, capacity, 0, all, divider, placeOf);

  const BlockDistances distances(hierarchy);
  const std::vector<std::int64_t> capacities(hierarchy.places(), capacity);
  for (std::size_t cycle = 0; cycle < options.cycles; ++cycle) {
    const auto levels = merged(graph, placeOf, graph.size() / 8 + 1, random);
    std::vector<std::uint32_t> coarse = placeOf;
    for (const Coarsening &level : levels)
      coarse = Divider::lifted(level, coarse);
    placeOf = refinedUp(graph, levels, std::move(coarse), distances, capacities, {}, random);
  }
  return placeOf;
}

} // namespace streammap
