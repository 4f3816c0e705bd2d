#pragma once
// A block whose threads wait for each other: each thread is a coroutine, all run round-robin on one host
// thread.
#include "Thread.h"

namespace smcpu {

/// Where the threads of a block meet: bar.sync with an id, __syncthreads() being id 0.
struct Barrier {
  uint32_t generation;
  uint32_t arrived;
  uint32_t expected; ///< threads; 0: all that are still running
  uint32_t count;    ///< of the current generation, for __syncthreads_count/and/or
  uint32_t result;   ///< of the last one
};

/// One use of a warp operation by the lanes of `mask`. Lives until its last reader has left.
struct Exchange {
  uint32_t mask;
  uint32_t arrived;
  uint32_t readers; ///< lanes that have yet to read; nonzero once complete
  uint32_t site;    ///< of an activemask; 0 for others
  uint64_t values[warpSize];
};

struct Warp {
  uint32_t exited;              ///< lanes that have returned
  uint32_t used;                ///< exchanges in use
  uint32_t round;               ///< how often its lanes have been resumed
  Exchange exchanges[warpSize]; ///< a lane is in at most one at a time
};

inline constexpr uint32_t barrierCount = 16;

struct Block {
  SmcpuLaunch *launch;
  uint32_t threadCount;
  uint32_t running;
  uint64_t progress; ///< changes whenever some waiting thread may go on
  Barrier barriers[barrierCount];
  char reserved[1024]; ///< shared memory that the CUDA headers use for themselves; zero at first
  Thread *threads;
  Warp *warps;
  char *frames; ///< one coroutine frame per thread; null until the first thread starts
};

inline Warp &warpOf(Thread *thread) {
  return thread->block->warps[thread->index / warpSize];
}
inline uint32_t laneOf(const Thread *thread) {
  return thread->index % warpSize;
}
inline uint32_t laneBit(const Thread *thread) {
  return 1u << laneOf(thread);
}

} // namespace smcpu
