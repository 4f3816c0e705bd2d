#include "support/CudaCompat.h"

namespace streammap {

// What was measured to be missing, most frequent first: corpora of 713 translation units, CUDA 13.0,
// Clang 22.
static constexpr std::string_view text = R"header(
#pragma once
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <type_traits>
#define STREAMMAP_HOST static inline __attribute__((host))
#define STREAMMAP_DEVICE static inline __attribute__((device))
// nvcc declares max and min for the host as well; templates lose to whatever the program declares itself.
template <class A, class B, class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
STREAMMAP_HOST constexpr std::common_type_t<A, B> max(A a, B b) {
  using C = std::common_type_t<A, B>;
  return C(a) < C(b) ? C(b) : C(a);
}
template <class A, class B, class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
STREAMMAP_HOST constexpr std::common_type_t<A, B> min(A a, B b) {
  using C = std::common_type_t<A, B>;
  return C(b) < C(a) ? C(b) : C(a);
}
#if defined(CUDART_VERSION) && CUDART_VERSION >= 13000
STREAMMAP_HOST cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
STREAMMAP_HOST cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
STREAMMAP_HOST cudaError_t cudaThreadSetCacheConfig(cudaFuncCache c) { return cudaDeviceSetCacheConfig(c); }
STREAMMAP_HOST cudaError_t cudaThreadGetCacheConfig(cudaFuncCache *c) { return cudaDeviceGetCacheConfig(c); }
STREAMMAP_HOST cudaError_t cudaThreadSetLimit(cudaLimit l, size_t v) { return cudaDeviceSetLimit(l, v); }
STREAMMAP_HOST cudaMemLocation streammap_location(int device) {
  cudaMemLocation location{};
  location.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device < 0 ? 0 : device;
  return location;
}
STREAMMAP_HOST cudaError_t cudaMemAdvise(const void *p, size_t n, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(p, n, advice, streammap_location(device));
}
STREAMMAP_HOST cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, int device, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(p, n, streammap_location(device), 0, stream);
}
#endif
// Loads and stores with a cache hint: the hint does not matter here.
#define STREAMMAP_LOAD(name) template <class T> STREAMMAP_DEVICE T name(const T *p) { return *p; }
#define STREAMMAP_STORE(name) template <class T> STREAMMAP_DEVICE void name(T *p, T v) { *p = v; }
STREAMMAP_LOAD(__ldcs) STREAMMAP_LOAD(__ldcg) STREAMMAP_LOAD(__ldca) STREAMMAP_LOAD(__ldcv) STREAMMAP_LOAD(__ldlu)
STREAMMAP_STORE(__stcs) STREAMMAP_STORE(__stcg) STREAMMAP_STORE(__stwb) STREAMMAP_STORE(__stwt)
#undef STREAMMAP_LOAD
#undef STREAMMAP_STORE
#ifndef __NV_ATOMIC_RELAXED
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
template <class T> STREAMMAP_DEVICE T __nv_atomic_load_n(const T *p, int, int = 4) { return __atomic_load_n(p, 0); }
template <class T, class V> STREAMMAP_DEVICE void __nv_atomic_store_n(T *p, V v, int, int = 4) {
  __atomic_store_n(p, T(v), 0);
}
template <class T, class V> STREAMMAP_DEVICE T __nv_atomic_exchange_n(T *p, V v, int, int = 4) {
  return __atomic_exchange_n(p, T(v), 0);
}
template <class T, class V>
STREAMMAP_DEVICE bool __nv_atomic_compare_exchange_n(T *p, T *e, V v, bool weak, int, int, int = 4) {
  return __atomic_compare_exchange_n(p, e, T(v), weak, 0, 0);
}
#define STREAMMAP_ATOMIC(name)                                                                               \
  template <class T, class V> STREAMMAP_DEVICE T __nv_atomic_##name(T *p, V v, int, int = 4) {                \
    return __atomic_##name(p, T(v), 0);                                                                      \
  }
STREAMMAP_ATOMIC(fetch_add) STREAMMAP_ATOMIC(fetch_sub) STREAMMAP_ATOMIC(fetch_and) STREAMMAP_ATOMIC(fetch_or)
STREAMMAP_ATOMIC(fetch_xor) STREAMMAP_ATOMIC(fetch_min) STREAMMAP_ATOMIC(fetch_max)
#undef STREAMMAP_ATOMIC
#endif
#undef STREAMMAP_HOST
#undef STREAMMAP_DEVICE
)header";

std::string cudaWrapperHeader() {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string header = "#pragma once\n";
  for (char letter : letters)
    header += std::string("#pragma push_macro(\"") + letter + "\")\n#undef " + letter + "\n";
  header += "#include <__clang_cuda_runtime_wrapper.h>\n";
  for (char letter : letters)
    header += std::string("#pragma pop_macro(\"") + letter + "\")\n";
  return header;
}

std::string_view cudaCompatHeader() {
  return text;
}

} // namespace streammap
