// The CUDA runtime API as far as programs need it to be parsed where no toolkit is installed. Names, types
// and meanings are those of the CUDA Runtime API reference; the text is our own.
#include <string_view>

namespace streammap {

extern const std::string_view minimalRuntime;

const std::string_view minimalRuntime = R"header(
#pragma once
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#else
#define __host__
#define __device__
#define __align__(n) __attribute__((aligned(n)))
#define __forceinline__ inline __attribute__((always_inline))
#endif
#define CUDART_VERSION 13000
#define CUDART_CB
#define STREAMMAP_HD __host__ __device__ static inline

// Vector types.
#define STREAMMAP_VECTORS(base, name)                                                                        \
  struct name##1 { base x; };                                                                                \
  struct name##2 { base x, y; };                                                                             \
  struct name##3 { base x, y, z; };                                                                          \
  struct name##4 { base x, y, z, w; };                                                                       \
  STREAMMAP_HD name##1 make_##name##1(base x) { return {x}; }                                                \
  STREAMMAP_HD name##2 make_##name##2(base x, base y) { return {x, y}; }                                     \
  STREAMMAP_HD name##3 make_##name##3(base x, base y, base z) { return {x, y, z}; }                          \
  STREAMMAP_HD name##4 make_##name##4(base x, base y, base z, base w) { return {x, y, z, w}; }
STREAMMAP_VECTORS(signed char, char) STREAMMAP_VECTORS(unsigned char, uchar)
STREAMMAP_VECTORS(short, short) STREAMMAP_VECTORS(unsigned short, ushort)
STREAMMAP_VECTORS(int, int) STREAMMAP_VECTORS(unsigned, uint)
STREAMMAP_VECTORS(long, long) STREAMMAP_VECTORS(unsigned long, ulong)
STREAMMAP_VECTORS(long long, longlong) STREAMMAP_VECTORS(unsigned long long, ulonglong)
STREAMMAP_VECTORS(float, float) STREAMMAP_VECTORS(double, double)
#undef STREAMMAP_VECTORS
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

// Errors, devices, streams, events.
enum cudaError {
  cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400, cudaErrorNotReady = 600, cudaErrorIllegalAddress = 700,
  cudaErrorLaunchFailure = 719, cudaErrorNotSupported = 801, cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaDeviceAttr { cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMultiProcessorCount = 16, cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76 };
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, totalConstMem;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], major, minor;
  int multiProcessorCount, maxThreadsPerMultiProcessor, integrated, canMapHostMemory, concurrentKernels, unifiedAddressing;
  int managedMemory, l2CacheSize, asyncEngineCount, concurrentManagedAccess, pageableMemoryAccess, ECCEnabled, memoryBusWidth;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#define cudaEventDefault 0
#define cudaEventBlockingSync 1
#define cudaEventDisableTiming 2
#define cudaHostAllocDefault 0
#define cudaHostAllocPortable 1
#define cudaHostAllocMapped 2
#define cudaHostAllocWriteCombined 4
#define cudaHostRegisterDefault 0
#define cudaMemAttachGlobal 1
#define cudaMemAttachHost 2
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)

extern "C" {
const char *cudaGetErrorString(cudaError_t);
const char *cudaGetErrorName(cudaError_t);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaSetDevice(int);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache);
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t);
cudaError_t cudaDeviceGetAttribute(int *, enum cudaDeviceAttr, int);
cudaError_t cudaDeviceCanAccessPeer(int *, int, int);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned);
cudaError_t cudaDeviceDisablePeerAccess(int);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *, int);
cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaDriverGetVersion(int *);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned, int);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaMallocManaged(void **, size_t, unsigned);
cudaError_t cudaMallocHost(void **, size_t);
cudaError_t cudaHostAlloc(void **, size_t, unsigned);
cudaError_t cudaHostRegister(void *, size_t, unsigned);
cudaError_t cudaHostUnregister(void *);
cudaError_t cudaHostGetDevicePointer(void **, void *, unsigned);
cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t);
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaMemcpy(void *, const void *, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, enum cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpyPeer(void *, int, const void *, int, size_t);
cudaError_t cudaMemcpyPeerAsync(void *, int, const void *, int, size_t, cudaStream_t);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);
cudaError_t cudaMemset2D(void *, size_t, int, size_t, size_t);
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaGetSymbolAddress(void **, const void *);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaFuncSetAttribute(const void *, enum cudaFuncAttribute, int);
cudaError_t cudaFuncSetCacheConfig(const void *, enum cudaFuncCache);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, struct CUstream_st * = 0);
}
static inline cudaError_t cudaMallocHost(void **p, size_t n, unsigned flags) { return cudaHostAlloc(p, n, flags); }
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t n) { return cudaMalloc((void **)(void *)p, n); }
template <class T> static inline cudaError_t cudaMallocManaged(T **p, size_t n, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void **)(void *)p, n, flags);
}
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t n, unsigned flags = 0) {
  return cudaMallocHost((void **)(void *)p, n, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t n, unsigned flags) {
  return cudaHostAlloc((void **)(void *)p, n, flags);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t n, cudaStream_t s) {
  return cudaMallocAsync((void **)(void *)p, n, s);
}
template <class T> static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t w, size_t h) {
  return cudaMallocPitch((void **)(void *)p, pitch, w, h);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **d, void *h, unsigned flags) {
  return cudaHostGetDevicePointer((void **)(void *)d, h, flags);
}
static inline cudaError_t cudaMemcpyAsync(void *d, const void *s, size_t n, enum cudaMemcpyKind k) {
  return cudaMemcpyAsync(d, s, n, k, 0);
}
static inline cudaError_t cudaMemsetAsync(void *d, int v, size_t n) { return cudaMemsetAsync(d, v, n, 0); }
static inline cudaError_t cudaEventRecord(cudaEvent_t e) { return cudaEventRecord(e, 0); }
static inline cudaError_t cudaEventCreate(cudaEvent_t *e, unsigned flags) { return cudaEventCreateWithFlags(e, flags); }
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e) { return cudaStreamWaitEvent(s, e, 0); }
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *s, size_t n, size_t offset = 0,
                                             enum cudaMemcpyKind k = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol((const void *)&symbol, s, n, offset, k);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *d, const T &symbol, size_t n, size_t offset = 0,
                                               enum cudaMemcpyKind k = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(d, (const void *)&symbol, n, offset, k);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) {
  return cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *f, enum cudaFuncAttribute a, int v) {
  return cudaFuncSetAttribute((const void *)f, a, v);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, T *f) {
  return cudaFuncGetAttributes(a, (const void *)f);
}
template <class T>
static inline cudaError_t cudaLaunchKernel(T *f, dim3 g, dim3 b, void **a, size_t shared = 0, cudaStream_t s = 0) {
  return cudaLaunchKernel((const void *)f, g, b, a, shared, s);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T f, int blockSize, size_t shared);
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T f, size_t shared = 0, int limit = 0);

// Host forms of what nvcc declares for both sides.
template <class A, class B, class = std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value>>
STREAMMAP_HD constexpr std::common_type_t<A, B> max(A a, B b) {
  using C = std::common_type_t<A, B>;
  return C(a) < C(b) ? C(b) : C(a);
}
template <class A, class B, class = std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value>>
STREAMMAP_HD constexpr std::common_type_t<A, B> min(A a, B b) {
  using C = std::common_type_t<A, B>;
  return C(b) < C(a) ? C(b) : C(a);
}

#ifdef __CUDA__
#include <__clang_cuda_builtin_vars.h>
#define STREAMMAP_D static inline __device__
STREAMMAP_D int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
STREAMMAP_D int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
STREAMMAP_D int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
STREAMMAP_D void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
STREAMMAP_D void __threadfence() { __nvvm_membar_gl(); }
STREAMMAP_D void __threadfence_block() { __nvvm_membar_cta(); }
STREAMMAP_D void __threadfence_system() { __nvvm_membar_sys(); }
STREAMMAP_D int __popc(unsigned v) { return __builtin_popcount(v); }
STREAMMAP_D int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
STREAMMAP_D int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
STREAMMAP_D int __ffs(int v) { return __builtin_ffs(v); }
#define STREAMMAP_SHUFFLE(name, builtin, control)                                                            \
  STREAMMAP_D int name(unsigned m, int v, int d, int w = 32) { return builtin##i32(m, v, d, control); }       \
  STREAMMAP_D unsigned name(unsigned m, unsigned v, int d, int w = 32) {                                      \
    return (unsigned)builtin##i32(m, (int)v, d, control);                                                     \
  }                                                                                                          \
  STREAMMAP_D float name(unsigned m, float v, int d, int w = 32) { return builtin##f32(m, v, d, control); }   \
  STREAMMAP_D double name(unsigned m, double v, int d, int w = 32) {                                          \
    int parts[2];                                                                                            \
    __builtin_memcpy(parts, &v, 8);                                                                          \
    parts[0] = builtin##i32(m, parts[0], d, control);                                                        \
    parts[1] = builtin##i32(m, parts[1], d, control);                                                        \
    __builtin_memcpy(&v, parts, 8);                                                                          \
    return v;                                                                                                \
  }
STREAMMAP_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_, ((32 - w) << 8) | 0x1f)
STREAMMAP_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_, ((32 - w) << 8))
STREAMMAP_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_, ((32 - w) << 8) | 0x1f)
STREAMMAP_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_, ((32 - w) << 8) | 0x1f)
#undef STREAMMAP_SHUFFLE
STREAMMAP_D unsigned __ballot_sync(unsigned m, int p) { return __nvvm_vote_ballot_sync(m, p); }
STREAMMAP_D int __all_sync(unsigned m, int p) { return __nvvm_vote_all_sync(m, p); }
STREAMMAP_D int __any_sync(unsigned m, int p) { return __nvvm_vote_any_sync(m, p); }
STREAMMAP_D unsigned __activemask() { return __nvvm_activemask(); }
#define STREAMMAP_ATOMIC(name, type, builtin)                                                                \
  STREAMMAP_D type name(type *p, type v) { return builtin(p, v, __ATOMIC_RELAXED); }
STREAMMAP_ATOMIC(atomicAdd, int, __atomic_fetch_add) STREAMMAP_ATOMIC(atomicAdd, unsigned, __atomic_fetch_add)
STREAMMAP_ATOMIC(atomicAdd, unsigned long long, __atomic_fetch_add)
STREAMMAP_ATOMIC(atomicSub, int, __atomic_fetch_sub) STREAMMAP_ATOMIC(atomicSub, unsigned, __atomic_fetch_sub)
STREAMMAP_ATOMIC(atomicMax, int, __atomic_fetch_max) STREAMMAP_ATOMIC(atomicMax, unsigned, __atomic_fetch_max)
STREAMMAP_ATOMIC(atomicMin, int, __atomic_fetch_min) STREAMMAP_ATOMIC(atomicMin, unsigned, __atomic_fetch_min)
STREAMMAP_ATOMIC(atomicAnd, int, __atomic_fetch_and) STREAMMAP_ATOMIC(atomicAnd, unsigned, __atomic_fetch_and)
STREAMMAP_ATOMIC(atomicOr, int, __atomic_fetch_or) STREAMMAP_ATOMIC(atomicOr, unsigned, __atomic_fetch_or)
STREAMMAP_ATOMIC(atomicXor, int, __atomic_fetch_xor) STREAMMAP_ATOMIC(atomicXor, unsigned, __atomic_fetch_xor)
STREAMMAP_ATOMIC(atomicExch, int, __atomic_exchange_n) STREAMMAP_ATOMIC(atomicExch, unsigned, __atomic_exchange_n)
#undef STREAMMAP_ATOMIC
STREAMMAP_D float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
STREAMMAP_D int atomicCAS(int *p, int e, int v) {
  __atomic_compare_exchange_n(p, &e, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return e;
}
STREAMMAP_D unsigned atomicCAS(unsigned *p, unsigned e, unsigned v) {
  __atomic_compare_exchange_n(p, &e, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return e;
}
template <class T> STREAMMAP_D T __ldg(const T *p) { return *p; }
// Device math: the library's entry points, to be priced or linked by name.
#define STREAMMAP_MATH(name)                                                                                 \
  extern "C" __device__ double __nv_##name(double);                                                          \
  extern "C" __device__ float __nv_##name##f(float);                                                         \
  STREAMMAP_D double name(double v) { return __nv_##name(v); }                                               \
  STREAMMAP_D float name(float v) { return __nv_##name##f(v); }                                              \
  STREAMMAP_D float name##f(float v) { return __nv_##name##f(v); }
STREAMMAP_MATH(sqrt) STREAMMAP_MATH(exp) STREAMMAP_MATH(exp2) STREAMMAP_MATH(log) STREAMMAP_MATH(log2)
STREAMMAP_MATH(log10) STREAMMAP_MATH(sin) STREAMMAP_MATH(cos) STREAMMAP_MATH(tan) STREAMMAP_MATH(tanh)
STREAMMAP_MATH(sinh) STREAMMAP_MATH(cosh) STREAMMAP_MATH(asin) STREAMMAP_MATH(acos) STREAMMAP_MATH(atan)
STREAMMAP_MATH(fabs) STREAMMAP_MATH(floor) STREAMMAP_MATH(ceil) STREAMMAP_MATH(round) STREAMMAP_MATH(trunc)
STREAMMAP_MATH(cbrt) STREAMMAP_MATH(erf) STREAMMAP_MATH(erfc) STREAMMAP_MATH(expm1) STREAMMAP_MATH(log1p)
#undef STREAMMAP_MATH
#define STREAMMAP_MATH(name)                                                                                 \
  extern "C" __device__ double __nv_##name(double, double);                                                  \
  extern "C" __device__ float __nv_##name##f(float, float);                                                  \
  STREAMMAP_D double name(double a, double b) { return __nv_##name(a, b); }                                  \
  STREAMMAP_D float name(float a, float b) { return __nv_##name##f(a, b); }                                  \
  STREAMMAP_D float name##f(float a, float b) { return __nv_##name##f(a, b); }
STREAMMAP_MATH(pow) STREAMMAP_MATH(fmax) STREAMMAP_MATH(fmin) STREAMMAP_MATH(fmod) STREAMMAP_MATH(atan2)
STREAMMAP_MATH(hypot)
#undef STREAMMAP_MATH
extern "C" __device__ float __nv_rsqrtf(float);
extern "C" __device__ double __nv_rsqrt(double);
STREAMMAP_D float rsqrtf(float v) { return __nv_rsqrtf(v); }
STREAMMAP_D double rsqrt(double v) { return __nv_rsqrt(v); }
STREAMMAP_D float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
STREAMMAP_D double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
STREAMMAP_D int abs(int v) { return v < 0 ? -v : v; }
extern "C" __device__ int vprintf(const char *, const char *);
#undef STREAMMAP_D
#endif
#undef STREAMMAP_HD
)header";

} // namespace streammap
