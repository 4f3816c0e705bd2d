#pragma once
// Graphs of any size, for measuring how time and memory grow. The same arguments give the same graph.
#include "model/Cluster.h"
#include "model/TaskGraph.h"

namespace streammap::bench {

/// 64 layers, so that a million tasks fill thousands of devices, each task reading what one to three tasks of
/// the layer before wrote (1 to 16 MiB); times of 1 to 20 ms. No buffers: the plain graphs of other tools
/// look like this.
TaskGraph layeredGraph(std::size_t tasks, std::uint64_t seed);

/// A grid of `side` x `side` blocks of 8 MiB over as many steps as give about `tasks` tasks; each block reads
/// itself and its four neighbours of the step before. With buffers and accesses.
TaskGraph stencilGraph(std::size_t tasks, std::size_t side);

/// Tiled Cholesky (support/Cholesky.h) with the largest number of tiles that gives at most `tasks` tasks.
TaskGraph choleskyUpTo(std::size_t tasks);

/// `nodes` nodes of `gpus` H100 each, 20 nodes to a leaf, four spines.
Cluster clusterOf(std::size_t nodes, unsigned gpus);

} // namespace streammap::bench
