#pragma once
// Which memory an address belongs to: every range the CUDA calls of this process have handed out.
//
// Ranges of device memory stand between inaccessible pages, so that a kernel that leaves one faults at once;
// the map then tells which allocation it missed, and by how much.
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace streammap::cpu {

enum class MemoryKind {
  device,     ///< cudaMalloc
  mapped,     ///< cuMemMap: device memory under an address of the program's choice
  variable,   ///< a device's image of a module's __device__ and __constant__ variables
  managed,    ///< cudaMallocManaged
  pinned,     ///< cudaMallocHost, cudaHostAlloc
  registered, ///< cudaHostRegister
};

/// Memory that only device code and copies may touch.
constexpr bool isDeviceOnly(MemoryKind kind) {
  return kind == MemoryKind::device || kind == MemoryKind::mapped || kind == MemoryKind::variable;
}

enum class Accessible : bool { no, yes };

struct MemoryRange {
  std::uintptr_t begin = 0;
  std::size_t size = 0; ///< bytes, as asked for
  MemoryKind kind = MemoryKind::device;
  int device = 0;             ///< where it lives; for host memory, the device that was current
  unsigned flags = 0;         ///< of the call that made it
  std::size_t charged = 0;    ///< bytes counted against the device's limit
  std::uintptr_t mapping = 0; ///< what to unmap, guard pages included; 0 if not ours
  std::size_t mappingSize = 0;
  Accessible accessible = Accessible::yes; ///< mapped memory: once cuMemSetAccess has been called
  std::uintptr_t end() const { return begin + size; }
};

/// Thread-safe; lookups are O(log ranges).
class AddressMap {
public:
  void add(const MemoryRange &range);
  /// Forgets the range that begins at `address`, if there is one.
  std::optional<MemoryRange> remove(std::uintptr_t address);
  /// Forgets everything that cudaMalloc and its like have handed out on `device`.
  std::vector<MemoryRange> removeDevice(int device);
  /// The range that holds `address`. An empty range holds its own begin.
  std::optional<MemoryRange> find(std::uintptr_t address) const;
  /// How many of the `size` bytes from `address` on lie in known, accessible ranges without a gap.
  std::size_t covered(std::uintptr_t address, std::size_t size) const;
  /// Whether any known range overlaps [address, address + size).
  bool overlaps(std::uintptr_t address, std::size_t size) const;
  /// Of the ranges that begin in [address, address + size).
  void setAccessible(std::uintptr_t address, std::size_t size, Accessible accessible);
  /// "4 bytes past the end of the 4096-byte allocation at 0x7f.. on device 0", for people. Called from a
  /// signal handler's continuation, never from the handler itself.
  std::string describe(std::uintptr_t address) const;

private:
  using Ranges = std::map<std::uintptr_t, MemoryRange>;
  Ranges::const_iterator holder(std::uintptr_t address) const;

  mutable std::mutex mutex_;
  Ranges ranges_;
};

/// Fresh zeroed memory of `size` bytes between two inaccessible pages, aligned to 256 bytes, its end as close
/// to the second one as that allows. Fills in begin, size, mapping and mappingSize; nothing if the system has
/// no room.
std::optional<MemoryRange> mapGuarded(std::size_t size);
void unmapGuarded(const MemoryRange &range);

/// A hexadecimal address, as messages show it.
std::string addressText(std::uintptr_t address);

} // namespace streammap::cpu
