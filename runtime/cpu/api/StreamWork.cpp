// Asking about streams and ordering their work. Compiled twice: the second time stream 0 means the calling
// thread's.
#include "cpu/api/Call.h"
#include "cpu/api/Unsupported.h"
#include <chrono>
#include <cuda_runtime_api.h>

using namespace streammap::cpu;

extern "C" {

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return onStream(stream, [](const StreamUse &use) {
    use.device->synchronize(*use.stream);
    return use.device->failure();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return onStream(stream, [](const StreamUse &use) {
    return use.stream->last().reached() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return onStream(stream, [&](const StreamUse &use) {
    if (!priority)
      return cudaErrorInvalidValue;
    *priority = use.stream->traits().priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  return onStream(stream, [&](const StreamUse &use) {
    if (!flags)
      return cudaErrorInvalidValue;
    *flags = use.stream->traits().flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  return onStream(stream, [&](const StreamUse &use) {
    if (!id)
      return cudaErrorInvalidValue;
    const StreamTraits &traits = use.stream->traits();
    *id = static_cast<unsigned long long>(traits.device) << 32 | traits.id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  return onStream(stream, [&](const StreamUse &use) {
    if (!device)
      return cudaErrorInvalidValue;
    *device = use.device->ordinal();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t handle, unsigned flags) {
  return onStream(stream, [&](const StreamUse &use) {
    const auto event = platform().events().find(handle);
    if (!event)
      return cudaErrorInvalidResourceHandle;
    if (flags != cudaEventWaitDefault)
      return flags == cudaEventWaitExternal ? cudaErrorIllegalState : cudaErrorInvalidValue;
    if (event->last && !event->last->point.reached())
      use.device->submit(*use.stream, [] {}, {event->last->point});
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
  return onStream(stream, [&](const StreamUse &use) {
    const auto event = platform().events().find(handle);
    if (!event || event->device != use.device->ordinal())
      return cudaErrorInvalidResourceHandle;
    if (flags != cudaEventRecordDefault)
      return flags == cudaEventRecordExternal ? cudaErrorIllegalState : cudaErrorInvalidValue;
    auto time = std::make_shared<std::atomic<std::int64_t>>(0);
    const Point point = use.device->submitAlways(*use.stream, [time] {
      *time = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    });
    platform().events().record(handle, {point, time});
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

// Graphs are not supported; a program can see that nothing is being captured.

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  return unsupported("cudaStreamBeginCapture: CUDA graphs");
}

cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *) {
  return unsupported("cudaStreamEndCapture: CUDA graphs");
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return onStream(stream, [&](const StreamUse &) {
    if (!status)
      return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}

} // extern "C"
