#include "streammap/BufferTable.h"
#include <algorithm>
#include <mutex>

namespace streammap::engine {

Buffer &BufferTable::add(BufferKind kind, void *home, std::uint64_t size, const std::string &name) {
  std::lock_guard lock(mutex_);
  auto buffer = std::make_unique<Buffer>(added_++, kind, home, size);
  buffer->name = "buffer " + std::to_string(buffer->number) + " (" + name + ")";
  Buffer &result = *buffer;
  byAddress_[buffer->home] = std::move(buffer);
  return result;
}

void BufferTable::remove(Buffer &buffer) {
  std::lock_guard lock(mutex_);
  byAddress_.erase(buffer.home);
}

Buffer *BufferTable::find(const void *address) const {
  return findOverlapping(address, 1);
}

Buffer *BufferTable::findOverlapping(const void *begin, std::uint64_t size) const {
  const char *first = static_cast<const char *>(begin);
  std::shared_lock lock(mutex_);
  auto next = byAddress_.upper_bound(first);
  if (next != byAddress_.begin()) {
    const Buffer &before = *std::prev(next)->second;
    if (first < before.home + before.size)
      return std::prev(next)->second.get();
  }
  if (next != byAddress_.end() && next->first < first + size)
    return next->second.get();
  return nullptr;
}

std::vector<Buffer *> BufferTable::all() const {
  std::shared_lock lock(mutex_);
  std::vector<Buffer *> result;
  for (const auto &[address, buffer] : byAddress_)
    result.push_back(buffer.get());
  std::ranges::sort(result, {}, &Buffer::number);
  return result;
}

} // namespace streammap::engine
