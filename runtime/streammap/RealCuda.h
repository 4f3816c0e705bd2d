#pragma once
// The CUDA functions that a transformed program reaches through us (wrapped-symbols.txt), as they really are.
// The linker's --wrap turns every reference to cudaX into __wrap_cudaX, in our own objects too: the runtime
// itself says __real_cudaX.
#include "streammap/Failure.h"
#include <cuda_runtime_api.h>

#define STREAMMAP_REAL(function) extern "C" decltype(function) __real_##function;
STREAMMAP_REAL(cudaDeviceCanAccessPeer)
STREAMMAP_REAL(cudaDeviceGetAttribute)
STREAMMAP_REAL(cudaDeviceSetLimit)
STREAMMAP_REAL(cudaDeviceSynchronize)
STREAMMAP_REAL(cudaEventCreateWithFlags)
STREAMMAP_REAL(cudaEventDestroy)
STREAMMAP_REAL(cudaEventRecord)
STREAMMAP_REAL(cudaEventSynchronize)
STREAMMAP_REAL(cudaFree)
STREAMMAP_REAL(cudaFreeAsync)
STREAMMAP_REAL(cudaFreeHost)
STREAMMAP_REAL(cudaFuncSetAttribute)
STREAMMAP_REAL(cudaGetDevice)
STREAMMAP_REAL(cudaGetDeviceCount)
STREAMMAP_REAL(cudaGetDeviceProperties)
STREAMMAP_REAL(cudaHostAlloc)
STREAMMAP_REAL(cudaLaunchCooperativeKernel)
STREAMMAP_REAL(cudaLaunchHostFunc)
STREAMMAP_REAL(cudaLaunchKernel)
STREAMMAP_REAL(cudaLaunchKernelExC)
STREAMMAP_REAL(cudaMalloc)
STREAMMAP_REAL(cudaMallocAsync)
STREAMMAP_REAL(cudaMallocHost)
STREAMMAP_REAL(cudaMemcpy)
STREAMMAP_REAL(cudaMemcpy2D)
STREAMMAP_REAL(cudaMemcpy2DAsync)
STREAMMAP_REAL(cudaMemcpyAsync)
STREAMMAP_REAL(cudaMemcpyFromSymbol)
STREAMMAP_REAL(cudaMemcpyFromSymbolAsync)
STREAMMAP_REAL(cudaMemcpyToSymbol)
STREAMMAP_REAL(cudaMemcpyToSymbolAsync)
STREAMMAP_REAL(cudaMemset)
STREAMMAP_REAL(cudaMemset2D)
STREAMMAP_REAL(cudaMemset2DAsync)
STREAMMAP_REAL(cudaMemsetAsync)
STREAMMAP_REAL(cudaPointerGetAttributes)
STREAMMAP_REAL(cudaSetDevice)
STREAMMAP_REAL(cudaStreamQuery)
STREAMMAP_REAL(cudaStreamSynchronize)
STREAMMAP_REAL(cudaStreamWaitEvent)
#undef STREAMMAP_REAL

// What compiled CUDA code calls without a declaration in a public header.
extern "C" {
cudaError_t __real___cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __real___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                      size_t shared, cudaStream_t stream);
void __real___cudaRegisterFunction(void **module, const char *hostFunction, char *deviceFunction,
                                   const char *deviceName, int threadLimit, uint3 *thread, uint3 *block,
                                   dim3 *blockSize, dim3 *gridSize, int *warpSize);
}

namespace streammap::engine {

/// Ends the job unless `status` is success: "cudaMemcpyAsync failed: out of memory (2)".
inline void check(cudaError_t status, const char *call) {
  if (status != cudaSuccess)
    fail(std::string(call) + " failed: " + cudaGetErrorString(status) + " (" + std::to_string(status) + ")");
}

/// Makes `device` the calling thread's current one while it lives.
class DeviceScope {
public:
  explicit DeviceScope(int device) {
    check(__real_cudaGetDevice(&previous_), "cudaGetDevice");
    if (device != previous_)
      check(__real_cudaSetDevice(device), "cudaSetDevice");
    else
      previous_ = -1;
  }
  ~DeviceScope() {
    if (previous_ >= 0)
      __real_cudaSetDevice(previous_);
  }
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;

private:
  int previous_ = -1;
};

} // namespace streammap::engine
