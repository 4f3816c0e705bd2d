#pragma once
// A logical buffer: memory the program allocated or named in a clause, wherever its pieces are just now.
#include "streammap/IntervalMap.h"
#include "streammap/Mirror.h"
#include "streammap/RankSet.h"
#include <cstdint>
#include <string>
#include <vector>

namespace streammap::engine {

/// Where the program got the memory. `device` is cudaMalloc: the host cannot reach it except through CUDA
/// calls. `managed` is reached by both, `pinned` and `host` are used where they lie by tasks as well.
enum class BufferKind { device, managed, pinned, host };

/// The operation that wrote a piece last and those that have read it since, by id; 0 is none.
struct AccessHistory {
  std::uint64_t writer = 0;
  std::vector<std::uint64_t> readers;
  bool operator==(const AccessHistory &) const = default;
};

/// Places of one rank, as bits: 0 is home, 1 + d is local device d.
using PlaceMask = std::uint64_t;

struct Buffer {
  Buffer(std::size_t number_, BufferKind kind_, void *home_, std::uint64_t size_)
      : number(number_), kind(kind_), home(static_cast<char *>(home_)), size(size_), name(),
        holders(size_, RankSet::everyone()), history(size_, {}),
        // What cudaMalloc returns holds nothing yet, so there is nothing to copy; host memory may have been
        // written.
        valid(size_, kind_ == BufferKind::device ? 0 : 1) {}

  std::size_t number; ///< in order of registration: the same on every rank
  BufferKind kind;
  char *home;         ///< this rank's memory for it; the address the program knows it by
  std::uint64_t size; ///< bytes
  std::string name;   ///< "buffer 3 (cudaMalloc of 4096 bytes)"

  IntervalMap<RankSet> holders; ///< ranks that have the current version; program order, main thread only
  IntervalMap<AccessHistory> history; ///< guarded by OperationGraph
  IntervalMap<PlaceMask> valid;       ///< local places that have it; guarded by LocalMemory
  std::vector<MirrorState> mirrors;   ///< by local device; guarded by LocalMemory
  bool writtenByTasks = false;        ///< since the last wait; main thread only
};

} // namespace streammap::engine
