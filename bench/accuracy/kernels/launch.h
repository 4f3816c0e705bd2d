// RUN launches a kernel and says so on standard output, so that the same launch can be estimated:
//
//   RUN("saxpy", "n=1000", saxpy, 8, 128, 0, 1000, 2.0f, x, y);
//     launch saxpy|8 1 1|128 1 1|n=1000
//
// The second text gives the integer arguments by the names that cost formulas use. In a build with access checks the
// different bytes of global memory that the launch reads and writes are told, too:
//
//     touched saxpy|8000|4000
#pragma once
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

/// Of the CPU device (runtime/cpu/ModuleAbi.h): asks before each access of a kernel. Null elsewhere.
extern "C" __attribute__((weak)) void smcpuCheckAccesses(const char *(*checker)(void *, const void *, size_t, int),
                                                         void *context);

/// Which bytes of the arrays that memory() gave are read and written.
struct TouchedBytes {
  struct Array {
    const char *begin;
    size_t size;
    std::vector<std::atomic<unsigned char>> marks; ///< 1: read, 2: written
  };
  static std::vector<Array *> &arrays() {
    static std::vector<Array *> all;
    return all;
  }
  static const char *mark(void *, const void *address, size_t size, int isWrite) {
    const char *at = static_cast<const char *>(address);
    for (Array *array : arrays())
      if (at >= array->begin && at < array->begin + array->size)
        for (size_t i = 0; i < size; ++i)
          array->marks[static_cast<size_t>(at - array->begin) + i] |= isWrite ? 2 : 1;
    return nullptr;
  }
  static void start() {
    for (Array *array : arrays())
      for (auto &byte : array->marks)
        byte = 0;
    smcpuCheckAccesses(mark, nullptr);
  }
  static void tell(const char *kernel) {
    cudaDeviceSynchronize();
    smcpuCheckAccesses(nullptr, nullptr);
    size_t read = 0, written = 0;
    for (Array *array : arrays())
      for (auto &byte : array->marks) {
        read += byte & 1;
        written += (byte & 2) / 2;
      }
    std::printf("touched %s|%zu|%zu\n", kernel, read, written);
  }
};

inline void tell(const char *kernel, dim3 grid, dim3 block, const char *arguments) {
  std::printf("launch %s|%u %u %u|%u %u %u|%s\n", kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
              arguments);
}

#define RUN(name, arguments, kernel, grid, block, shared, ...)                                               \
  do {                                                                                                       \
    tell(name, dim3 grid, dim3 block, arguments);                                                            \
    if (smcpuCheckAccesses)                                                                                  \
      TouchedBytes::start();                                                                                 \
    kernel<<<dim3 grid, dim3 block, shared>>>(__VA_ARGS__);                                                  \
    if (smcpuCheckAccesses)                                                                                  \
      TouchedBytes::tell(name);                                                                              \
  } while (0)

/// Zeroed device memory.
template <class T>
T *memory(int count) {
  void *pointer = nullptr;
  cudaMalloc(&pointer, count * sizeof(T));
  cudaMemset(pointer, 0, count * sizeof(T));
  const size_t size = count * sizeof(T);
  TouchedBytes::arrays().push_back(new TouchedBytes::Array{
      static_cast<const char *>(pointer), size, std::vector<std::atomic<unsigned char>>(size)}); // until the end
  return static_cast<T *>(pointer);
}

inline int finish() {
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
