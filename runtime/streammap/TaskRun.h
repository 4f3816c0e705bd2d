#pragma once
// A task of this rank on its way to a device.
#include "streammap/LocalMemory.h"
#include "streammap/Operation.h"
#include "streammap/streammap.h"
#include <cstring>
#include <string>
#include <vector>

namespace streammap::engine {

/// A closure that is destroyed exactly once.
class OwnedClosure {
public:
  explicit OwnedClosure(detail::Closure closure) : closure_(closure) {}
  OwnedClosure(OwnedClosure &&other) noexcept : closure_(other.closure_) { other.closure_.destroy = nullptr; }
  OwnedClosure &operator=(OwnedClosure &&) = delete;
  ~OwnedClosure() {
    if (closure_.destroy)
      closure_.destroy(closure_.state);
  }
  void operator()(TaskContext &context) { closure_.call(closure_.state, context); }

private:
  detail::Closure closure_;
};

/// A copy of an object, as aligned as any object is.
class Snapshot {
public:
  Snapshot() = default;
  Snapshot(const void *object, std::size_t size) : lines_((size + sizeof(Line) - 1) / sizeof(Line)) {
    std::memcpy(lines_.data(), object, size);
  }
  bool empty() const { return lines_.empty(); }
  const void *data() const { return lines_.data(); }

private:
  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Line> lines_;
};

/// A section as the task's closure meets it.
struct BoundSection {
  Buffer *buffer = nullptr;
  const void *base = nullptr; ///< the pointer the program used
  Snapshot snapshot;          ///< of an object that is only read: what it held when the task was met

  /// Where the closure finds what `base` points to, when it runs on `device`.
  const void *place(LocalMemory &memory, int device) const {
    if (!snapshot.empty())
      return snapshot.data();
    return buffer ? memory.address(*buffer, device) + (static_cast<const char *>(base) - buffer->home) : base;
  }
};

class TaskRun {
public:
  TaskRun(std::string taskName, OwnedClosure taskClosure)
      : name(std::move(taskName)), closure(std::move(taskClosure)) {}
  std::string name;
  std::string location;
  std::size_t index = 0; ///< in program order
  int device = -1;       ///< local device; -1: the node's cores
  double start = 0;      ///< the placement's: among tasks that are ready the earliest goes first
  std::vector<BoundSection> sections;
  OwnedClosure closure;
};

} // namespace streammap::engine
