#include "cpu/api/Call.h"
#include <cuda_runtime_api.h>

namespace streammap::cpu {

cudaError_t report(cudaError_t error) {
  if (error != cudaSuccess)
    threadState().lastError = error;
  return error;
}

namespace {

Stream &perThreadStream() {
  ThreadState &thread = threadState();
  thread.perThreadStreams.resize(static_cast<std::size_t>(platform().deviceCount()), nullptr);
  Stream *&stream = thread.perThreadStreams[static_cast<std::size_t>(thread.device)];
  if (!stream || !currentDevice().owns(stream))
    stream = &currentDevice().createStream(StreamKind::blocking, cudaStreamDefault, 0);
  return *stream;
}

} // namespace

StreamUse findStream(cudaStream_t handle, DefaultStream zero) {
  if (handle == cudaStreamPerThread || (!handle && zero == DefaultStream::perThread))
    return {&perThreadStream(), &currentDevice()};
  if (!handle || handle == cudaStreamLegacy)
    return {&currentDevice().legacyStream(), &currentDevice()};
  Stream *stream = reinterpret_cast<Stream *>(handle);
  Device *owner = platform().ownerOf(stream);
  return owner ? StreamUse{stream, owner} : StreamUse{};
}

} // namespace streammap::cpu
