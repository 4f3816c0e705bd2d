#pragma once
// What one rank does: run a task, send or receive a piece, or touch memory from the host. Operations are
// added in program order and start when those they overlap with have ended.
#include "streammap/Buffer.h"
#include "streammap/Intervals.h"
#include <cstdint>
#include <latch>
#include <memory>
#include <string>
#include <vector>

namespace streammap::engine {

enum class OperationKind { task, send, receive, host };

/// Bytes of a buffer that an operation reads, writes or both.
struct Use {
  Buffer *buffer = nullptr;
  AccessMode mode = AccessMode::in;
  Intervals intervals;
};

inline bool reads(AccessMode mode) {
  return mode != AccessMode::out;
}
inline bool writes(AccessMode mode) {
  return mode != AccessMode::in;
}

class TaskRun; // what only a task has; TaskRun.h

struct Operation {
  Operation();
  ~Operation();
  OperationKind kind = OperationKind::host;
  std::vector<Use> uses;
  std::unique_ptr<TaskRun> task; ///< kind task
  int peer = -1;                 ///< kind send, receive: the other rank
  int tag = 0;                   ///< the same on both ends, unique between them among transfers in flight

  std::latch *gate = nullptr; ///< kind host: opened when the operation may start

  std::uint64_t id = 0; ///< from here on OperationGraph's: position in program order
  std::size_t waitingFor = 0;
  std::vector<std::uint64_t> followers;
};

} // namespace streammap::engine
