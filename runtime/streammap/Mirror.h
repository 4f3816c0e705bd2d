#pragma once
// A device's image of a buffer: the buffer's whole range of addresses, with memory only behind the granules
// in use.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace streammap::engine {

/// Made by a DevicePort. `base` may change when the only granule is committed (devices without virtual
/// memory).
struct Mirror {
  int device = -1;
  char *base = nullptr;
  std::uint64_t granule = 0; ///< bytes
  std::size_t granuleCount = 0;
  std::vector<std::uint64_t> memory; ///< the port's handle behind each granule; 0: nothing
};

/// With what LocalMemory knows about each granule.
struct MirrorState {
  struct Granule {
    unsigned pins = 0;         ///< users just now; not evicted while there are any
    std::uint64_t lastUse = 0; ///< a clock of uses
  };
  bool reserved = false;
  Mirror mirror;
  std::vector<Granule> granules;
};

} // namespace streammap::engine
