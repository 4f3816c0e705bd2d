#pragma once
// How long a task takes on a model of device: the only place where work becomes time.
//
// A time that the graph gives wins. Otherwise the roofline (Williams, Waterman, Patterson, CACM 52, 2009):
// the slowest of the arithmetic of each type and of the memory traffic, at the share of the datasheet peaks
// that well-written code reaches, corrected for launches too small to fill the device, plus the cost of each
// launch:
//
//   time = max( flops_type / (peak_type * 0.7 * fill),  dram / (bandwidth * 0.85 * inFlight) ) + 4 us per
//   launch
//
// * 0.85 of the memory bandwidth: BabelStream reaches 82-92 % on V100 to H100 (Deakin et al., IJCSE 17, 2018,
// and
//   the project's published results). 0.7 of the arithmetic peak is a default, between tuned matrix products
//   (0.85 and more) and plain loops; calibrate with measured times where it matters.
// * fill: the share of the multiprocessors that get a block, times what fewer than 512 threads on each leave
// idle
//   (four warps' worth of lanes at an arithmetic latency of four cycles; Volkov, "Understanding Latency
//   Hiding on GPUs", Berkeley, 2016).
// * inFlight: by Little's law, bandwidth times 600 ns of latency must be in flight; a thread holds 32 bytes.
// * 4 us per launch: the figure NVIDIA gives for short kernels, launch included ("Getting Started with CUDA
//   Graphs", NVIDIA developer blog, 2019).
#include "model/Cluster.h"
#include "model/TaskGraph.h"

namespace streammap {

struct TimeEstimate {
  Seconds time;
  Origin origin = Origin::unknown;
  std::string limiter; ///< "fp64", ..., "dram", "launch", "given"; "default" where nothing is known
};

/// A task that says nothing about itself is taken to run this long, and reported as a default.
inline constexpr Seconds defaultTaskTime = milliseconds(1);

/// Nothing when the model has no rates and the graph gives no time for it. O(flop types + launches).
std::optional<TimeEstimate> estimateTime(const Task &task, const GpuModel &model);

} // namespace streammap
