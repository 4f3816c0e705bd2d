#pragma once
// The device library: what kernels call instead of GPU instructions. It is compiled to LLVM bitcode, and the
// CPU-device compiler (lib/cpudevice) links it into every program's kernels and inlines it. Names are the
// contract:
//
//   smcpu_nvvm_<intrinsic>   llvm.nvvm.<intrinsic>, dots as underscores
//   smcpu_ptx_<instruction>  one instruction of inline PTX, operands as in the asm statement
//   smcpu_call_<function>    a call of an undefined device function: vprintf, malloc, ...
//   __nv_<function>          CUDA's math library (no Thread argument)
//
// All others take the calling thread first. A result {value, bool} is returned as the value with the bool
// written through a pointer at the end. A function that waits is a loop around smcpu_suspend(): the compiler
// turns every caller into a coroutine. Nothing here allocates or throws.
#include "../ModuleAbi.h"

namespace smcpu {

struct Block;

/// One CUDA thread while it runs. lib/cpudevice/ThreadLayout.h mirrors the first fields.
struct Thread {
  SmcpuLaunch *launch;
  char *image;         ///< this device's __device__ and __constant__ variables of the module
  char *arena;         ///< static shared memory
  char *dynamicShared; ///< extern __shared__
  SmcpuDim3 threadIdx, blockIdx, blockDim, gridDim;
  uint64_t *counters; ///< this block's totals by CostMetric, when counting
  Block *block;       ///< null in kernels that never wait
  uint32_t index;     ///< within the block; the lane is index % 32
};

inline constexpr uint32_t warpSize = 32;

/// The CUDA runtime's error codes that kernels can cause.
inline constexpr int invalidConfiguration = 9, launchTimeout = 702, assertFailed = 710, launchFailure = 719;

} // namespace smcpu

/// Gives the other threads of the block a turn.
extern "C" void smcpu_suspend();

#define SMCPU_EXPORT extern "C" __attribute__((used))
