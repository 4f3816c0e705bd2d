#pragma once
// What every CUDA function here has in common: it runs on the calling thread's current device, fails while
// that device has failed, and its error becomes the thread's last one.
//
//   cudaError_t cudaMalloc(void **pointer, size_t size) {
//     return onDevice([&](Device &device) { return device.allocate(pointer, size); });
//   }
#include "cpu/Platform.h"
#include <driver_types.h>

namespace streammap::cpu {

/// Makes `error`, unless it is cudaSuccess, what cudaGetLastError will say; returns it.
cudaError_t report(cudaError_t error);

inline Device &currentDevice() {
  return platform().device(threadState().device);
}

/// Calls that neither need a healthy device nor wait for one.
template <class Body>
cudaError_t anywhere(Body body) {
  return report(onStreamThread() ? cudaErrorNotPermitted : body());
}

/// Everything else. A host function that a stream runs may not call CUDA.
template <class Body>
cudaError_t onDevice(Body body) {
  return anywhere([&] {
    Device &device = currentDevice();
    const cudaError_t failure = device.failure();
    return failure != cudaSuccess ? failure : body(device);
  });
}

/// What stream 0 means in the calling translation unit (-fgpu-default-stream=per-thread).
enum class DefaultStream { legacy, perThread };

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
inline constexpr DefaultStream defaultStream = DefaultStream::perThread;
#else
inline constexpr DefaultStream defaultStream = DefaultStream::legacy;
#endif

struct StreamUse {
  Stream *stream = nullptr; ///< null: there is no such stream
  Device *device = nullptr; ///< its own, which need not be the current one
};
StreamUse findStream(cudaStream_t handle, DefaultStream zero);

/// Runs `body(StreamUse)` as onDevice does, if the stream exists and its device is healthy.
template <class Body>
cudaError_t onStream(cudaStream_t handle, Body body) {
  return onDevice([&](Device &) {
    const StreamUse use = findStream(handle, defaultStream);
    if (!use.stream)
      return cudaErrorInvalidResourceHandle;
    const cudaError_t failure = use.device->failure();
    return failure != cudaSuccess ? failure : body(use);
  });
}

} // namespace streammap::cpu
