#pragma once
// All buffers of this rank, by address. Found from any thread; changed by the main thread.
#include "streammap/Buffer.h"
#include <map>
#include <memory>
#include <shared_mutex>

namespace streammap::engine {

class BufferTable {
public:
  Buffer &add(BufferKind kind, void *home, std::uint64_t size, const std::string &name);
  void remove(Buffer &buffer);

  /// The buffer whose home contains `address`; null if none does.
  Buffer *find(const void *address) const;
  /// The first buffer that shares a byte with [begin, begin + size).
  Buffer *findOverlapping(const void *begin, std::uint64_t size) const;
  /// By number.
  std::vector<Buffer *> all() const;

private:
  mutable std::shared_mutex mutex_;
  std::map<const char *, std::unique_ptr<Buffer>> byAddress_;
  std::size_t added_ = 0;
};

} // namespace streammap::engine
