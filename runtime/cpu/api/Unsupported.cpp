#include "cpu/api/Unsupported.h"
#include "cpu/api/Call.h"
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

namespace streammap::cpu {

cudaError_t unsupported(const char *what) {
  std::fprintf(stderr, "streammap: %s: not supported on the CPU device\n", what);
  return report(cudaErrorNotSupported);
}

} // namespace streammap::cpu

using namespace streammap::cpu;

extern "C" {

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *, cudaEvent_t) {
  return unsupported("cudaIpcGetEventHandle: memory shared between processes");
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *, cudaIpcEventHandle_t) {
  return unsupported("cudaIpcOpenEventHandle: memory shared between processes");
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *) {
  return unsupported("cudaIpcGetMemHandle: memory shared between processes");
}

cudaError_t cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned) {
  return unsupported("cudaIpcOpenMemHandle: memory shared between processes");
}

cudaError_t cudaIpcCloseMemHandle(void *) {
  return unsupported("cudaIpcCloseMemHandle: memory shared between processes");
}

/// There is no profiler to start: programs that only mark what to profile go on.
cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}

cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}

} // extern "C"
