// Allocation in a transformed program: what looks like device memory is a logical buffer, whose home the host
// and every local device can reach. Inside a task allocations are what they say, on the task's device.
#include "streammap/Redirection.h"
#include <cstdlib>
#include <cstring>

namespace streammap::engine {
namespace {

std::string describe(const char *call, std::size_t size) {
  return std::string(call) + " of " + std::to_string(size) + " bytes";
}

/// Memory for the home of a buffer; while recording, where nothing runs, ordinary memory that costs nothing
/// until used.
cudaError_t allocateHome(Process &process, void **home, std::size_t size, unsigned flags) {
  if (!process.recorder())
    return __real_cudaHostAlloc(home, size, flags);
  *home = std::aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  return *home ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t allocate(Process &process, void **pointer, std::size_t size, BufferKind kind, const char *call,
                     unsigned flags = cudaHostAllocPortable | cudaHostAllocMapped) {
  if (!pointer)
    return cudaErrorInvalidValue;
  if (size == 0) {
    *pointer = nullptr;
    return cudaSuccess;
  }
  const cudaError_t status = allocateHome(process, pointer, size, flags);
  if (status == cudaSuccess)
    process.buffers().add(kind, *pointer, size, describe(call, size));
  return status;
}

/// Frees what `allocate` made; false if it did not make it.
bool freeBuffer(Process &process, void *pointer) {
  Buffer *buffer = process.buffers().find(pointer);
  if (!buffer || buffer->home != pointer || buffer->kind == BufferKind::host)
    return false;
  if (process.recorder()) {
    process.buffers().remove(*buffer);
    std::free(pointer);
    return true;
  }
  process.engine().removeBuffer(*buffer);
  check(__real_cudaFreeHost(pointer), "cudaFreeHost");
  return true;
}

/// Outside tasks and while the runtime is there.
Process *programsOwn() {
  Process *process = Process::current();
  return process && !currentTask() ? process : nullptr;
}

} // namespace

extern "C" {

cudaError_t __wrap_cudaMalloc(void **pointer, size_t size) {
  Process *process = programsOwn();
  return process ? allocate(*process, pointer, size, BufferKind::device, "cudaMalloc")
                 : __real_cudaMalloc(pointer, size);
}

cudaError_t __wrap_cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
  if (Process *process = programsOwn())
    return allocate(*process, pointer, size, BufferKind::device, "cudaMallocAsync");
  CurrentTask *task = currentTask();
  return __real_cudaMallocAsync(pointer, size, task ? task->stream : stream);
}

cudaError_t __wrap_cudaMallocManaged(void **pointer, size_t size, unsigned flags) {
  if (Process *process = programsOwn())
    return allocate(*process, pointer, size, BufferKind::managed, "cudaMallocManaged");
  fail("cudaMallocManaged of " + std::to_string(size) + " bytes inside a task; allocate before it (flags " +
       std::to_string(flags) + ")");
}

cudaError_t __wrap_cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  constexpr std::size_t alignment = 512; // what CUDA uses on all devices so far
  if (!pitch)
    return cudaErrorInvalidValue;
  *pitch = (width + alignment - 1) / alignment * alignment;
  Process *process = programsOwn();
  return process ? allocate(*process, pointer, *pitch * height, BufferKind::device, "cudaMallocPitch")
                 : __real_cudaMalloc(pointer, *pitch * height);
}

cudaError_t __wrap_cudaMallocHost(void **pointer, size_t size) {
  Process *process = programsOwn();
  return process ? allocate(*process, pointer, size, BufferKind::pinned, "cudaMallocHost")
                 : __real_cudaMallocHost(pointer, size);
}

cudaError_t __wrap_cudaHostAlloc(void **pointer, size_t size, unsigned flags) {
  Process *process = programsOwn();
  return process ? allocate(*process, pointer, size, BufferKind::pinned, "cudaHostAlloc",
                            flags | cudaHostAllocPortable | cudaHostAllocMapped)
                 : __real_cudaHostAlloc(pointer, size, flags);
}

cudaError_t __wrap_cudaFree(void *pointer) {
  Process *process = programsOwn();
  return process && freeBuffer(*process, pointer) ? cudaSuccess : __real_cudaFree(pointer);
}

cudaError_t __wrap_cudaFreeAsync(void *pointer, cudaStream_t stream) {
  Process *process = programsOwn();
  if (process && freeBuffer(*process, pointer))
    return cudaSuccess;
  CurrentTask *task = currentTask();
  return __real_cudaFreeAsync(pointer, task ? task->stream : stream);
}

cudaError_t __wrap_cudaFreeHost(void *pointer) {
  Process *process = programsOwn();
  return process && freeBuffer(*process, pointer) ? cudaSuccess : __real_cudaFreeHost(pointer);
}

cudaError_t __wrap_cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  const cudaError_t status = __real_cudaPointerGetAttributes(attributes, pointer);
  Process *process = Process::current();
  const Buffer *buffer = process && status == cudaSuccess ? process->buffers().find(pointer) : nullptr;
  if (buffer && (buffer->kind == BufferKind::device || buffer->kind == BufferKind::managed)) {
    attributes->type = buffer->kind == BufferKind::device ? cudaMemoryTypeDevice : cudaMemoryTypeManaged;
    attributes->devicePointer = const_cast<void *>(pointer);
    attributes->hostPointer = buffer->kind == BufferKind::device ? nullptr : const_cast<void *>(pointer);
  }
  return status;
}

/// Data moves when tasks need it; advice about where it should be is about devices the program does not
/// choose.
cudaError_t __wrap_cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return cudaSuccess;
}

// Compiled with a default stream per thread, the program calls these names.
STREAMMAP_ALIAS(cudaMallocAsync, _ptsz)
STREAMMAP_ALIAS(cudaFreeAsync, _ptsz)
STREAMMAP_ALIAS(cudaMemPrefetchAsync, _ptsz)

} // extern "C"
} // namespace streammap::engine
