#include "streammap/CudaDevicePort.h"
#include "streammap/RealCuda.h"
#include "support/Text.h"
#include <algorithm>
#include <cuda.h>
#include <map>

namespace streammap::engine {
namespace {

/// A stream of its own for the calling thread's copies, so that they overlap with kernels and with other
/// threads.
cudaStream_t copyStream(int device) {
  thread_local std::map<int, cudaStream_t> streams;
  cudaStream_t &stream = streams[device];
  if (!stream)
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

class CudaPort : public DevicePort {
public:
  explicit CudaPort(int count) : count_(count) {}
  int deviceCount() const override { return count_; }

  void copy(const Copy &copy) override {
    const int device = copy.toDevice >= 0 ? copy.toDevice : copy.fromDevice;
    const DeviceScope scope(device);
    cudaStream_t stream = copyStream(device);
    const cudaMemcpyKind kind = copy.toDevice < 0     ? cudaMemcpyDeviceToHost
                                : copy.fromDevice < 0 ? cudaMemcpyHostToDevice
                                                      : cudaMemcpyDeviceToDevice;
    for (const Rectangle &piece : copy.pieces)
      if (piece.rows == 1)
        check(
            __real_cudaMemcpyAsync(copy.to + piece.begin, copy.from + piece.begin, piece.width, kind, stream),
            "cudaMemcpyAsync");
      else
        check(__real_cudaMemcpy2DAsync(copy.to + piece.begin, piece.stride, copy.from + piece.begin,
                                       piece.stride, piece.width, piece.rows, kind, stream),
              "cudaMemcpy2DAsync");
    check(__real_cudaStreamSynchronize(stream), "cudaStreamSynchronize after a copy");
  }

  bool reachesDirectly(int from, int to) const override {
    int can = 0;
    return __real_cudaDeviceCanAccessPeer(&can, to, from) == cudaSuccess && can;
  }

protected:
  int count_;
};

/// One allocation per mirror.
class WholePort final : public CudaPort {
public:
  using CudaPort::CudaPort;
  Mirror reserve(int device, std::uint64_t size) override {
    Mirror mirror;
    mirror.device = device;
    mirror.granule = size;
    mirror.granuleCount = 1;
    mirror.memory.assign(1, 0);
    return mirror;
  }
  void unreserve(Mirror &) override {}
  Commit commit(Mirror &mirror, std::size_t granule) override {
    const DeviceScope scope(mirror.device);
    void *memory = nullptr;
    const cudaError_t status = __real_cudaMalloc(&memory, mirror.granule);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError(); // not sticky; the caller makes room or reports it
      return Commit::outOfMemory;
    }
    check(status, "cudaMalloc");
    mirror.base = static_cast<char *>(memory);
    mirror.memory[granule] = 1;
    return Commit::done;
  }
  void uncommit(Mirror &mirror, std::size_t granule) override {
    const DeviceScope scope(mirror.device);
    check(__real_cudaFree(mirror.base), "cudaFree");
    mirror.memory[granule] = 0;
  }
};

#define STREAMMAP_DRIVER_FUNCTIONS(X)                                                                        \
  X(cuGetErrorString)                                                                                        \
  X(cuMemAddressReserve)                                                                                     \
  X(cuMemAddressFree)                                                                                        \
  X(cuMemCreate)                                                                                             \
  X(cuMemRelease)                                                                                            \
  X(cuMemMap)                                                                                                \
  X(cuMemUnmap)                                                                                              \
  X(cuMemSetAccess)                                                                                          \
  X(cuMemGetAllocationGranularity)

/// The driver functions behind virtual memory, found through the runtime: nothing links with libcuda.
struct VirtualMemory {
#define X(function) decltype(&::function) function = nullptr;
  STREAMMAP_DRIVER_FUNCTIONS(X)
#undef X
  /// False where one of them is missing.
  bool load() {
    const auto find = [](const char *name, void **function) {
      cudaDriverEntryPointQueryResult result{};
      return cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, &result) ==
                 cudaSuccess &&
             result == cudaDriverEntryPointSuccess && *function;
    };
#define X(function)                                                                                          \
  if (!find(#function, reinterpret_cast<void **>(&this->function)))                                          \
    return false;
    STREAMMAP_DRIVER_FUNCTIONS(X)
#undef X
    return true;
  }
};

CUmemAllocationProp propertiesOf(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
  return properties;
}

class VirtualPort final : public CudaPort {
public:
  VirtualPort(int count, VirtualMemory driver) : CudaPort(count), driver_(driver) {}

  Mirror reserve(int device, std::uint64_t size) override {
    const DeviceScope scope(device);
    const CUmemAllocationProp properties = propertiesOf(device);
    std::size_t granularity = 0;
    checkDriver(
        driver_.cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
        "cuMemGetAllocationGranularity");
    Mirror mirror;
    mirror.device = device;
    mirror.granule = granularity;
    mirror.granuleCount = (size + granularity - 1) / granularity;
    mirror.memory.assign(mirror.granuleCount, 0);
    CUdeviceptr base = 0;
    checkDriver(driver_.cuMemAddressReserve(&base, mirror.granuleCount * granularity, 0, 0, 0),
                "cuMemAddressReserve");
    mirror.base = reinterpret_cast<char *>(base);
    return mirror;
  }

  void unreserve(Mirror &mirror) override {
    const DeviceScope scope(mirror.device);
    checkDriver(driver_.cuMemAddressFree(addressOf(mirror, 0), mirror.granuleCount * mirror.granule),
                "cuMemAddressFree");
  }

  Commit commit(Mirror &mirror, std::size_t granule) override {
    const DeviceScope scope(mirror.device);
    const CUmemAllocationProp properties = propertiesOf(mirror.device);
    CUmemGenericAllocationHandle handle{};
    const CUresult created = driver_.cuMemCreate(&handle, mirror.granule, &properties, 0);
    if (created == CUDA_ERROR_OUT_OF_MEMORY)
      return Commit::outOfMemory;
    checkDriver(created, "cuMemCreate");
    checkDriver(driver_.cuMemMap(addressOf(mirror, granule), mirror.granule, 0, handle, 0), "cuMemMap");
    std::vector<CUmemAccessDesc> access;
    for (int device = 0; device < count_; ++device)
      if (device == mirror.device || reachesDirectly(mirror.device, device)) {
        CUmemAccessDesc description{};
        description.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
        description.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        access.push_back(description);
      }
    checkDriver(
        driver_.cuMemSetAccess(addressOf(mirror, granule), mirror.granule, access.data(), access.size()),
        "cuMemSetAccess");
    // The mapping keeps the memory; a second reference is not needed. 1 marks the granule as committed.
    checkDriver(driver_.cuMemRelease(handle), "cuMemRelease");
    mirror.memory[granule] = 1;
    return Commit::done;
  }

  void uncommit(Mirror &mirror, std::size_t granule) override {
    const DeviceScope scope(mirror.device);
    checkDriver(driver_.cuMemUnmap(addressOf(mirror, granule), mirror.granule), "cuMemUnmap");
    mirror.memory[granule] = 0;
  }

private:
  static CUdeviceptr addressOf(const Mirror &mirror, std::size_t granule) {
    return reinterpret_cast<CUdeviceptr>(mirror.base) + granule * mirror.granule;
  }
  void checkDriver(CUresult status, const char *call) const {
    if (status == CUDA_SUCCESS)
      return;
    const char *text = nullptr;
    driver_.cuGetErrorString(status, &text);
    fail(std::string(call) + " failed: " + (text ? text : "unknown error") + " (" + std::to_string(status) +
         ")");
  }

  VirtualMemory driver_;
};

/// Asks by trying: the runtime has no name for the attribute.
bool haveVirtualMemory(int count, const VirtualMemory &driver) {
  for (int device = 0; device < count; ++device) {
    const DeviceScope scope(device);
    const CUmemAllocationProp properties = propertiesOf(device);
    std::size_t granularity = 0;
    if (driver.cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) !=
        CUDA_SUCCESS)
      return false;
    CUmemGenericAllocationHandle handle{};
    const CUresult created = driver.cuMemCreate(&handle, granularity, &properties, 0);
    if (created == CUDA_SUCCESS)
      driver.cuMemRelease(handle);
    else if (created != CUDA_ERROR_OUT_OF_MEMORY)
      return false;
  }
  return true;
}

} // namespace

std::unique_ptr<DevicePort> makeCudaDevicePort() {
  int count = 0;
  const cudaError_t status = __real_cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver)
    count = 0; // a node may have only cores
  else
    check(status, "cudaGetDeviceCount");
  for (int device = count - 1; device >= 0; --device)
    check(__real_cudaSetDevice(device), "cudaSetDevice"); // starts each; 0 stays the program's
  VirtualMemory driver;
  if (count > 0 && driver.load() && haveVirtualMemory(count, driver))
    return std::make_unique<VirtualPort>(count, driver);
  return std::make_unique<WholePort>(count);
}

std::string cudaDeviceNames(int count) {
  std::vector<std::string> names;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    check(__real_cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    if (std::ranges::find(names, properties.name) == names.end())
      names.emplace_back(properties.name);
  }
  return join(names, ", ");
}

} // namespace streammap::engine
