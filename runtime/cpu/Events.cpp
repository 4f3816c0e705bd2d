#include "cpu/Events.h"
#include <utility>

namespace streammap::cpu {

const void *Events::create(int device, unsigned flags) {
  auto event = std::make_unique<Event>(Event{device, flags, std::nullopt});
  const void *handle = event.get();
  std::lock_guard lock(mutex_);
  events_[handle] = std::move(event);
  return handle;
}

bool Events::destroy(const void *handle) {
  std::lock_guard lock(mutex_);
  return events_.erase(handle) != 0;
}

std::optional<Event> Events::find(const void *handle) const {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(handle);
  return found == events_.end() ? std::nullopt : std::optional(*found->second);
}

void Events::record(const void *handle, Recording recording) {
  std::lock_guard lock(mutex_);
  if (const auto found = events_.find(handle); found != events_.end())
    found->second->last = std::move(recording);
}

} // namespace streammap::cpu
