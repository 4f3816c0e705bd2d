// Allocating, freeing and asking about memory.
#include "cpu/api/Call.h"
#include <cuda_runtime_api.h>

using namespace streammap::cpu;

namespace {

constexpr std::size_t pitchUnit = 512;

std::uintptr_t addressOf(const void *pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

std::size_t pitchOf(std::size_t width) {
  return (width + pitchUnit - 1) / pitchUnit * pitchUnit;
}

/// Host memory that devices can use: pinned or managed.
cudaError_t allocateHost(void **pointer, std::size_t size, MemoryKind kind, unsigned flags) {
  *pointer = nullptr;
  if (size == 0)
    return cudaSuccess;
  std::optional<MemoryRange> range = mapGuarded(size);
  if (!range)
    return cudaErrorMemoryAllocation;
  range->kind = kind;
  range->device = threadState().device;
  range->flags = flags;
  platform().addresses().add(*range);
  *pointer = reinterpret_cast<void *>(range->begin);
  return cudaSuccess;
}

/// The range that begins at `pointer`, if it is of one of these kinds.
std::optional<MemoryRange> rangeAt(const void *pointer, MemoryKind kind, MemoryKind orKind) {
  const auto range = platform().addresses().find(addressOf(pointer));
  if (!range || range->begin != addressOf(pointer) || (range->kind != kind && range->kind != orKind))
    return std::nullopt;
  return range;
}

/// Takes the range out of the map and gives its memory back; the caller has waited for its users.
void giveBack(const MemoryRange &range) {
  if (!platform().addresses().remove(range.begin))
    return; // another thread was faster
  if (range.kind == MemoryKind::device)
    platform().device(range.device).release(range);
  else
    unmapGuarded(range);
}

bool isHostMemory(const std::optional<MemoryRange> &range) {
  return range && (range->kind == MemoryKind::pinned || range->kind == MemoryKind::registered);
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t size) {
  return onDevice(
      [&](Device &device) { return pointer ? device.allocate(pointer, size) : cudaErrorInvalidValue; });
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  return onDevice([&](Device &device) {
    if (!pointer || !pitch || (height != 0 && pitchOf(width) > SIZE_MAX / height))
      return cudaErrorInvalidValue;
    *pitch = pitchOf(width);
    return device.allocate(pointer, *pitch * height);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent) {
  return onDevice([&](Device &device) {
    if (!pointer)
      return cudaErrorInvalidValue;
    const std::size_t pitch = pitchOf(extent.width);
    *pointer = {nullptr, pitch, extent.width, extent.height};
    return device.allocate(&pointer->ptr, pitch * extent.height * extent.depth);
  });
}

cudaError_t cudaFree(void *pointer) {
  return onDevice([&](Device &) {
    if (!pointer)
      return cudaSuccess;
    const auto range = rangeAt(pointer, MemoryKind::device, MemoryKind::managed);
    if (!range)
      return cudaErrorInvalidValue;
    if (range->kind == MemoryKind::managed)
      platform().synchronizeAll();
    else
      platform().device(range->device).synchronize();
    giveBack(*range);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags) {
  return onDevice([&](Device &) {
    if (!pointer || size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
      return cudaErrorInvalidValue;
    return allocateHost(pointer, size, MemoryKind::managed, flags);
  });
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags) {
  return onDevice([&](Device &) {
    constexpr unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (!pointer || (flags & ~known) != 0)
      return cudaErrorInvalidValue;
    return allocateHost(pointer, size, MemoryKind::pinned, flags);
  });
}

cudaError_t cudaMallocHost(void **pointer, size_t size) {
  return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *pointer) {
  return onDevice([&](Device &) {
    if (!pointer)
      return cudaSuccess;
    const auto range = rangeAt(pointer, MemoryKind::pinned, MemoryKind::pinned);
    if (!range)
      return cudaErrorInvalidValue;
    platform().synchronizeAll();
    giveBack(*range);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags) {
  return onDevice([&](Device &) {
    if (!pointer || size == 0)
      return cudaErrorInvalidValue;
    if (platform().addresses().overlaps(addressOf(pointer), size))
      return cudaErrorHostMemoryAlreadyRegistered;
    MemoryRange range;
    range.begin = addressOf(pointer);
    range.size = size;
    range.kind = MemoryKind::registered;
    range.device = threadState().device;
    range.flags = flags;
    platform().addresses().add(range);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void *pointer) {
  return onDevice([&](Device &) {
    if (!rangeAt(pointer, MemoryKind::registered, MemoryKind::registered))
      return cudaErrorHostMemoryNotRegistered;
    platform().synchronizeAll();
    platform().addresses().remove(addressOf(pointer));
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void **devicePointer, void *hostPointer, unsigned flags) {
  return onDevice([&](Device &) {
    const auto range = platform().addresses().find(addressOf(hostPointer));
    if (!devicePointer || flags != 0 || !isHostMemory(range))
      return cudaErrorInvalidValue;
    *devicePointer = hostPointer;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *hostPointer) {
  return onDevice([&](Device &) {
    const auto range = platform().addresses().find(addressOf(hostPointer));
    if (!flags || !isHostMemory(range))
      return cudaErrorInvalidValue;
    *flags = range->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  return onDevice([&](Device &device) {
    if (!free || !total)
      return cudaErrorInvalidValue;
    *free = device.memoryFree();
    *total = device.memoryLimit();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  return onDevice([&](Device &) {
    if (!attributes || !pointer)
      return cudaErrorInvalidValue;
    *attributes = {};
    void *address = const_cast<void *>(pointer);
    const auto range = platform().addresses().find(addressOf(pointer));
    if (!range) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = cudaInvalidDeviceId;
      attributes->hostPointer = address;
      return cudaSuccess;
    }
    attributes->type = isDeviceOnly(range->kind)            ? cudaMemoryTypeDevice
                       : range->kind == MemoryKind::managed ? cudaMemoryTypeManaged
                                                            : cudaMemoryTypeHost;
    attributes->device = range->device;
    attributes->devicePointer = address;
    attributes->hostPointer = isDeviceOnly(range->kind) ? nullptr : address;
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
  return onDevice([&](Device &device) {
    Variable variable{};
    if (!pointer)
      return cudaErrorInvalidValue;
    if (!platform().modules().variable(symbol, variable))
      return cudaErrorInvalidSymbol;
    *pointer = device.address(variable);
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  return onDevice([&](Device &) {
    Variable variable{};
    if (!size)
      return cudaErrorInvalidValue;
    if (!platform().modules().variable(symbol, variable))
      return cudaErrorInvalidSymbol;
    *size = variable.code->size;
    return cudaSuccess;
  });
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, cudaMemoryAdvise, cudaMemLocation) {
  return onDevice([&](Device &) {
    return platform().addresses().covered(addressOf(pointer), size) == size ? cudaSuccess
                                                                            : cudaErrorInvalidValue;
  });
}

} // extern "C"
