// Making and ending streams and events.
#include "cpu/api/Call.h"
#include <atomic>
#include <cuda_runtime_api.h>

using namespace streammap::cpu;

namespace {

constexpr int leastPriority = 0, greatestPriority = -5;

cudaEvent_t asHandle(const void *event) {
  return static_cast<cudaEvent_t>(const_cast<void *>(event));
}

} // namespace

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  return onDevice([&](Device &device) {
    if (!stream || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0)
      return cudaErrorInvalidValue;
    const int kept = std::max(greatestPriority, std::min(leastPriority, priority));
    const StreamKind kind = flags == cudaStreamNonBlocking ? StreamKind::nonBlocking : StreamKind::blocking;
    *stream = reinterpret_cast<cudaStream_t>(&device.createStream(kind, flags, kept));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return anywhere([&] {
    if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
      return cudaErrorInvalidResourceHandle;
    const StreamUse use = findStream(handle, DefaultStream::legacy);
    if (!use.stream || use.stream->traits().kind == StreamKind::legacy)
      return cudaErrorInvalidResourceHandle;
    use.device->destroyStream(*use.stream);
    return use.device->failure();
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return onDevice([&](Device &) {
    if (least)
      *least = leastPriority;
    if (greatest)
      *greatest = greatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  return onDevice([&](Device &device) {
    constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!event || (flags & ~known) != 0)
      return cudaErrorInvalidValue;
    if (flags & cudaEventInterprocess)
      return cudaErrorNotSupported;
    *event = asHandle(platform().events().create(device.ordinal(), flags));
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return anywhere(
      [&] { return platform().events().destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return anywhere([&] {
    const auto event = platform().events().find(handle);
    if (!event)
      return cudaErrorInvalidResourceHandle;
    if (event->last && !event->last->point.reached())
      return cudaErrorNotReady;
    return platform().device(event->device).failure();
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return anywhere([&] {
    const auto event = platform().events().find(handle);
    if (!event)
      return cudaErrorInvalidResourceHandle;
    Device &device = platform().device(event->device);
    if (event->last)
      event->last->point.await();
    device.flushOutput();
    return device.failure();
  });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return onDevice([&](Device &) {
    const auto first = platform().events().find(start), second = platform().events().find(end);
    if (!milliseconds)
      return cudaErrorInvalidValue;
    if (!first || !second || !first->last || !second->last || first->device != second->device ||
        ((first->flags | second->flags) & cudaEventDisableTiming))
      return cudaErrorInvalidResourceHandle;
    if (!first->last->point.reached() || !second->last->point.reached())
      return cudaErrorNotReady;
    const std::int64_t passed = second->last->nanoseconds->load() - first->last->nanoseconds->load();
    *milliseconds = static_cast<float>(static_cast<double>(passed) * 1e-6);
    return cudaSuccess;
  });
}

} // extern "C"
