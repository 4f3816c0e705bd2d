#pragma once
// Events: a place in a stream, and the time when it was passed.
#include "cpu/Streams.h"
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace streammap::cpu {

/// One recording. Its time is written by the stream, before the point counts as reached.
struct Recording {
  Point point;
  std::shared_ptr<const std::atomic<std::int64_t>> nanoseconds;
};

struct Event {
  int device = 0;
  unsigned flags = 0;
  std::optional<Recording> last; ///< nothing before the first cudaEventRecord
};

/// The process's events by handle. Thread-safe.
class Events {
public:
  /// A handle nobody else has.
  const void *create(int device, unsigned flags);
  bool destroy(const void *handle);
  std::optional<Event> find(const void *handle) const;
  void record(const void *handle, Recording recording);

private:
  mutable std::mutex mutex_;
  std::map<const void *, std::unique_ptr<Event>> events_;
};

} // namespace streammap::cpu
