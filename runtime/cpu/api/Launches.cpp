// Launching kernels and host functions. Compiled twice: the second time stream 0 means the calling thread's.
#include "cpu/Launch.h"
#include "cpu/api/Call.h"
#include <cuda_runtime_api.h>

using namespace streammap::cpu;

namespace {

enum class Cooperation { none, grid };

bool fitsInOneWave(const Kernel &kernel, const LaunchShape &shape) {
  const auto threads = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
  const auto blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  const int atOnce =
      blocksPerMultiprocessor(kernel, threads, shape.dynamicShared) * platform().settings().threads;
  return blocks <= static_cast<std::uint64_t>(atOnce);
}

cudaError_t launchKernel(const void *function, const LaunchShape &shape, void **arguments,
                         cudaStream_t handle, Cooperation cooperation) {
  return onStream(handle, [&](const StreamUse &use) {
    Kernel *kernel = platform().modules().kernel(function);
    if (!kernel)
      return function ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    if (use.device != &currentDevice())
      return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = checkShape(*kernel, shape); error != cudaSuccess)
      return error;
    if (!arguments && kernel->code->parameterCount != 0)
      return cudaErrorInvalidValue;
    // That a kernel synchronises its grid is found, and refused, when it is built.
    if (cooperation == Cooperation::grid && !fitsInOneWave(*kernel, shape))
      return cudaErrorCooperativeLaunchTooLarge;
    launch(*use.device, *use.stream, *kernel, shape, arguments);
    return cudaSuccess;
  });
}

} // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t sharedMemory, cudaStream_t stream) {
  return launchKernel(function, {grid, block, sharedMemory}, arguments, stream, Cooperation::none);
}

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define SMCPU_LAUNCH_STUB __cudaLaunchKernel_ptsz
#else
#define SMCPU_LAUNCH_STUB __cudaLaunchKernel
#endif
cudaError_t SMCPU_LAUNCH_STUB(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                              size_t sharedMemory, cudaStream_t stream) {
  return launchKernel(kernel, {grid, block, sharedMemory}, arguments, stream, Cooperation::none);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  if (!config || (config->numAttrs != 0 && !config->attrs))
    return report(cudaErrorInvalidValue);
  Cooperation cooperation = Cooperation::none;
  for (unsigned i = 0; i != config->numAttrs; ++i) {
    const cudaLaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative)
      cooperation = Cooperation::grid;
    const auto &cluster = attribute.val.clusterDim;
    if (attribute.id == cudaLaunchAttributeClusterDimension && cluster.x * cluster.y * cluster.z > 1)
      return report(cudaErrorNotSupported); // capability 8.0 has no clusters
  }
  return launchKernel(function, {config->gridDim, config->blockDim, config->dynamicSmemBytes}, arguments,
                      config->stream, cooperation);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t sharedMemory, cudaStream_t stream) {
  return launchKernel(function, {grid, block, sharedMemory}, arguments, stream, Cooperation::grid);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return onStream(stream, [&](const StreamUse &use) {
    if (!function)
      return cudaErrorInvalidValue;
    use.device->submit(*use.stream, [function, data] { function(data); });
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags) {
  return onStream(stream, [&](const StreamUse &use) {
    if (!callback || flags != 0)
      return cudaErrorInvalidValue;
    Device *device = use.device;
    device->submitAlways(*use.stream, [=] { callback(stream, device->failure(), data); });
    return cudaSuccess;
  });
}

} // extern "C"
