// What the programs here share: a failing check names itself and makes main return 1.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline int failures = 0;

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                           \
      ++failures;                                                                                            \
    }                                                                                                        \
  } while (false)

#define CUDA(call)                                                                                           \
  do {                                                                                                       \
    const cudaError_t error = (call);                                                                        \
    if (error != cudaSuccess) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));         \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (false)

/// Device memory with a host copy.
template <class T> struct Buffer {
  explicit Buffer(std::vector<T> values) : host(std::move(values)) {
    CUDA(cudaMalloc(&device, host.size() * sizeof(T)));
    CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  explicit Buffer(std::size_t count, T value = T()) : Buffer(std::vector<T>(count, value)) {}
  ~Buffer() { cudaFree(device); }
  Buffer(const Buffer &) = delete;
  const std::vector<T> &read() {
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  std::vector<T> host;
  T *device = nullptr;
};

inline int finish(const char *name) {
  if (failures == 0)
    std::printf("%s: all checks passed\n", name);
  return failures == 0 ? 0 : 1;
}
