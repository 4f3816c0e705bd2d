#pragma once
// Device memory in the manner of the driver's virtual memory calls: addresses are reserved, physical memory
// is created, and the two are brought together piece by piece. Reserved addresses without memory are
// inaccessible.
//
// Physical memory is a part of one memory file per device, so that the same piece can be mapped at several
// places.
#include "cpu/AddressMap.h"
#include "cpu/Device.h"
#include <cstdint>
#include <driver_types.h>
#include <map>
#include <mutex>
#include <sys/types.h>

namespace streammap::cpu {

class VirtualMemory {
public:
  static constexpr std::size_t granularity = 64 * 1024;

  explicit VirtualMemory(AddressMap &addresses) : addresses_(addresses) {}
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory &) = delete;
  VirtualMemory &operator=(const VirtualMemory &) = delete;

  /// `alignment` 0 or a power of two; `wanted` is a hint, 0 for none.
  cudaError_t reserve(std::uintptr_t &address, std::size_t size, std::size_t alignment,
                      std::uintptr_t wanted);
  /// The whole reservation, with nothing mapped in it.
  cudaError_t unreserve(std::uintptr_t address, std::size_t size);
  /// Counts against the device's memory.
  cudaError_t create(std::uint64_t &handle, std::size_t size, Device &device);
  /// The memory stays while it is mapped.
  cudaError_t release(std::uint64_t handle);
  /// All of the memory behind `handle`, into reserved addresses that are free. Not yet accessible.
  cudaError_t map(std::uintptr_t address, std::size_t size, std::uint64_t handle);
  /// Whole mappings only.
  cudaError_t unmap(std::uintptr_t address, std::size_t size);
  enum class Access { none, read, readWrite };
  /// Whole mappings only. Holds for every device: they share the host's memory.
  cudaError_t setAccess(std::uintptr_t address, std::size_t size, Access access);
  /// nothing mapped there: nothing.
  std::optional<Access> access(std::uintptr_t address) const;
  /// The handle mapped at `address`, kept once more; 0 if there is none.
  std::uint64_t retain(std::uintptr_t address);
  /// The device of a handle; -1 if unknown.
  int deviceOf(std::uint64_t handle) const;

private:
  struct Physical {
    std::size_t size;
    Device *device;
    off_t offset;
    int references; ///< handles and mappings
    int handles;
  };
  struct Mapping {
    std::size_t size;
    std::uint64_t handle;
    Access access;
  };
  struct File {
    int descriptor = -1;
    off_t end = 0;
  };
  bool coversWholeMappings(std::uintptr_t address, std::size_t size) const;
  void drop(std::uint64_t handle);
  std::optional<off_t> place(Device &device, std::size_t size);

  AddressMap &addresses_;
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::size_t> reservations_;
  std::map<std::uintptr_t, Mapping> mappings_;
  std::map<std::uint64_t, Physical> physical_;
  std::map<int, File> files_; ///< by device
  std::uint64_t nextHandle_ = 1;
};

} // namespace streammap::cpu
