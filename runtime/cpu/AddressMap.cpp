#include "cpu/AddressMap.h"
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

namespace streammap::cpu {
namespace {

constexpr std::size_t allocationAlignment = 256; // CUDA C++ Programming Guide, "Device Memory Accesses"

std::size_t roundUp(std::size_t size, std::size_t to) {
  return (size + to - 1) / to * to;
}

std::string bytesText(std::uintptr_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string rangeText(const MemoryRange &range) {
  const char *what = "allocation";
  switch (range.kind) {
  case MemoryKind::device:
    break;
  case MemoryKind::mapped:
    what = "mapping";
    break;
  case MemoryKind::variable:
    what = "block of device variables";
    break;
  case MemoryKind::managed:
    what = "managed allocation";
    break;
  case MemoryKind::pinned:
    what = "pinned host allocation";
    break;
  case MemoryKind::registered:
    what = "registered host range";
    break;
  }
  std::string text =
      "the " + std::to_string(range.size) + "-byte " + what + " at " + addressText(range.begin);
  if (isDeviceOnly(range.kind))
    text += " of device " + std::to_string(range.device);
  return text;
}

} // namespace

std::string addressText(std::uintptr_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

void AddressMap::add(const MemoryRange &range) {
  std::lock_guard lock(mutex_);
  ranges_[range.begin] = range;
}

std::optional<MemoryRange> AddressMap::remove(std::uintptr_t address) {
  std::lock_guard lock(mutex_);
  const auto found = ranges_.find(address);
  if (found == ranges_.end())
    return std::nullopt;
  const MemoryRange range = found->second;
  ranges_.erase(found);
  return range;
}

std::vector<MemoryRange> AddressMap::removeDevice(int device) {
  std::lock_guard lock(mutex_);
  std::vector<MemoryRange> removed;
  std::erase_if(ranges_, [&](const auto &entry) {
    const MemoryRange &range = entry.second;
    const bool goes = range.kind == MemoryKind::device && range.device == device;
    if (goes)
      removed.push_back(range);
    return goes;
  });
  return removed;
}

AddressMap::Ranges::const_iterator AddressMap::holder(std::uintptr_t address) const {
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin())
    return ranges_.end();
  --after;
  const MemoryRange &range = after->second;
  return address < range.end() || address == range.begin ? after : ranges_.end();
}

std::optional<MemoryRange> AddressMap::find(std::uintptr_t address) const {
  std::lock_guard lock(mutex_);
  const auto found = holder(address);
  return found == ranges_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t AddressMap::covered(std::uintptr_t address, std::size_t size) const {
  std::lock_guard lock(mutex_);
  const std::uintptr_t end = address + size;
  std::uintptr_t reached = address;
  for (auto at = holder(address); at != ranges_.end() && reached < end; ++at) {
    const MemoryRange &range = at->second;
    if (range.begin > reached || range.accessible == Accessible::no)
      break;
    reached = std::max(reached, range.end());
  }
  return std::min(reached, end) - address;
}

bool AddressMap::overlaps(std::uintptr_t address, std::size_t size) const {
  std::lock_guard lock(mutex_);
  const auto next = ranges_.lower_bound(address);
  if (next != ranges_.end() && next->first < address + size)
    return true;
  return holder(address) != ranges_.end();
}

void AddressMap::setAccessible(std::uintptr_t address, std::size_t size, Accessible accessible) {
  std::lock_guard lock(mutex_);
  for (auto at = ranges_.lower_bound(address); at != ranges_.end() && at->first < address + size; ++at)
    at->second.accessible = accessible;
}

std::string AddressMap::describe(std::uintptr_t address) const {
  std::lock_guard lock(mutex_);
  if (const auto inside = holder(address); inside != ranges_.end()) {
    const MemoryRange &range = inside->second;
    return bytesText(address - range.begin) + " into " + rangeText(range) +
           (range.accessible == Accessible::yes ? "" : ", which no cuMemSetAccess has opened");
  }
  const auto above = ranges_.upper_bound(address);
  const MemoryRange *next = above == ranges_.end() ? nullptr : &above->second;
  const MemoryRange *previous = above == ranges_.begin() ? nullptr : &std::prev(above)->second;
  if (!next && !previous)
    return "there is no device memory";
  const std::uintptr_t past = previous ? address - previous->end() : ~std::uintptr_t{0};
  const std::uintptr_t before = next ? next->begin - address : ~std::uintptr_t{0};
  if (previous && past <= before)
    return (past == 0 ? "just" : bytesText(past)) + " past the end of " + rangeText(*previous);
  return bytesText(before) + " before " + rangeText(*next);
}

std::optional<MemoryRange> mapGuarded(std::size_t size) {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t room = roundUp(std::max<std::size_t>(size, 1), allocationAlignment);
  if (room < size)
    return std::nullopt;
  const std::size_t inner = roundUp(room, page), outer = inner + 2 * page;
  void *mapping = mmap(nullptr, outer, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return std::nullopt;
  char *first = static_cast<char *>(mapping) + page;
  if (mprotect(first, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping, outer);
    return std::nullopt;
  }
  MemoryRange range;
  range.begin = reinterpret_cast<std::uintptr_t>(first + inner - room);
  range.size = size;
  range.mapping = reinterpret_cast<std::uintptr_t>(mapping);
  range.mappingSize = outer;
  return range;
}

void unmapGuarded(const MemoryRange &range) {
  assert(range.mapping != 0 && "only what mapGuarded made can be unmapped");
  munmap(reinterpret_cast<void *>(range.mapping), range.mappingSize);
}

} // namespace streammap::cpu
