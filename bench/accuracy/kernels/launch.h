// RUN launches a kernel and says so on standard output, so that the same launch can be estimated:
//
//   RUN("saxpy", "n=1000", saxpy, 8, 128, 0, 1000, 2.0f, x, y);
//     launch saxpy|8 1 1|128 1 1|n=1000
//
// The second text gives the integer arguments by the names that cost formulas use.
#pragma once
#include <cstdio>
#include <cuda_runtime.h>

inline void tell(const char *kernel, dim3 grid, dim3 block, const char *arguments) {
  std::printf("launch %s|%u %u %u|%u %u %u|%s\n", kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
              arguments);
}

#define RUN(name, arguments, kernel, grid, block, shared, ...)                                               \
  do {                                                                                                       \
    tell(name, dim3 grid, dim3 block, arguments);                                                            \
    kernel<<<dim3 grid, dim3 block, shared>>>(__VA_ARGS__);                                                  \
  } while (0)

/// Zeroed device memory.
template <class T>
T *memory(int count) {
  void *pointer = nullptr;
  cudaMalloc(&pointer, count * sizeof(T));
  cudaMemset(pointer, 0, count * sizeof(T));
  return static_cast<T *>(pointer);
}

inline int finish() {
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
