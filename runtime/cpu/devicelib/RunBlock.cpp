// How the threads of one block are run: a plain loop where none waits, coroutines in turn where some do.
#include "Block.h"
#include <cstdio>

using namespace smcpu;

namespace {

[[gnu::always_inline]] inline void startThread(Thread &thread, SmcpuLaunch *launch, char *arena, char *image,
                                               uint32_t staticShared, uint64_t *counters) {
  thread.launch = launch;
  thread.image = image;
  thread.arena = arena;
  thread.dynamicShared = arena + staticShared;
  thread.counters = counters;
}

inline void addCounters(SmcpuLaunch *launch, const uint64_t *counters, uint32_t counterCount) {
  if (!launch->counters)
    return;
  for (uint32_t i = 0; i != counterCount; ++i)
    if (counters[i] != 0)
      __atomic_fetch_add(&launch->counters[i], counters[i], __ATOMIC_RELAXED);
}

inline constexpr uint32_t mostCounters = 32;

} // namespace

/// Kernels that never wait. Threads are independent by CUDA's rules, so the loop may be vectorised. Inlined
/// into each kernel's entry, with `body` and the constants known.
SMCPU_EXPORT [[gnu::always_inline]] void smcpu_thread_loop(SmcpuLaunch *launch, uint32_t blockX,
                                                           uint32_t blockY, uint32_t blockZ, char *arena,
                                                           char *image, uint32_t staticShared,
                                                           uint32_t counterCount, void (*body)(Thread *)) {
  uint64_t counters[mostCounters];
  for (uint32_t i = 0; i != counterCount; ++i)
    counters[i] = 0;
  // Scalars, and with the limits of CUDA's launches: the optimiser must see that an index does not wrap.
  const uint32_t blockDimX = launch->block.x, blockDimY = launch->block.y, blockDimZ = launch->block.z;
  const uint32_t gridDimX = launch->grid.x, gridDimY = launch->grid.y, gridDimZ = launch->grid.z;
  __builtin_assume(blockDimX >= 1 && blockDimX <= 1024);
  __builtin_assume(blockDimY >= 1 && blockDimY <= 1024);
  __builtin_assume(blockDimZ >= 1 && blockDimZ <= 64);
  if (uint64_t{gridDimX} * blockDimX > INT32_MAX) // ParallelLoop.cpp relies on it
    launch->fail(launch, invalidConfiguration, "the CPU device runs at most 2^31 - 1 threads along x");
  for (uint32_t z = 0; z < blockDimZ; ++z)
    for (uint32_t y = 0; y < blockDimY; ++y)
#pragma clang loop vectorize(assume_safety)
      for (uint32_t x = 0; x < blockDimX; ++x) {
        Thread thread;
        startThread(thread, launch, arena, image, staticShared, counterCount ? counters : nullptr);
        thread.threadIdx.x = x;
        thread.threadIdx.y = y;
        thread.threadIdx.z = z;
        thread.blockIdx.x = blockX;
        thread.blockIdx.y = blockY;
        thread.blockIdx.z = blockZ;
        thread.blockDim.x = blockDimX;
        thread.blockDim.y = blockDimY;
        thread.blockDim.z = blockDimZ;
        thread.gridDim.x = gridDimX;
        thread.gridDim.y = gridDimY;
        thread.gridDim.z = gridDimZ;
        thread.block = nullptr;
        thread.index = x + blockDimX * (y + blockDimY * z);
        body(&thread);
      }
  addCounters(launch, counters, counterCount);
}

namespace {

/// The head of every frame of LLVM's switched-resume coroutines; `resume` is null at the final suspend.
struct Frame {
  void (*resume)(Frame *);
};

uint64_t roundUp(uint64_t size) {
  return (size + 63) & ~uint64_t{63};
}

/// Lanes that exited count as arrived everywhere.
void leaveBlock(Thread *thread) {
  Block &block = *thread->block;
  Warp &warp = warpOf(thread);
  warp.exited |= laneBit(thread);
  --block.running;
  ++block.progress;
  for (Barrier &barrier : block.barriers) {
    if (barrier.arrived != 0 && barrier.expected == 0 && barrier.arrived >= block.running) {
      barrier.result = barrier.count;
      barrier.count = barrier.arrived = 0;
      ++barrier.generation;
    }
  }
  for (uint32_t used = warp.used; used != 0; used &= used - 1) {
    Exchange &exchange = warp.exchanges[__builtin_ctz(used)];
    if (exchange.readers == 0 && exchange.site == 0 &&
        ((exchange.arrived | warp.exited) & exchange.mask) == exchange.mask)
      exchange.readers = exchange.arrived;
  }
}

[[noreturn]] void failDeadlocked(Block &block, const char *live) {
  for (uint32_t i = 0; i != block.threadCount; ++i)
    if (live[i]) {
      const Thread &thread = block.threads[i];
      char message[256];
      snprintf(
          message, sizeof message,
          "deadlock: %u of %u threads of block (%u,%u,%u) wait for threads that never arrive; the first is "
          "thread (%u,%u,%u)",
          block.running, block.threadCount, thread.blockIdx.x, thread.blockIdx.y, thread.blockIdx.z,
          thread.threadIdx.x, thread.threadIdx.y, thread.threadIdx.z);
      block.launch->fail(block.launch, launchTimeout, message);
    }
  __builtin_unreachable();
}

} // namespace

/// Where the coroutine of `thread` keeps its state; all threads of a block have frames of one size.
SMCPU_EXPORT [[gnu::noinline]] void *smcpu_frame(Thread *thread, uint64_t size) {
  Block &block = *thread->block;
  size = roundUp(size);
  if (!block.frames)
    block.frames = static_cast<char *>(smcpuBlockScratch(block.launch, 1, size * block.threadCount));
  return block.frames + size * thread->index;
}

/// Kernels that wait. `start` runs a thread up to its first wait and returns its frame.
SMCPU_EXPORT [[gnu::noinline]] void smcpu_coroutines(SmcpuLaunch *launch, uint32_t blockX, uint32_t blockY,
                                                     uint32_t blockZ, char *arena, char *image,
                                                     uint32_t staticShared, uint32_t counterCount,
                                                     void *(*start)(Thread *)) {
  const uint32_t count = launch->block.x * launch->block.y * launch->block.z;
  const uint32_t warpCount = (count + warpSize - 1) / warpSize;
  const uint64_t threadBytes = roundUp(count * sizeof(Thread)), warpBytes = roundUp(warpCount * sizeof(Warp));
  const uint64_t frameTable = roundUp(count * sizeof(Frame *)), liveBytes = roundUp(count);
  char *scratch =
      static_cast<char *>(smcpuBlockScratch(launch, 0, threadBytes + warpBytes + frameTable + liveBytes));

  uint64_t counters[mostCounters] = {};
  Block block = {};
  block.launch = launch;
  block.threadCount = block.running = count;
  block.threads = reinterpret_cast<Thread *>(scratch);
  block.warps = reinterpret_cast<Warp *>(scratch + threadBytes);
  Frame **frames = reinterpret_cast<Frame **>(scratch + threadBytes + warpBytes);
  char *live = scratch + threadBytes + warpBytes + frameTable;
  for (uint32_t i = 0; i != warpCount; ++i) {
    const uint32_t lanes = count - i * warpSize;
    block.warps[i].exited = lanes >= warpSize ? 0 : ~0u << lanes;
    block.warps[i].used = block.warps[i].round = 0;
  }
  for (uint32_t i = 0; i != count; ++i) {
    Thread &thread = block.threads[i];
    startThread(thread, launch, arena, image, staticShared, counterCount ? counters : nullptr);
    thread.blockIdx = {blockX, blockY, blockZ};
    thread.blockDim = launch->block;
    thread.gridDim = launch->grid;
    thread.block = &block;
    thread.index = i;
    thread.threadIdx = {i % launch->block.x, i / launch->block.x % launch->block.y,
                        i / launch->block.x / launch->block.y};
    frames[i] = nullptr;
    live[i] = 1;
  }

  while (block.running != 0) {
    const uint64_t before = block.progress;
    for (uint32_t w = 0; w != warpCount; ++w) {
      const uint32_t end = (w + 1) * warpSize < count ? (w + 1) * warpSize : count;
      for (uint32_t i = w * warpSize; i != end; ++i) {
        if (!live[i])
          continue;
        if (!frames[i])
          frames[i] = static_cast<Frame *>(start(&block.threads[i]));
        else
          frames[i]->resume(frames[i]);
        if (!frames[i]->resume) {
          live[i] = 0;
          leaveBlock(&block.threads[i]);
        }
      }
      ++block.warps[w].round;
    }
    if (block.progress == before && block.running != 0)
      failDeadlocked(block, live);
  }
  addCounters(launch, counters, counterCount);
}

/// One count of the counting build; `metric` is a CostMetric.
SMCPU_EXPORT [[gnu::always_inline]] void smcpu_call_smcpu_count(Thread *thread, uint32_t metric,
                                                                uint64_t amount) {
  thread->counters[metric] += amount;
}

SMCPU_EXPORT void *smcpu_reserved_shared(Thread *thread) {
  return thread->block ? thread->block->reserved : nullptr;
}

/// One access of a build with access checks; `size` bytes of what is not known to be shared or a thread's
/// own.
SMCPU_EXPORT void smcpu_call_smcpu_check_access(Thread *thread, const void *address, uint64_t size,
                                                uint32_t isWrite, const char *where) {
  SmcpuLaunch *launch = thread->launch;
  const char *at = static_cast<const char *>(address);
  const bool shared = at >= thread->arena && at < thread->dynamicShared + launch->dynamicShared;
  if (launch->checkAccess && !shared)
    launch->checkAccess(launch, address, size, static_cast<int>(isWrite), where);
}
