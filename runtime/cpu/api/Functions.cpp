// Asking about kernels: attributes, parameters, occupancy.
#include "cpu/Launch.h"
#include "cpu/api/Call.h"
#include <algorithm>
#include <bit>
#include <cuda_runtime_api.h>

using namespace streammap::cpu;

namespace {

/// Runs `body(Kernel &)` for a kernel known by host stub, cudaFunction_t or cudaKernel_t.
template <class Body>
cudaError_t onKernel(const void *function, Body body) {
  return onDevice([&](Device &) {
    Kernel *kernel = platform().modules().kernel(function);
    return kernel ? body(*kernel) : cudaErrorInvalidDeviceFunction;
  });
}

/// Kernels are known with their parameters' sizes, not with their alignments: a parameter is taken to be
/// aligned to the largest power of two that divides its size, up to 16.
std::size_t alignmentOf(std::size_t size) {
  return size == 0 ? 1 : std::min<std::size_t>(16, std::size_t{1} << std::countr_zero(size));
}

int registersOf(const Kernel &kernel) {
  return std::min(255, DeviceLimits::registersPerBlock / static_cast<int>(kernel.code->maxThreadsPerBlock));
}

} // namespace

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function) {
  return onKernel(function, [&](const Kernel &kernel) {
    if (!attributes)
      return cudaErrorInvalidValue;
    *attributes = {};
    attributes->sharedSizeBytes = kernel.code->staticShared;
    attributes->maxThreadsPerBlock = static_cast<int>(kernel.code->maxThreadsPerBlock);
    attributes->numRegs = registersOf(kernel);
    attributes->ptxVersion = attributes->binaryVersion = 80;
    attributes->maxDynamicSharedSizeBytes = dynamicSharedLimit(kernel);
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  return onKernel(function, [&](Kernel &kernel) {
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
      return value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
      return cudaErrorNotSupported;
    const int most = DeviceLimits::sharedPerBlockOptIn - static_cast<int>(kernel.code->staticShared);
    if (value < 0 || value > most)
      return cudaErrorInvalidValue;
    kernel.dynamicSharedLimit = value;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void *function, cudaFuncCache) {
  return onKernel(function, [](const Kernel &) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
  return onKernel(function, [&](const Kernel &kernel) {
    if (!name)
      return cudaErrorInvalidValue;
    *name = kernel.code->symbol;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size) {
  return onKernel(function, [&](const Kernel &kernel) {
    if (!offset || index >= kernel.code->parameterCount)
      return cudaErrorInvalidValue;
    std::size_t at = 0;
    for (std::size_t i = 0; i <= index; ++i) {
      const std::size_t alignment = alignmentOf(kernel.code->parameterSizes[i]);
      at = (at + alignment - 1) / alignment * alignment;
      if (i != index)
        at += kernel.code->parameterSizes[i];
    }
    *offset = at;
    if (size)
      *size = kernel.code->parameterSizes[index];
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *hostStub) {
  return onKernel(hostStub, [&](Kernel &kernel) {
    if (!function)
      return cudaErrorInvalidValue;
    *function = reinterpret_cast<cudaFunction_t>(&kernel);
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *hostStub) {
  return onKernel(hostStub, [&](Kernel &kernel) {
    if (!handle)
      return cudaErrorInvalidValue;
    *handle = reinterpret_cast<cudaKernel_t>(&kernel);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                   int blockSize, size_t dynamicShared,
                                                                   unsigned flags) {
  return onKernel(function, [&](const Kernel &kernel) {
    if (!blocks || blockSize <= 0 ||
        (flags & ~static_cast<unsigned>(cudaOccupancyDisableCachingOverride)) != 0)
      return cudaErrorInvalidValue;
    *blocks = blocksPerMultiprocessor(kernel, blockSize, dynamicShared);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int blockSize,
                                                          size_t dynamicShared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, blockSize, dynamicShared,
                                                                0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicShared, const void *function, int blocks,
                                                      int blockSize) {
  return onKernel(function, [&](const Kernel &kernel) {
    if (!dynamicShared || blocks <= 0 || blockSize <= 0 ||
        blocksPerMultiprocessor(kernel, blockSize, 0) < blocks)
      return cudaErrorInvalidValue;
    const int share = DeviceLimits::sharedPerMultiprocessor / blocks - DeviceLimits::sharedReservedPerBlock -
                      static_cast<int>(kernel.code->staticShared);
    *dynamicShared = static_cast<std::size_t>(std::clamp(share, 0, dynamicSharedLimit(kernel)));
    return cudaSuccess;
  });
}

} // extern "C"
