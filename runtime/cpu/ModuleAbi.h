#pragma once
// The contract between the CPU-device compiler (lib/cpudevice), which turns a program's kernels into host
// functions, and the CPU implementation of the CUDA runtime API (runtime/cpu), which launches them.
//
// The compiler emits one `const SmcpuModule` per translation unit and a constructor that calls
// smcpuRegisterModule before the host object's own __cudaRegisterFatBinary constructor runs. The host
// object's "GPU binary" is the module's id, so a kernel is found by (module id, device symbol): equal names
// in two translation units do not clash. C ABI, plain data: both sides may be built by different compilers.
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SmcpuDim3 {
  uint32_t x, y, z;
} SmcpuDim3;

/// What one launch needs; shared by all its blocks. Filled by the runtime, read by the kernel and the device
/// library (runtime/cpu/devicelib).
typedef struct SmcpuLaunch {
  SmcpuDim3 grid, block;
  uint32_t dynamicShared; ///< bytes
  uint32_t device;        ///< ordinal, for messages and %smid
  void *const *arguments; ///< one pointer per parameter, as cudaLaunchKernel receives them
  void *const
      *globals; ///< per module slot: this device's image of the module's __device__/__constant__ variables
  uint64_t *
      counters; ///< when counting: SmcpuKernel::counterCount totals, added to atomically per block; else null
  /// Set once by a failing thread (trap, assert, unsupported instruction, deadlock): the launch's cudaError_t
  /// and a message for people. The first failure wins. Does not return: the runtime leaves the block
  /// (siglongjmp), as it does after a memory fault, so that no thread of the block runs on.
  void (*fail)(struct SmcpuLaunch *launch, int cudaError, const char *message);
  void *runtime; ///< the runtime's own
  /// Called by modules built with access checks before each read or write of global memory; null when nobody
  /// checks. `where` is "file:line:column". A forbidden access fails the launch.
  void (*checkAccess)(struct SmcpuLaunch *launch, const void *address, size_t size, int isWrite,
                      const char *where);
} SmcpuLaunch;

/// Runs one whole block of the grid on the calling host thread. `arena` holds at least
/// SmcpuKernel::staticShared + dynamicShared bytes of shared memory, 128-byte aligned, contents undefined.
/// Blocks of a launch may run concurrently on several host threads, each with its own arena.
typedef void (*SmcpuBlockFunction)(SmcpuLaunch *launch, uint32_t blockX, uint32_t blockY, uint32_t blockZ,
                                   char *arena);

/// One thing the counting build counts per launch, e.g. metric "flops_fp32", "global_load_bytes".
typedef struct SmcpuCounter {
  const char *metric;
} SmcpuCounter;

typedef struct SmcpuKernel {
  const char *symbol; ///< device mangled name
  const char *name;   ///< demangled, for people
  SmcpuBlockFunction run;
  uint32_t parameterCount;
  const uint32_t *parameterSizes; ///< bytes, by parameter
  uint32_t staticShared;          ///< bytes
  uint32_t maxThreadsPerBlock;    ///< from __launch_bounds__, else 1024
  uint32_t counterCount;          ///< 0 unless built with counting
  const SmcpuCounter *counters;
} SmcpuKernel;

typedef struct SmcpuVariable {
  const char *symbol;
  size_t offset; ///< in the module's image
  size_t size;
  int isConstant; ///< __constant__
} SmcpuVariable;

typedef struct SmcpuModule {
  const char *id; ///< the content of the host object's "GPU binary"
  uint32_t kernelCount;
  const SmcpuKernel *kernels;
  uint32_t variableCount;
  const SmcpuVariable *variables;
  const void *image; ///< initial bytes of the module's mutable variables; each device gets a copy
  size_t imageSize;
  uint32_t *slot; ///< the runtime stores the module's index into SmcpuLaunch::globals here
} SmcpuModule;

/// Called by the module's constructor. Defined in the CPU device's runtime library.
void smcpuRegisterModule(const SmcpuModule *module);

/// Memory for the block that runs on the calling host thread: piece 0 holds its threads' state, piece 1 their
/// suspended frames. At least `size` bytes, 64-byte aligned, contents undefined, the runtime's own to reuse
/// once the block has ended or failed. Each piece is asked for at most once per block. Defined in the runtime
/// library.
void *smcpuBlockScratch(SmcpuLaunch *launch, uint32_t piece, size_t size);

/// Whether kernels may touch `size` bytes at `address`: null, or what is wrong with it ("outside the sections
/// of task gemm[0,1]"). Called concurrently, from the threads that run blocks.
typedef const char *(*SmcpuAccessChecker)(void *context, const void *address, size_t size, int isWrite);

/// From now on launches made by the calling thread are checked by `checker` (null: not), if their module was
/// built for it. `context` must live until they have ended. Defined in the runtime library.
void smcpuCheckAccesses(SmcpuAccessChecker checker, void *context);

/// Device printf, malloc and free, called by the device library; defined in the runtime library.
int smcpuPrintf(SmcpuLaunch *launch, const char *format, const void *packedArguments);
void *smcpuDeviceMalloc(SmcpuLaunch *launch, size_t size);
void smcpuDeviceFree(SmcpuLaunch *launch, void *pointer);

#ifdef __cplusplus
}
#endif
