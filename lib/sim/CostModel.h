#pragma once
// How long a task takes on a model of device: the only place where work becomes time.
//
//   TimeEstimate e = *estimateTime(task, model, kernels);
//   e.time, e.low, e.high, e.limiter           // 1.2 ms, 0.9 ms, 3.1 ms, "dram"
//
// A time that the graph gives wins. Otherwise the roofline (Williams, Waterman, Patterson, CACM 52, 2009) for
// each launch of the task, the task's work being shared out by numbers of threads:
//
//   time = max( flops_type / (peak_type * 0.7 * balance * lanes),  traffic / (bandwidth * 0.85 * inFlight) )
//          + 4 us per launch
//
// * 0.85 of the memory bandwidth: BabelStream reaches 82-92 % on V100 to H100 (Deakin et al., IJCSE 17, 2018,
//   and the project's published results). 0.7 of the arithmetic peak is a default, between tuned matrix
//   products (0.85 and more) and plain loops; calibrate with measured times where it matters.
// * balance: the multiprocessor with most blocks decides: blocks / (ceil(blocks / M) * M) on M
// multiprocessors.
// * lanes: what fewer than 512 resident threads on a multiprocessor leave idle (four warps' worth of lanes at
// an
//   arithmetic latency of four cycles; Volkov, "Understanding Latency Hiding on GPUs", Berkeley, 2016). How
//   many are resident is the launch's occupancy (model/Occupancy.h) or, for a small grid, what there is.
// * inFlight: by Little's law, bandwidth times 600 ns of latency must be in flight; a resident thread holds
// 32
//   bytes.
// * traffic: what the task must move at least (`dram`), plus the share of its repeated requests
//   (`requested` - `dram`) that the L2 cache is too small to serve: 1 - l2 / dram, at least 0.
// * 4 us per launch: the figure NVIDIA gives for short kernels, launch included ("Getting Started with CUDA
//   Graphs", NVIDIA developer blog, 2019).
//
// The interval says how far the model may be off without the work being wrong:
// * low: 0.95 of the arithmetic peak (the best matrix products), 0.92 of the bandwidth (the upper end of
//   BabelStream), no byte moved twice, no idle multiprocessor that has a block to run, 2 us per launch;
// * high: 0.3 of the arithmetic peak, 0.5 of the bandwidth, no reuse in the L2 cache, arithmetic and traffic
// one
//   after the other, whole waves (the tail of a grid lasts as long as a full wave), 10 us per launch.
// Times that are given have no interval, and a default stands for a hundred times less or more.
#include "model/Cluster.h"
#include "model/TaskGraph.h"
#include <span>

namespace streammap {

struct TimeEstimate {
  Seconds time;
  Origin origin = Origin::unknown;
  std::string limiter; ///< "fp64", ..., "dram", "launch", "given"; "default" where nothing is known
  Seconds low, high;   ///< low <= time <= high
};

/// A task that says nothing about itself is taken to run this long, and reported as a default.
inline constexpr Seconds defaultTaskTime = milliseconds(1);

/// Nothing when the model has no rates and the graph gives no time for it. `kernels` are the graph's: their
/// registers and shared memory bound occupancy; without them only the sizes of blocks do. O(flop types x
/// launches).
std::optional<TimeEstimate> estimateTime(const Task &task, const GpuModel &model,
                                         std::span<const Kernel> kernels = {});

/// Why some launch of the task can never start on the model: its block needs more shared memory than a
/// multiprocessor has to give. Nothing where it can, or where nobody knows.
std::optional<std::string> whyItCannotStart(const Task &task, const GpuModel &model,
                                            std::span<const Kernel> kernels);

} // namespace streammap
