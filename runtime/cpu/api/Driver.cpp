// The part of the driver API that a program of the runtime API reaches through
// cudaGetDriverEntryPointByVersion: virtual memory management, parameters of kernels, and waiting for a value
// in memory.
#include "cpu/api/Driver.h"
#include "cpu/VirtualMemory.h"
#include "cpu/api/Call.h"
#include <atomic>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <iterator>
#include <string_view>
#include <thread>

namespace streammap::cpu {
namespace {

/// CUresult and cudaError_t number the same errors alike (cuda.h and driver_types.h, since CUDA 10.1).
CUresult asDriver(cudaError_t error) {
  return static_cast<CUresult>(error);
}

template <class Body>
CUresult healthy(Body body) {
  if (onStreamThread())
    return CUDA_ERROR_NOT_PERMITTED;
  const cudaError_t failure = currentDevice().failure();
  return asDriver(failure != cudaSuccess ? failure : body());
}

VirtualMemory &memory() {
  return platform().virtualMemory();
}

/// The device of a location that means one; -1 otherwise.
int deviceOf(const CUmemLocation &location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && platform().isDevice(location.id) ? location.id : -1;
}

// --- virtual memory

CUresult addressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr wanted,
                        unsigned long long flags) {
  return healthy([&] {
    if (!address || flags != 0)
      return cudaErrorInvalidValue;
    std::uintptr_t reserved = 0;
    const cudaError_t error = memory().reserve(reserved, size, alignment, wanted);
    *address = reserved;
    return error;
  });
}

CUresult addressFree(CUdeviceptr address, size_t size) {
  return healthy([&] { return memory().unreserve(address, size); });
}

CUresult create(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *properties,
                unsigned long long flags) {
  return healthy([&] {
    if (!handle || !properties || flags != 0 || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
      return cudaErrorInvalidValue;
    if (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
      return cudaErrorNotSupported;
    const int device = deviceOf(properties->location);
    if (device < 0)
      return cudaErrorInvalidDevice;
    std::uint64_t made = 0;
    const cudaError_t error = memory().create(made, size, platform().device(device));
    *handle = made;
    return error;
  });
}

CUresult release(CUmemGenericAllocationHandle handle) {
  return healthy([&] { return memory().release(handle); });
}

CUresult map(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
             unsigned long long flags) {
  return healthy([&] {
    return offset == 0 && flags == 0 ? memory().map(address, size, handle) : cudaErrorInvalidValue;
  });
}

CUresult unmap(CUdeviceptr address, size_t size) {
  return healthy([&] { return memory().unmap(address, size); });
}

VirtualMemory::Access accessOf(CUmemAccess_flags flags) {
  return flags == CU_MEM_ACCESS_FLAGS_PROT_NONE   ? VirtualMemory::Access::none
         : flags == CU_MEM_ACCESS_FLAGS_PROT_READ ? VirtualMemory::Access::read
                                                  : VirtualMemory::Access::readWrite;
}

/// All devices see one memory: the widest access that any location is given is every one's.
CUresult setAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *wanted, size_t count) {
  return healthy([&] {
    if (!wanted || count == 0)
      return cudaErrorInvalidValue;
    VirtualMemory::Access widest = VirtualMemory::Access::none;
    for (size_t i = 0; i != count; ++i) {
      if (deviceOf(wanted[i].location) < 0)
        return cudaErrorInvalidDevice;
      widest = std::max(widest, accessOf(wanted[i].flags));
    }
    return memory().setAccess(address, size, widest);
  });
}

CUresult getAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address) {
  return healthy([&] {
    if (!flags || !location || deviceOf(*location) < 0)
      return cudaErrorInvalidValue;
    const auto access = memory().access(address);
    if (!access)
      return cudaErrorInvalidValue;
    *flags = *access == VirtualMemory::Access::none   ? CU_MEM_ACCESS_FLAGS_PROT_NONE
             : *access == VirtualMemory::Access::read ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                                      : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return cudaSuccess;
  });
}

CUresult granularity(size_t *size, const CUmemAllocationProp *properties, CUmemAllocationGranularity_flags) {
  return healthy([&] {
    if (!size || !properties)
      return cudaErrorInvalidValue;
    *size = VirtualMemory::granularity;
    return cudaSuccess;
  });
}

CUresult retainHandle(CUmemGenericAllocationHandle *handle, void *address) {
  return healthy([&] {
    if (!handle)
      return cudaErrorInvalidValue;
    *handle = memory().retain(reinterpret_cast<std::uintptr_t>(address));
    return *handle != 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

CUresult propertiesFromHandle(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle) {
  return healthy([&] {
    const int device = memory().deviceOf(handle);
    if (!properties || device < 0)
      return cudaErrorInvalidValue;
    *properties = {};
    properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties->location.id = device;
    return cudaSuccess;
  });
}

CUresult addressRange(CUdeviceptr *base, size_t *size, CUdeviceptr address) {
  return healthy([&] {
    const auto range = platform().addresses().find(address);
    if (!range)
      return cudaErrorInvalidValue;
    if (base)
      *base = range->begin;
    if (size)
      *size = range->size;
    return cudaSuccess;
  });
}

CUresult memoryInfo(size_t *free, size_t *total) {
  return asDriver(cudaMemGetInfo(free, total));
}

// --- kernels

CUresult functionParameter(CUfunction function, size_t index, size_t *offset, size_t *size) {
  return asDriver(cudaFuncGetParamInfo(function, index, offset, size));
}

CUresult kernelParameter(CUkernel kernel, size_t index, size_t *offset, size_t *size) {
  return asDriver(cudaFuncGetParamInfo(kernel, index, offset, size));
}

// --- values in memory

bool holds(std::uint32_t value, std::uint32_t wanted, unsigned flags) {
  switch (flags & 3u) {
  case CU_STREAM_WAIT_VALUE_GEQ:
    return static_cast<std::int32_t>(value - wanted) >= 0;
  case CU_STREAM_WAIT_VALUE_EQ:
    return value == wanted;
  case CU_STREAM_WAIT_VALUE_AND:
    return (value & wanted) != 0;
  default:
    return ~(value | wanted) != 0;
  }
}

bool isWord(CUdeviceptr address) {
  return address % 4 == 0 && platform().addresses().covered(address, 4) == 4;
}

cudaError_t waitForValue(CUstream handle, CUdeviceptr address, cuuint32_t wanted, unsigned flags) {
  const StreamUse use = findStream(handle, DefaultStream::legacy);
  if (!use.stream)
    return cudaErrorInvalidResourceHandle;
  if (!isWord(address) || flags > CU_STREAM_WAIT_VALUE_NOR)
    return cudaErrorInvalidValue;
  Device *device = use.device;
  device->submit(*use.stream, [=] {
    const std::atomic_ref<std::uint32_t> value(*reinterpret_cast<std::uint32_t *>(address));
    while (!holds(value.load(std::memory_order_acquire), wanted, flags) && device->failure() == cudaSuccess)
      std::this_thread::yield();
  });
  return cudaSuccess;
}

cudaError_t writeValue(CUstream handle, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  const StreamUse use = findStream(handle, DefaultStream::legacy);
  if (!use.stream)
    return cudaErrorInvalidResourceHandle;
  if (!isWord(address) || (flags & ~1u) != 0)
    return cudaErrorInvalidValue;
  use.device->submit(*use.stream, [=] {
    std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t *>(address))
        .store(value, std::memory_order_release);
  });
  return cudaSuccess;
}

CUresult streamWaitValue(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return healthy([&] { return waitForValue(stream, address, value, flags); });
}

CUresult streamWriteValue(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return healthy([&] { return writeValue(stream, address, value, flags); });
}

// --- the rest

CUresult initialise(unsigned flags) {
  return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult driverVersion(int *version) {
  return asDriver(cudaDriverGetVersion(version));
}

CUresult deviceOfOrdinal(CUdevice *device, int ordinal) {
  if (!device || !platform().isDevice(ordinal))
    return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

/// Attributes that the runtime API has too are numbered as there (cuda.h, driver_types.h).
CUresult deviceAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  if (attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) {
    if (!value || !platform().isDevice(device))
      return value ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    *value = 1;
    return CUDA_SUCCESS;
  }
  return asDriver(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}

CUresult errorName(CUresult error, const char **name) {
  *name = cudaGetErrorName(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

CUresult errorText(CUresult error, const char **text) {
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

struct DriverFunction {
  std::string_view name;
  int since; ///< CUDA version, 1000 * major + 10 * minor
  void *address;
};

template <class Function>
void *entry(Function *function) {
  return reinterpret_cast<void *>(function);
}

} // namespace

void *driverFunction(std::string_view name, int version, bool &tooNew) {
  static const DriverFunction functions[] = {
      {"cuInit", 2000, entry(initialise)},
      {"cuDriverGetVersion", 2020, entry(driverVersion)},
      {"cuDeviceGet", 2000, entry(deviceOfOrdinal)},
      {"cuDeviceGetAttribute", 2000, entry(deviceAttribute)},
      {"cuGetErrorName", 6000, entry(errorName)},
      {"cuGetErrorString", 6000, entry(errorText)},
      {"cuMemAddressReserve", 10020, entry(addressReserve)},
      {"cuMemAddressFree", 10020, entry(addressFree)},
      {"cuMemCreate", 10020, entry(create)},
      {"cuMemRelease", 10020, entry(release)},
      {"cuMemMap", 10020, entry(map)},
      {"cuMemUnmap", 10020, entry(unmap)},
      {"cuMemSetAccess", 10020, entry(setAccess)},
      {"cuMemGetAccess", 10020, entry(getAccess)},
      {"cuMemGetAllocationGranularity", 10020, entry(granularity)},
      {"cuMemGetAllocationPropertiesFromHandle", 10020, entry(propertiesFromHandle)},
      {"cuMemRetainAllocationHandle", 11000, entry(retainHandle)},
      {"cuMemGetAddressRange", 3020, entry(addressRange)},
      {"cuMemGetInfo", 3020, entry(memoryInfo)},
      {"cuFuncGetParamInfo", 12040, entry(functionParameter)},
      {"cuKernelGetParamInfo", 12040, entry(kernelParameter)},
      {"cuStreamWaitValue32", 11070, entry(streamWaitValue)},
      {"cuStreamWriteValue32", 11070, entry(streamWriteValue)},
  };
  for (const DriverFunction &function : functions) {
    if (function.name != name)
      continue;
    tooNew = function.since > version;
    return tooNew ? nullptr : function.address;
  }
  tooNew = false;
  return nullptr;
}

} // namespace streammap::cpu
