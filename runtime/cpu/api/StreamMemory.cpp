// Stream-ordered allocation and prefetching. Compiled twice: the second time stream 0 means the calling
// thread's.
#include "cpu/api/Call.h"
#include <cuda_runtime_api.h>

using namespace streammap::cpu;

extern "C" {

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
  return onStream(stream, [&](const StreamUse &use) {
    return pointer ? use.device->allocate(pointer, size) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  return onStream(stream, [&](const StreamUse &use) {
    if (!pointer)
      return cudaSuccess;
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    const auto range = platform().addresses().find(begin);
    if (!range || range->begin != begin || range->kind != MemoryKind::device)
      return cudaErrorInvalidValue;
    use.device->submitAlways(*use.stream, [begin] {
      if (const auto freed = platform().addresses().remove(begin))
        platform().device(freed->device).release(*freed);
    });
    return cudaSuccess;
  });
}

/// All memory is where every device and the host can reach it: nothing has to move.
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
  return onStream(stream, [&](const StreamUse &) {
    if (location.type == cudaMemLocationTypeDevice && !platform().isDevice(location.id))
      return cudaErrorInvalidDevice;
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    const auto range = platform().addresses().find(begin);
    if (flags != 0 || !range || range->kind != MemoryKind::managed ||
        platform().addresses().covered(begin, size) != size)
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t, unsigned) {
  return onStream(stream, [&](const StreamUse &) {
    const auto range = platform().addresses().find(reinterpret_cast<std::uintptr_t>(pointer));
    return range && range->kind == MemoryKind::managed ? cudaSuccess : cudaErrorInvalidValue;
  });
}

} // extern "C"
