#pragma once
// How many blocks of a launch one multiprocessor holds at a time, what stops it from holding more, and how
// the blocks of the grid fill the device.
//
//   Occupancy o = occupancyOf({.registersPerThread = 64}, {.block = {256, 1, 1}, ...}, *limitsOf("9.0"));
//   o.blocks                                   // 4
//   toText(o.limiter)                          // "registers"
//   WavePlan w = wavesOf(1000, o.blocks, 132); // 1.89 waves on 132 multiprocessors, 2 rounds
//
// The arithmetic is the one that NVIDIA publishes as cuda_occupancy.h (a test compares the two over a grid of
// values); it is written out here because nothing in this layer needs CUDA. Taken for granted: the program
// opted in to large shared memory where it needs that, the driver gives the launch the shared memory it
// needs, and no kernel uses more than one hardware barrier per block.
#include "model/TaskGraph.h"

namespace streammap {

/// Of one multiprocessor. From the table "Technical Specifications per Compute Capability" of NVIDIA's CUDA
/// C++ Programming Guide 13.0 (12.9 for capability 6); partitions and allocation units as in
/// cuda_occupancy.h.
struct MultiprocessorLimits {
  std::string_view capability;
  unsigned threads, blocks;
  Bytes shared;           ///< for all blocks
  Bytes sharedPerBlock;   ///< most that one block can opt in to
  Bytes reservedPerBlock; ///< what the system takes of the shared memory for each block
  Bytes sharedUnit;       ///< shared memory is given out in multiples of this
  unsigned partitions;    ///< registers are divided among them, and so are warps
  unsigned registers = 65536, registersPerBlock = 65536, registersPerThread = 255;
};

/// For the capability itself or, for one newer than the table, the last one before it with the same major
/// number ("8.8" gets the limits of 8.7). Nothing for an unknown major number or text that is no capability.
const MultiprocessorLimits *limitsOf(std::string_view capability);

enum class OccupancyLimiter { threads, blocks, registers, shared, nothingFits };
std::string_view toText(OccupancyLimiter limiter); ///< "threads" ... "shared memory" "does not fit"

struct Occupancy {
  unsigned blocks = 0;    ///< resident on a multiprocessor at a time; 0: the launch fails
  unsigned warps = 0;     ///< of them
  unsigned mostWarps = 0; ///< that the multiprocessor can hold
  OccupancyLimiter limiter = OccupancyLimiter::blocks; ///< where several bind, the first in the order above
  double share() const { return mostWarps ? static_cast<double>(warps) / mostWarps : 0; }
};

Occupancy occupancyOf(const KernelResources &resources, const Launch &launch,
                      const MultiprocessorLimits &limits);

/// How a grid passes over a device that holds `blocksEach` blocks on each of its multiprocessors.
struct WavePlan {
  double waves = 0;                   ///< grid / (blocksEach * multiprocessors): 1.89
  double rounds = 0;                  ///< the same rounded up: 2
  unsigned multiprocessorsNeeded = 0; ///< that get any block
  /// Time lost because the last round does not fill the device: 1 - waves / rounds, in [0, 1).
  double tail() const { return rounds > 0 ? 1 - waves / rounds : 0; }
};

/// `blocks`, `blocksEach` and `multiprocessors` at least 1.
WavePlan wavesOf(double blocks, unsigned blocksEach, unsigned multiprocessors);

/// Blocks of the grid, and threads of a block.
double blocksOf(const Launch &launch);
unsigned threadsPerBlock(const Launch &launch);

/// The resources for a device of `capability`: those for the same architecture, else for the nearest older
/// one, else the nearest newer one. Null where there are none.
const KernelResources *resourcesFor(const Kernel &kernel, std::string_view capability);

} // namespace streammap
