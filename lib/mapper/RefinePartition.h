#pragma once
// Makes a division of a graph into blocks better by moving vertices, one short search at a time.
//
// From a vertex at the border of its block, the best move is made, then the best move of it and its
// neighbours, and so on, also when that costs something; when nothing was won for a while, everything after
// the best point is undone (the localised Fiduccia-Mattheyses search of Sanders and Schulz, "Engineering
// Multilevel Graph Partitioning Algorithms", ESA 2011). A block may become too heavy on the way: then the
// next move must relieve it, so that chains of moves and swaps are found where blocks are full, as they are
// when a few dozen vertices share a device.
#include "mapper/CommunicationGraph.h"
#include "mapper/Hierarchy.h"
#include "mapper/Random.h"

namespace streammap {

struct RefineOptions {
  std::size_t rounds = 4;    ///< over all border vertices, at most
  std::size_t patience = 20; ///< moves without a new best before a search ends
};

/// Any order with equal chances (Fisher-Yates), the same for a seed on every library.
void shuffle(Random &random, std::vector<std::uint32_t> &values);

/// Vertex weights of each block.
std::vector<std::int64_t> blockWeights(const CommunicationGraph &graph,
                                       std::span<const std::uint32_t> blockOf, std::size_t blocks);

/// Moves vertices out of blocks that are heavier than their capacity, the cheapest first, as long as others
/// have room.
void relieve(const CommunicationGraph &graph, std::vector<std::uint32_t> &blockOf,
             const BlockDistances &distances, std::span<const std::int64_t> capacity);

/// Lowers the sum of amount x distance over edges; never raises it, and never fills a block past its capacity
/// that was not past it before. Returns how much was won.
std::int64_t refine(const CommunicationGraph &graph, std::vector<std::uint32_t> &blockOf,
                    const BlockDistances &distances, std::span<const std::int64_t> capacity,
                    const RefineOptions &options, Random &random);

} // namespace streammap
