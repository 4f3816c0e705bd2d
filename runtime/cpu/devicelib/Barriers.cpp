// Block-wide barriers and their reductions; memory fences.
#include "Block.h"

using namespace smcpu;

namespace {

/// Waits until all threads of the block that still run (or `expected`, if not 0) have come; returns how many
/// of them brought a true predicate.
[[gnu::always_inline]] inline uint32_t meet(Thread *thread, uint32_t id, uint32_t expected, bool predicate) {
  Block &block = *thread->block;
  Barrier &barrier = block.barriers[id % barrierCount];
  const uint32_t mine = barrier.generation;
  barrier.count += predicate;
  barrier.expected = expected;
  if (++barrier.arrived >= (expected ? expected : block.running)) {
    barrier.result = barrier.count;
    barrier.count = barrier.arrived = 0;
    ++barrier.generation;
    ++block.progress;
  }
  // A fast thread may be at the next meeting while this one has yet to read, but that one cannot end without
  // this thread: `result` is still ours.
  while (*static_cast<volatile uint32_t *>(&barrier.generation) == mine)
    smcpu_suspend();
  return barrier.result;
}

/// A barrier of part of the block: __syncthreads() of all running threads is expected = 0.
[[gnu::always_inline]] inline uint32_t expectedOf(const Thread *thread, uint32_t count) {
  return count >= thread->block->threadCount ? 0 : count;
}

} // namespace

SMCPU_EXPORT void smcpu_nvvm_barrier_cta_sync_aligned_all(Thread *t, uint32_t id) {
  meet(t, id, 0, false);
}
SMCPU_EXPORT void smcpu_nvvm_barrier_cta_sync_all(Thread *t, uint32_t id) {
  meet(t, id, 0, false);
}
SMCPU_EXPORT void smcpu_nvvm_barrier_cta_sync_aligned_count(Thread *t, uint32_t id, uint32_t count) {
  meet(t, id, expectedOf(t, count), false);
}
SMCPU_EXPORT void smcpu_nvvm_barrier_cta_sync_count(Thread *t, uint32_t id, uint32_t count) {
  meet(t, id, expectedOf(t, count), false);
}

SMCPU_EXPORT void smcpu_ptx_bar_sync(Thread *t, uint32_t id) {
  meet(t, id, 0, false);
}
SMCPU_EXPORT void smcpu_ptx_barrier_sync(Thread *t, uint32_t id) {
  meet(t, id, 0, false);
}

#define REDUCTIONS(KIND)                                                                                     \
  SMCPU_EXPORT uint32_t smcpu_nvvm_barrier_cta_red_popc_##KIND(Thread *t, uint32_t id, bool predicate) {     \
    return meet(t, id, 0, predicate);                                                                        \
  }                                                                                                          \
  SMCPU_EXPORT bool smcpu_nvvm_barrier_cta_red_or_##KIND(Thread *t, uint32_t id, bool predicate) {           \
    return meet(t, id, 0, predicate) != 0;                                                                   \
  }                                                                                                          \
  SMCPU_EXPORT bool smcpu_nvvm_barrier_cta_red_and_##KIND(Thread *t, uint32_t id, bool predicate) {          \
    return meet(t, id, 0, !predicate) == 0;                                                                  \
  }
REDUCTIONS(aligned_all)
REDUCTIONS(all)

// Threads of a block run one at a time and on one core; blocks run on several.
SMCPU_EXPORT void smcpu_nvvm_membar_cta(Thread *) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
SMCPU_EXPORT void smcpu_nvvm_membar_gl(Thread *) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
SMCPU_EXPORT void smcpu_nvvm_membar_sys(Thread *) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
