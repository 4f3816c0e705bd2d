// Special registers, kernel exit, printf, malloc and other services.
#include "Thread.h"
#include <cstdio>
#include <cstring>
#include <ctime>

using namespace smcpu;

#define DIMENSIONS(REGISTER, FIELD)                                                                          \
  SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_##REGISTER##_x(Thread *t) {                                 \
    return t->FIELD.x;                                                                                       \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_##REGISTER##_y(Thread *t) {                                 \
    return t->FIELD.y;                                                                                       \
  }                                                                                                          \
  SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_##REGISTER##_z(Thread *t) {                                 \
    return t->FIELD.z;                                                                                       \
  }
DIMENSIONS(tid, threadIdx)
DIMENSIONS(ntid, blockDim)
DIMENSIONS(ctaid, blockIdx)
DIMENSIONS(nctaid, gridDim)

namespace {

inline uint32_t lane(const Thread *t) {
  return t->index % warpSize;
}

uint64_t nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

[[noreturn, gnu::noinline]] void fail(Thread *t, int error, const char *message) {
  t->launch->fail(t->launch, error, message);
  __builtin_unreachable(); // fail leaves the block
}

} // namespace

SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_laneid(Thread *t) {
  return lane(t);
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_warpid(Thread *t) {
  return t->index / warpSize;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_nwarpid(Thread *t) {
  return (t->blockDim.x * t->blockDim.y * t->blockDim.z + warpSize - 1) / warpSize;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_warpsize(Thread *) {
  return warpSize;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_smid(Thread *) {
  return 0;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_nsmid(Thread *) {
  return 1;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_gridid(Thread *) {
  return 0;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_lanemask_eq(Thread *t) {
  return 1u << lane(t);
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_lanemask_lt(Thread *t) {
  return (1u << lane(t)) - 1;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_lanemask_le(Thread *t) {
  return (2u << lane(t)) - 1;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_lanemask_gt(Thread *t) {
  return ~((2u << lane(t)) - 1);
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_lanemask_ge(Thread *t) {
  return ~((1u << lane(t)) - 1);
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_dynamic_smem_size(Thread *t) {
  return t->launch->dynamicShared;
}
SMCPU_EXPORT uint32_t smcpu_nvvm_read_ptx_sreg_clock(Thread *) {
  return static_cast<uint32_t>(nanoseconds());
}
SMCPU_EXPORT uint64_t smcpu_nvvm_read_ptx_sreg_clock64(Thread *) {
  return nanoseconds();
}
SMCPU_EXPORT uint64_t smcpu_nvvm_read_ptx_sreg_globaltimer(Thread *) {
  return nanoseconds();
}
SMCPU_EXPORT uint32_t smcpu_call___nvvm_reflect(Thread *, const char *) {
  return 0;
}

SMCPU_EXPORT uint32_t smcpu_ptx_mov_u32_laneid(Thread *t) {
  return lane(t);
}
SMCPU_EXPORT uint32_t smcpu_ptx_mov_u32_warpid(Thread *t) {
  return t->index / warpSize;
}
SMCPU_EXPORT uint32_t smcpu_ptx_mov_u32_smid(Thread *) {
  return 0;
}
SMCPU_EXPORT uint32_t smcpu_ptx_mov_u32_lanemask_eq(Thread *t) {
  return 1u << lane(t);
}
SMCPU_EXPORT uint32_t smcpu_ptx_mov_u32_lanemask_lt(Thread *t) {
  return (1u << lane(t)) - 1;
}
SMCPU_EXPORT uint32_t smcpu_ptx_mov_u32_lanemask_le(Thread *t) {
  return (2u << lane(t)) - 1;
}
SMCPU_EXPORT uint32_t smcpu_ptx_mov_u32_lanemask_gt(Thread *t) {
  return ~((2u << lane(t)) - 1);
}
SMCPU_EXPORT uint32_t smcpu_ptx_mov_u32_lanemask_ge(Thread *t) {
  return ~((1u << lane(t)) - 1);
}
SMCPU_EXPORT uint64_t smcpu_ptx_mov_u64_globaltimer(Thread *) {
  return nanoseconds();
}
SMCPU_EXPORT uint64_t smcpu_ptx_mov_u64_clock64(Thread *) {
  return nanoseconds();
}
SMCPU_EXPORT uint32_t smcpu_ptx_mov_u32_clock(Thread *) {
  return static_cast<uint32_t>(nanoseconds());
}
SMCPU_EXPORT uint32_t smcpu_ptx_mov_u32_dynamic_smem_size(Thread *t) {
  return t->launch->dynamicShared;
}
SMCPU_EXPORT uint32_t smcpu_ptx_mov_u32_total_smem_size(Thread *t) {
  return static_cast<uint32_t>(t->dynamicShared - t->arena) + t->launch->dynamicShared;
}

// Which memory a pointer is in. Local arrays live on host stacks and in coroutine frames, so what is neither
// shared nor the module's variables cannot be told from global memory: it is reported as global.
SMCPU_EXPORT bool smcpu_nvvm_isspacep_shared(Thread *t, const void *pointer) {
  const char *at = static_cast<const char *>(pointer);
  return at >= t->arena && at < t->dynamicShared + t->launch->dynamicShared;
}
SMCPU_EXPORT bool smcpu_nvvm_isspacep_global(Thread *t, const void *pointer) {
  return !smcpu_nvvm_isspacep_shared(t, pointer);
}
SMCPU_EXPORT bool smcpu_nvvm_isspacep_const(Thread *, const void *) {
  return false;
}
SMCPU_EXPORT bool smcpu_nvvm_isspacep_local(Thread *, const void *) {
  return false;
}

SMCPU_EXPORT void smcpu_trap(Thread *t) {
  char message[160];
  snprintf(message, sizeof message, "trap in block (%u,%u,%u), thread (%u,%u,%u)", t->blockIdx.x,
           t->blockIdx.y, t->blockIdx.z, t->threadIdx.x, t->threadIdx.y, t->threadIdx.z);
  fail(t, launchFailure, message);
}
SMCPU_EXPORT void smcpu_nvvm_exit(Thread *t) {
  smcpu_trap(t);
}

SMCPU_EXPORT [[gnu::noinline]] void smcpu_call___assertfail(Thread *t, const char *expression,
                                                            const char *file, uint32_t line,
                                                            const char *function, uint64_t) {
  char message[1024];
  snprintf(message, sizeof message, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
           file, line, function, t->blockIdx.x, t->blockIdx.y, t->blockIdx.z, t->threadIdx.x, t->threadIdx.y,
           t->threadIdx.z, expression);
  fail(t, assertFailed, message);
}

SMCPU_EXPORT int smcpu_call_vprintf(Thread *t, const char *format, const void *packed) {
  return smcpuPrintf(t->launch, format, packed);
}
SMCPU_EXPORT void *smcpu_call_malloc(Thread *t, size_t size) {
  return smcpuDeviceMalloc(t->launch, size);
}
SMCPU_EXPORT void smcpu_call_free(Thread *t, void *pointer) {
  smcpuDeviceFree(t->launch, pointer);
}
SMCPU_EXPORT void *smcpu_call_memcpy(Thread *, void *to, const void *from, size_t size) {
  return memcpy(to, from, size);
}
SMCPU_EXPORT void *smcpu_call_memmove(Thread *, void *to, const void *from, size_t size) {
  return memmove(to, from, size);
}
SMCPU_EXPORT void *smcpu_call_memset(Thread *, void *to, int value, size_t size) {
  return memset(to, value, size);
}
SMCPU_EXPORT void smcpu_call___cxa_pure_virtual(Thread *t) {
  smcpu_trap(t);
}
/// `#pragma streammap trips(e)` leaves this call in front of its loop; only the analysis reads it.
SMCPU_EXPORT void smcpu_call___streammap_trips(Thread *, uint32_t, long long) {}
