#include "mapper/RefinePartition.h"
#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>

namespace streammap {
namespace {

/// A block is searched for a vertex to push out only while it is small; large blocks have room enough to do
/// without.
constexpr std::size_t mostMembersToSearch = 512;
/// Moves in a row that leave a block too heavy before a search gives up.
constexpr std::size_t longestChain = 6;

struct Move {
  std::int64_t gain = 0;
  std::uint32_t vertex = 0, to = 0;
};

struct Offer {
  std::int64_t gain = 0;
  std::uint32_t vertex = 0, version = 0; ///< out of date unless it is the vertex's newest
  bool operator<(const Offer &other) const {
    return std::tie(gain, vertex) < std::tie(other.gain, other.vertex);
  }
};

class Refiner {
public:
  Refiner(const CommunicationGraph &graph, std::vector<std::uint32_t> &blockOf,
          const BlockDistances &distances, std::span<const std::int64_t> capacity)
      : graph_(graph), blockOf_(blockOf), distances_(distances), capacity_(capacity),
        weight_(blockWeights(graph, blockOf, distances.blocks())), members_(distances.blocks()),
        place_(graph.size()), touched_(graph.size(), 0), version_(graph.size(), 0),
        connection_(distances.blocks(), 0) {
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      place_[v] = static_cast<std::uint32_t>(members_[blockOf[v]].size());
      members_[blockOf[v]].push_back(v);
    }
  }

  std::int64_t run(const RefineOptions &options, Random &random) {
    std::int64_t total = 0;
    for (std::size_t round = 0; round < options.rounds; ++round) {
      std::vector<std::uint32_t> seeds;
      for (std::uint32_t v = 0; v < graph_.size(); ++v)
        if (isAtBorder(v))
          seeds.push_back(v);
      shuffle(random, seeds);
      std::int64_t won = 0;
      for (std::uint32_t seed : seeds)
        if (isAtBorder(seed))
          won += searchFrom(seed, options.patience);
      total += won;
      if (won == 0)
        break;
    }
    return total;
  }

  void relieve() {
    for (std::uint32_t block = 0; block < capacity_.size(); ++block)
      while (weight_[block] > capacity_[block]) {
        const std::optional<Move> move = cheapestOut(block);
        if (!move)
          break;
        apply(*move);
      }
  }

private:
  bool isAtBorder(std::uint32_t v) const {
    for (std::size_t e = graph_.first[v]; e < graph_.first[v + 1]; ++e)
      if (blockOf_[graph_.to[e]] != blockOf_[v])
        return true;
    return false;
  }

  bool hasRoom(std::uint32_t block, std::uint32_t vertex) const {
    return weight_[block] + graph_.vertexWeight[vertex] <= capacity_[block];
  }

  void collectConnections(std::uint32_t v) {
    for (std::uint32_t block : adjacent_)
      connection_[block] = 0;
    adjacent_.clear();
    for (std::size_t e = graph_.first[v]; e < graph_.first[v + 1]; ++e) {
      const std::uint32_t block = blockOf_[graph_.to[e]];
      if (connection_[block] == 0)
        adjacent_.push_back(block);
      connection_[block] += graph_.amount[e];
    }
  }

  /// What the edges of the vertex of the last collectConnections() would cost in `block`.
  std::int64_t costIn(std::uint32_t block) const {
    std::int64_t cost = 0;
    for (std::uint32_t other : adjacent_)
      cost += connection_[other] * distances_(block, other);
    return cost;
  }

  /// To a block that has a neighbour of `v`. Full blocks count only where `mayFill`. Ties go to the block
  /// with more room.
  std::optional<Move> bestMove(std::uint32_t v, bool mayFill) {
    collectConnections(v);
    const std::uint32_t from = blockOf_[v];
    const std::int64_t now = costIn(from);
    std::optional<Move> best;
    std::int64_t bestRoom = 0;
    for (std::uint32_t to : adjacent_) {
      if (to == from)
        continue;
      const bool room = hasRoom(to, v);
      if (!room && (!mayFill || members_[to].size() > mostMembersToSearch))
        continue;
      const std::int64_t gain = now - costIn(to), left = capacity_[to] - weight_[to];
      if (!best || gain > best->gain || (gain == best->gain && left > bestRoom)) {
        best = Move{gain, v, to};
        bestRoom = left;
      }
    }
    return best;
  }

  void apply(const Move &move) {
    const std::uint32_t v = move.vertex, from = blockOf_[v];
    weight_[from] -= graph_.vertexWeight[v];
    weight_[move.to] += graph_.vertexWeight[v];
    members_[from][place_[v]] = members_[from].back();
    place_[members_[from].back()] = place_[v];
    members_[from].pop_back();
    place_[v] = static_cast<std::uint32_t>(members_[move.to].size());
    members_[move.to].push_back(v);
    blockOf_[v] = move.to;
  }

  /// The best vertex to push out of a block that is too heavy; one that this search has moved stays.
  std::optional<Move> bestOut(std::uint32_t block) {
    std::optional<Move> best;
    for (std::uint32_t v : members_[block])
      if (touched_[v] != search_)
        if (const std::optional<Move> move = bestMove(v, true); move && (!best || move->gain > best->gain))
          best = move;
    return best;
  }

  /// The cheapest way to make a block lighter, to a neighbouring block with room if there is one, else to
  /// any.
  std::optional<Move> cheapestOut(std::uint32_t block) {
    std::optional<Move> best;
    for (std::uint32_t v : members_[block])
      if (const std::optional<Move> move = bestMove(v, false); move && (!best || move->gain > best->gain))
        best = move;
    for (std::size_t i = 0; !best && i < members_[block].size(); ++i) {
      const std::uint32_t v = members_[block][i];
      collectConnections(v);
      for (std::uint32_t to = 0; to < capacity_.size(); ++to)
        if (to != block && hasRoom(to, v))
          if (const std::int64_t gain = costIn(block) - costIn(to); !best || gain > best->gain)
            best = Move{gain, v, to};
    }
    return best;
  }

  void offer(std::uint32_t v) {
    ++version_[v];
    if (const std::optional<Move> move = bestMove(v, true))
      queue_.push({move->gain, v, version_[v]});
  }

  /// The best move on offer, as things stand now.
  std::optional<Move> takeBest() {
    while (!queue_.empty()) {
      const Offer offered = queue_.top();
      queue_.pop();
      if (offered.version != version_[offered.vertex] || touched_[offered.vertex] == search_)
        continue;
      const std::optional<Move> move = bestMove(offered.vertex, true);
      if (move && move->gain >= offered.gain)
        return move;
      if (move) // blocks have filled since it was offered
        queue_.push({move->gain, offered.vertex, offered.version});
    }
    return std::nullopt;
  }

  /// Returns what the search won, 0 when all of it was undone.
  std::int64_t searchFrom(std::uint32_t seed, std::size_t patience) {
    ++search_;
    queue_ = {};
    offer(seed);
    std::vector<Move> undo; // `to` is where the vertex came from
    std::int64_t won = 0, best = 0;
    std::size_t bestLength = 0, chain = 0;
    std::optional<std::uint32_t> tooHeavy;
    while (undo.size() - bestLength < patience) {
      if (tooHeavy && ++chain > longestChain)
        break;
      const std::optional<Move> move = tooHeavy ? bestOut(*tooHeavy) : takeBest();
      if (!move)
        break;
      const bool fills = !hasRoom(move->to, move->vertex);
      undo.push_back({0, move->vertex, blockOf_[move->vertex]});
      apply(*move);
      touched_[move->vertex] = search_;
      won += move->gain;
      const bool stillTooHeavy = tooHeavy && weight_[*tooHeavy] > capacity_[*tooHeavy];
      if (fills && stillTooHeavy)
        break; // two such blocks at a time lead nowhere
      if (fills)
        tooHeavy = move->to;
      else if (!stillTooHeavy)
        tooHeavy.reset();
      if (!tooHeavy) {
        chain = 0;
        if (won > best) {
          best = won;
          bestLength = undo.size();
        }
      }
      for (std::size_t e = graph_.first[move->vertex]; e < graph_.first[move->vertex + 1]; ++e)
        if (touched_[graph_.to[e]] != search_)
          offer(graph_.to[e]);
    }
    for (; undo.size() > bestLength; undo.pop_back())
      apply(undo.back());
    return best;
  }

  const CommunicationGraph &graph_;
  std::vector<std::uint32_t> &blockOf_;
  const BlockDistances &distances_;
  std::span<const std::int64_t> capacity_;
  std::vector<std::int64_t> weight_;
  std::vector<std::vector<std::uint32_t>> members_; ///< by block
  std::vector<std::uint32_t> place_;                ///< of a vertex among the members of its block
  std::vector<std::uint32_t> touched_;              ///< the search that last moved the vertex
  std::vector<std::uint32_t> version_;              ///< of the vertex's newest entry in the queue
  std::uint32_t search_ = 0;
  std::priority_queue<Offer> queue_;
  std::vector<std::uint32_t> adjacent_;  ///< blocks around the vertex looked at last
  std::vector<std::int64_t> connection_; ///< to each of these; 0 for all others
};

} // namespace

void shuffle(Random &random, std::vector<std::uint32_t> &values) {
  for (std::size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[random.below(i)]);
}

std::vector<std::int64_t> blockWeights(const CommunicationGraph &graph,
                                       std::span<const std::uint32_t> blockOf, std::size_t blocks) {
  std::vector<std::int64_t> weights(blocks, 0);
  for (std::uint32_t v = 0; v < graph.size(); ++v)
    weights[blockOf[v]] += graph.vertexWeight[v];
  return weights;
}

void relieve(const CommunicationGraph &graph, std::vector<std::uint32_t> &blockOf,
             const BlockDistances &distances, std::span<const std::int64_t> capacity) {
  Refiner(graph, blockOf, distances, capacity).relieve();
}

std::int64_t refine(const CommunicationGraph &graph, std::vector<std::uint32_t> &blockOf,
                    const BlockDistances &distances, std::span<const std::int64_t> capacity,
                    const RefineOptions &options, Random &random) {
  return Refiner(graph, blockOf, distances, capacity).run(options, random);
}

} // namespace streammap
