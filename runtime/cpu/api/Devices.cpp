// Choosing a device and asking what it can do.
#include "cpu/api/Call.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cuda_runtime_api.h>
#include <string>

using namespace streammap::cpu;

namespace {

using Limits = DeviceLimits;

constexpr int cacheBytes = 40 << 20; // of L2: an A100's (NVIDIA A100 datasheet)

/// Code is compiled for this compute capability before it is lowered to the host.
constexpr int major = 8, minor = 0;

std::string pciBusId(int device) {
  char bus[16];
  std::snprintf(bus, sizeof bus, "%02X", static_cast<unsigned>(device + 1) & 0xffu);
  return std::string("0000:") + bus + ":00.0";
}

cudaDeviceProp propertiesOf(Device &device) {
  cudaDeviceProp properties{};
  std::snprintf(properties.name, sizeof properties.name, "StreamMAP CPU device");
  std::memcpy(properties.uuid.bytes, "StreamMAP CPU", 13);
  properties.uuid.bytes[15] = static_cast<char>(device.ordinal());
  properties.totalGlobalMem = device.memoryLimit();
  properties.sharedMemPerBlock = Limits::sharedPerBlock;
  properties.regsPerBlock = Limits::registersPerBlock;
  properties.warpSize = 32;
  properties.memPitch = 2147483647;
  properties.maxThreadsPerBlock = Limits::threadsPerBlock;
  const int blockSizes[] = {Limits::blockX, Limits::blockY, Limits::blockZ};
  const int gridSizes[] = {Limits::gridX, Limits::gridY, Limits::gridZ};
  std::ranges::copy(blockSizes, properties.maxThreadsDim);
  std::ranges::copy(gridSizes, properties.maxGridSize);
  properties.totalConstMem = Limits::constantMemory;
  properties.major = major;
  properties.minor = minor;
  properties.textureAlignment = 512;
  properties.texturePitchAlignment = 32;
  properties.multiProcessorCount = platform().settings().threads;
  properties.canMapHostMemory = 1;
  properties.surfaceAlignment = 512;
  properties.concurrentKernels = 1;
  properties.pciBusID = device.ordinal() + 1;
  properties.asyncEngineCount = 2;
  properties.unifiedAddressing = 1;
  properties.memoryBusWidth = 64;
  properties.l2CacheSize = cacheBytes;
  properties.maxThreadsPerMultiProcessor = Limits::threadsPerMultiprocessor;
  properties.streamPrioritiesSupported = 1;
  properties.globalL1CacheSupported = 1;
  properties.localL1CacheSupported = 1;
  properties.sharedMemPerMultiprocessor = Limits::sharedPerMultiprocessor;
  properties.regsPerMultiprocessor = Limits::registersPerBlock;
  properties.managedMemory = 1;
  properties.hostNativeAtomicSupported = 1;
  properties.concurrentManagedAccess = 1;
  properties.computePreemptionSupported = 1;
  properties.canUseHostPointerForRegisteredMem = 1;
  properties.sharedMemPerBlockOptin = Limits::sharedPerBlockOptIn;
  properties.directManagedMemAccessFromHost = 1;
  properties.maxBlocksPerMultiProcessor = Limits::blocksPerMultiprocessor;
  properties.reservedSharedMemPerBlock = Limits::sharedReservedPerBlock;
  properties.hostRegisterSupported = 1;
  properties.unifiedFunctionPointers = 0;
  return properties;
}

/// An attribute's value; attributes not named here are features the device does not have, or reserved: 0.
int attributeOf(cudaDeviceAttr attribute, const cudaDeviceProp &properties) {
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    return properties.maxThreadsPerBlock;
  case cudaDevAttrMaxBlockDimX:
    return properties.maxThreadsDim[0];
  case cudaDevAttrMaxBlockDimY:
    return properties.maxThreadsDim[1];
  case cudaDevAttrMaxBlockDimZ:
    return properties.maxThreadsDim[2];
  case cudaDevAttrMaxGridDimX:
    return properties.maxGridSize[0];
  case cudaDevAttrMaxGridDimY:
    return properties.maxGridSize[1];
  case cudaDevAttrMaxGridDimZ:
    return properties.maxGridSize[2];
  case cudaDevAttrMaxSharedMemoryPerBlock:
    return static_cast<int>(properties.sharedMemPerBlock);
  case cudaDevAttrTotalConstantMemory:
    return static_cast<int>(properties.totalConstMem);
  case cudaDevAttrWarpSize:
    return properties.warpSize;
  case cudaDevAttrMaxPitch:
    return static_cast<int>(properties.memPitch);
  case cudaDevAttrMaxRegistersPerBlock:
    return properties.regsPerBlock;
  case cudaDevAttrClockRate:
  case cudaDevAttrMemoryClockRate:
    return 1000000; // kHz: programs divide by it
  case cudaDevAttrTextureAlignment:
    return static_cast<int>(properties.textureAlignment);
  case cudaDevAttrGpuOverlap:
  case cudaDevAttrCanMapHostMemory:
  case cudaDevAttrConcurrentKernels:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrStreamPrioritiesSupported:
  case cudaDevAttrGlobalL1CacheSupported:
  case cudaDevAttrLocalL1CacheSupported:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrHostNativeAtomicSupported:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrComputePreemptionSupported:
  case cudaDevAttrCanUseHostPointerForRegisteredMem:
  case cudaDevAttrHostRegisterSupported:
  case cudaDevAttrDirectManagedMemAccessFromHost:
    return 1;
  case cudaDevAttrMultiProcessorCount:
    return properties.multiProcessorCount;
  case cudaDevAttrSurfaceAlignment:
    return static_cast<int>(properties.surfaceAlignment);
  case cudaDevAttrPciBusId:
    return properties.pciBusID;
  case cudaDevAttrGlobalMemoryBusWidth:
    return properties.memoryBusWidth;
  case cudaDevAttrL2CacheSize:
    return properties.l2CacheSize;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    return properties.maxThreadsPerMultiProcessor;
  case cudaDevAttrAsyncEngineCount:
    return properties.asyncEngineCount;
  case cudaDevAttrTexturePitchAlignment:
    return static_cast<int>(properties.texturePitchAlignment);
  case cudaDevAttrComputeCapabilityMajor:
    return properties.major;
  case cudaDevAttrComputeCapabilityMinor:
    return properties.minor;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    return static_cast<int>(properties.sharedMemPerMultiprocessor);
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    return properties.regsPerMultiprocessor;
  case cudaDevAttrSingleToDoublePrecisionPerfRatio:
    return 2;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    return static_cast<int>(properties.sharedMemPerBlockOptin);
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    return properties.maxBlocksPerMultiProcessor;
  case cudaDevAttrReservedSharedMemoryPerBlock:
    return static_cast<int>(properties.reservedSharedMemPerBlock);
  case cudaDevAttrMemSyncDomainCount:
    return 1;
  case cudaDevAttrNumaId:
  case cudaDevAttrHostNumaId:
    return -1;
  default:
    return 0;
  }
}

constexpr int lastAttribute = 147; // cudaDevAttrOnlyPartialHostNativeAtomicSupported, CUDA 13.0

} // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  return anywhere([&] {
    if (!count)
      return cudaErrorInvalidValue;
    *count = platform().deviceCount();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return anywhere([&] {
    if (!platform().isDevice(device))
      return cudaErrorInvalidDevice;
    threadState().device = device;
    return platform().device(device).failure();
  });
}

cudaError_t cudaGetDevice(int *device) {
  return anywhere([&] {
    if (!device)
      return cudaErrorInvalidValue;
    *device = threadState().device;
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return anywhere([&] { return platform().isDevice(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  return anywhere([&] {
    if (!properties)
      return cudaErrorInvalidValue;
    if (!platform().isDevice(device))
      return cudaErrorInvalidDevice;
    *properties = propertiesOf(platform().device(device));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  return anywhere([&] {
    if (!value || attribute < cudaDevAttrMaxThreadsPerBlock || attribute > lastAttribute)
      return cudaErrorInvalidValue;
    if (!platform().isDevice(device))
      return cudaErrorInvalidDevice;
    *value = attributeOf(attribute, propertiesOf(platform().device(device)));
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *properties) {
  return anywhere([&] {
    if (!device || !properties)
      return cudaErrorInvalidValue;
    *device = 0; // they are all alike
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return onDevice([](Device &device) {
    device.synchronize();
    return device.failure();
  });
}

cudaError_t cudaDeviceReset() {
  return anywhere([] {
    currentDevice().reset();
    threadState().lastError = cudaSuccess;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
  return anywhere([&] {
    if (!text || size <= 0)
      return cudaErrorInvalidValue;
    if (!platform().isDevice(device))
      return cudaErrorInvalidDevice;
    const std::string id = pciBusId(device);
    if (id.size() >= static_cast<std::size_t>(size))
      return cudaErrorInvalidValue;
    std::strcpy(text, id.c_str());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
  return anywhere([&] {
    if (!device || !text)
      return cudaErrorInvalidValue;
    for (int candidate = 0; candidate != platform().deviceCount(); ++candidate) {
      if (pciBusId(candidate) == text) {
        *device = candidate;
        return cudaSuccess;
      }
    }
    return cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return onDevice([&](Device &device) { return device.setLimit(limit, value); });
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return onDevice([&](Device &device) {
    if (!value)
      return cudaErrorInvalidValue;
    if (limit > cudaLimitPersistingL2CacheSize)
      return cudaErrorUnsupportedLimit;
    *value = device.limit(limit);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return onDevice([](Device &) { return cudaSuccess; });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return onDevice([&](Device &) {
    if (!config)
      return cudaErrorInvalidValue;
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return anywhere([&] { return (flags & ~cudaDeviceMask) == 0 ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  return anywhere([&] {
    if (!flags)
      return cudaErrorInvalidValue;
    *flags = cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  return anywhere([&] {
    if (!can)
      return cudaErrorInvalidValue;
    if (!platform().isDevice(device) || !platform().isDevice(peer))
      return cudaErrorInvalidDevice;
    *can = device != peer;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return onDevice([&](Device &device) {
    if (!platform().isDevice(peer) || peer == device.ordinal())
      return cudaErrorInvalidDevice;
    return flags == 0 ? device.enablePeer(peer) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return onDevice([&](Device &device) {
    return platform().isDevice(peer) ? device.disablePeer(peer) : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int from, int to) {
  return anywhere([&] {
    if (!value)
      return cudaErrorInvalidValue;
    if (!platform().isDevice(from) || !platform().isDevice(to) || from == to)
      return cudaErrorInvalidDevice;
    *value = attribute == cudaDevP2PAttrAccessSupported || attribute == cudaDevP2PAttrNativeAtomicSupported;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int *version) {
  return cudaRuntimeGetVersion(version);
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  return anywhere([&] {
    if (!version)
      return cudaErrorInvalidValue;
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

} // extern "C"
