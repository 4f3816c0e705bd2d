// Warp operations: shuffles, votes, matches, reductions, and the mask of lanes that run together.
#include "Block.h"

using namespace smcpu;

namespace {

/// Brings `value` to the lanes of `mask` and waits for theirs. The caller reads and then calls leave().
[[gnu::always_inline]] inline Exchange &exchange(Thread *thread, uint32_t mask, uint64_t value) {
  Warp &warp = warpOf(thread);
  const uint32_t bit = laneBit(thread);
  Exchange *mine = nullptr;
  for (uint32_t used = warp.used; used != 0; used &= used - 1) {
    Exchange &candidate = warp.exchanges[__builtin_ctz(used)];
    if (candidate.mask == mask && candidate.readers == 0 && candidate.site == 0 &&
        !(candidate.arrived & bit)) {
      mine = &candidate;
      break;
    }
  }
  if (!mine) {
    const uint32_t free = static_cast<uint32_t>(__builtin_ctz(~warp.used));
    warp.used |= 1u << free;
    mine = &warp.exchanges[free];
    mine->mask = mask;
    mine->arrived = mine->readers = mine->site = 0;
  }
  mine->values[laneOf(thread)] = value;
  mine->arrived |= bit;
  if (((mine->arrived | warp.exited) & mask) == mask) {
    mine->readers = mine->arrived;
    ++thread->block->progress;
  }
  while (*static_cast<volatile uint32_t *>(&mine->readers) == 0)
    smcpu_suspend();
  return *mine;
}

inline void leave(Thread *thread, Exchange &exchange) {
  exchange.readers &= ~laneBit(thread);
  if (exchange.readers == 0) {
    Warp &warp = warpOf(thread);
    warp.used &= ~(1u << (&exchange - warp.exchanges));
  }
}

enum class Shuffle { up, down, butterfly, index };

/// PTX ISA, shfl.sync: `control` holds the clamp in bits 0-4 and the segment mask in bits 8-12.
[[gnu::always_inline]] inline uint32_t shuffle(Thread *thread, Shuffle kind, uint32_t mask, uint32_t value,
                                               uint32_t operand, uint32_t control, bool *valid) {
  Exchange &all = exchange(thread, mask, value);
  const int lane = static_cast<int>(laneOf(thread));
  const int segment = static_cast<int>(control >> 8 & 31), clamp = static_cast<int>(control & 31);
  const int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  const int b = static_cast<int>(operand & 31);
  int from = 0;
  bool inRange = false;
  switch (kind) {
  case Shuffle::up:
    from = lane - b;
    inRange = from >= last;
    break;
  case Shuffle::down:
    from = lane + b;
    inRange = from <= last;
    break;
  case Shuffle::butterfly:
    from = lane ^ b;
    inRange = from <= last;
    break;
  case Shuffle::index:
    from = first | (b & ~segment);
    inRange = from <= last;
    break;
  }
  if (!inRange)
    from = lane;
  // A lane that takes no part has no value to give: the reader keeps its own (CUDA leaves it undefined).
  const uint32_t result = static_cast<uint32_t>(all.arrived >> from & 1 ? all.values[from] : value);
  leave(thread, all);
  *valid = inRange;
  return result;
}

[[gnu::always_inline]] inline float shuffleFloat(Thread *thread, Shuffle kind, uint32_t mask, float value,
                                                 uint32_t operand, uint32_t control, bool *valid) {
  return __builtin_bit_cast(
      float, shuffle(thread, kind, mask, __builtin_bit_cast(uint32_t, value), operand, control, valid));
}

/// Lanes of the mask whose predicate is true.
[[gnu::always_inline]] inline uint32_t ballot(Thread *thread, uint32_t mask, bool predicate) {
  Exchange &all = exchange(thread, mask, predicate);
  uint32_t result = 0;
  for (uint32_t lane = 0; lane != warpSize; ++lane)
    if (all.arrived >> lane & 1 && all.values[lane])
      result |= 1u << lane;
  leave(thread, all);
  return result;
}

/// Lanes of the mask that brought the same value.
[[gnu::always_inline]] inline uint32_t matching(Thread *thread, uint32_t mask, uint64_t value,
                                                uint32_t *arrived) {
  Exchange &all = exchange(thread, mask, value);
  uint32_t result = 0;
  for (uint32_t lane = 0; lane != warpSize; ++lane)
    if (all.arrived >> lane & 1 && all.values[lane] == value)
      result |= 1u << lane;
  *arrived = all.arrived;
  leave(thread, all);
  return result;
}

template <class T, class Combine>
[[gnu::always_inline]] inline T reduce(Thread *thread, uint32_t mask, T value, Combine combine) {
  Exchange &all = exchange(thread, mask, static_cast<uint32_t>(value));
  bool first = true;
  T result = value;
  for (uint32_t lane = 0; lane != warpSize; ++lane)
    if (all.arrived >> lane & 1) {
      const T other = static_cast<T>(all.values[lane]);
      result = first ? other : combine(result, other);
      first = false;
    }
  leave(thread, all);
  return result;
}

} // namespace

#define SHUFFLES(NAME, KIND)                                                                                 \
  SMCPU_EXPORT uint32_t smcpu_nvvm_shfl_sync_##NAME##_i32(Thread *t, uint32_t mask, uint32_t value,          \
                                                          uint32_t b, uint32_t c) {                          \
    bool valid;                                                                                              \
    return shuffle(t, KIND, mask, value, b, c, &valid);                                                      \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_nvvm_shfl_sync_##NAME##_i32p(Thread *t, uint32_t mask, uint32_t value,         \
                                                           uint32_t b, uint32_t c, bool *valid) {            \
    return shuffle(t, KIND, mask, value, b, c, valid);                                                       \
  }                                                                                                          \
  SMCPU_EXPORT float smcpu_nvvm_shfl_sync_##NAME##_f32(Thread *t, uint32_t mask, float value, uint32_t b,    \
                                                       uint32_t c) {                                         \
    bool valid;                                                                                              \
    return shuffleFloat(t, KIND, mask, value, b, c, &valid);                                                 \
  }                                                                                                          \
  SMCPU_EXPORT float smcpu_nvvm_shfl_sync_##NAME##_f32p(Thread *t, uint32_t mask, float value, uint32_t b,   \
                                                        uint32_t c, bool *valid) {                           \
    return shuffleFloat(t, KIND, mask, value, b, c, valid);                                                  \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_ptx_shfl_sync_##NAME##_b32(Thread *t, uint32_t value, uint32_t b, uint32_t c,  \
                                                         uint32_t mask) {                                    \
    bool valid;                                                                                              \
    return shuffle(t, KIND, mask, value, b, c, &valid);                                                      \
  }
#define SHUFFLES_WITH_PREDICATE(NAME, KIND)                                                                  \
  SMCPU_EXPORT uint32_t smcpu_ptx_shfl_sync_##NAME##_b32_p(Thread *t, uint32_t value, uint32_t b,            \
                                                           uint32_t c, uint32_t mask, bool *valid) {         \
    return shuffle(t, KIND, mask, value, b, c, valid);                                                       \
  }
SHUFFLES_WITH_PREDICATE(up, Shuffle::up)
SHUFFLES_WITH_PREDICATE(down, Shuffle::down)
SHUFFLES_WITH_PREDICATE(bfly, Shuffle::butterfly)
SHUFFLES_WITH_PREDICATE(idx, Shuffle::index)
SHUFFLES(up, Shuffle::up)
SHUFFLES(down, Shuffle::down)
SHUFFLES(bfly, Shuffle::butterfly)
SHUFFLES(idx, Shuffle::index)

SMCPU_EXPORT uint32_t smcpu_nvvm_vote_ballot_sync(Thread *t, uint32_t mask, bool predicate) {
  return ballot(t, mask, predicate);
}
SMCPU_EXPORT bool smcpu_nvvm_vote_any_sync(Thread *t, uint32_t mask, bool predicate) {
  return ballot(t, mask, predicate) != 0;
}
SMCPU_EXPORT bool smcpu_nvvm_vote_all_sync(Thread *t, uint32_t mask, bool predicate) {
  return ballot(t, mask, !predicate) == 0;
}
SMCPU_EXPORT bool smcpu_nvvm_vote_uni_sync(Thread *t, uint32_t mask, bool predicate) {
  uint32_t arrived;
  return matching(t, mask, predicate, &arrived) == arrived;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_match_any_sync_i32(Thread *t, uint32_t mask, uint32_t value) {
  uint32_t arrived;
  return matching(t, mask, value, &arrived);
}
SMCPU_EXPORT uint32_t smcpu_nvvm_match_any_sync_i64(Thread *t, uint32_t mask, uint64_t value) {
  uint32_t arrived;
  return matching(t, mask, value, &arrived);
}
SMCPU_EXPORT uint32_t smcpu_nvvm_match_all_sync_i32p(Thread *t, uint32_t mask, uint32_t value, bool *all) {
  uint32_t arrived;
  const uint32_t same = matching(t, mask, value, &arrived);
  *all = same == arrived;
  return *all ? same : 0;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_match_all_sync_i64p(Thread *t, uint32_t mask, uint64_t value, bool *all) {
  uint32_t arrived;
  const uint32_t same = matching(t, mask, value, &arrived);
  *all = same == arrived;
  return *all ? same : 0;
}

#define REDUX(NAME, TYPE, EXPRESSION)                                                                        \
  SMCPU_EXPORT TYPE smcpu_nvvm_redux_sync_##NAME(Thread *t, TYPE value, uint32_t mask) {                     \
    return reduce(t, mask, value, [](TYPE a, TYPE b) -> TYPE { return EXPRESSION; });                        \
  }
REDUX(add, uint32_t, a + b)
REDUX(and, uint32_t, a &b)
REDUX(or, uint32_t, a | b)
REDUX(xor, uint32_t, a ^ b)
REDUX(umin, uint32_t, a < b ? a : b)
REDUX(umax, uint32_t, a < b ? b : a)
REDUX(min, int32_t, a < b ? a : b)
REDUX(max, int32_t, a < b ? b : a)

SMCPU_EXPORT void smcpu_nvvm_bar_warp_sync(Thread *t, uint32_t mask) {
  leave(t, exchange(t, mask, 0));
}

/// A number of the place in the kernel where this is inlined, from 1.
extern "C" uint32_t smcpu_site();

/// The lanes that reach the same __activemask() in the same turn of their warp.
SMCPU_EXPORT uint32_t smcpu_nvvm_activemask(Thread *thread) {
  const uint32_t site = smcpu_site();
  Warp &warp = warpOf(thread);
  Exchange *mine = nullptr;
  for (uint32_t used = warp.used; used != 0 && !mine; used &= used - 1) {
    Exchange &candidate = warp.exchanges[__builtin_ctz(used)];
    if (candidate.site == site && candidate.mask == warp.round && !(candidate.arrived & laneBit(thread)))
      mine = &candidate;
  }
  if (!mine) {
    const uint32_t free = static_cast<uint32_t>(__builtin_ctz(~warp.used));
    warp.used |= 1u << free;
    mine = &warp.exchanges[free];
    mine->mask = warp.round; // the turn, here
    mine->arrived = mine->readers = 0;
    mine->site = site;
  }
  mine->arrived |= laneBit(thread);
  mine->readers = mine->arrived;
  ++thread->block->progress;
  const uint32_t turn = warp.round;
  while (*static_cast<volatile uint32_t *>(&warp.round) == turn)
    smcpu_suspend();
  const uint32_t lanes = mine->arrived;
  leave(thread, *mine);
  return lanes;
}

SMCPU_EXPORT uint32_t smcpu_ptx_activemask_b32(Thread *thread) {
  return smcpu_nvvm_activemask(thread);
}

SMCPU_EXPORT void smcpu_nvvm_nanosleep(Thread *thread, uint32_t) {
  ++thread->block->progress;
  smcpu_suspend();
}
SMCPU_EXPORT void smcpu_ptx_nanosleep_u32(Thread *thread, uint32_t nanoseconds) {
  smcpu_nvvm_nanosleep(thread, nanoseconds);
}
