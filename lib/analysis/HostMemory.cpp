#include "analysis/HostMemory.h"
#include <algorithm>
#include <cstring>

namespace streammap {

HostMemory::HostMemory() : objects_(2) {} // 0 is null, 1 the stack

Address HostMemory::allocate(std::uint64_t size, Fill fill, Reason reason) {
  if (size > offsetMask || objects_.size() >= (std::size_t{1} << (64 - offsetBits - 1)))
    return 0;
  Object object;
  object.size = size;
  object.all = fill == Fill::zero ? Reason{0} : reason;
  objects_.push_back(std::move(object));
  return (objects_.size() - 1) << offsetBits;
}

void HostMemory::release(Address address) {
  if (isStack(address))
    return;
  if (Object *object = find(address))
    *object = {};
}

void HostMemory::reserveStack(std::uint64_t size) {
  Object &stack = objects_[1];
  if (size <= stack.size)
    return;
  stack.size = (size + 16 * pageSize) / pageSize * pageSize;
  stack.pages.resize(stack.size / pageSize);
  stack.absent.resize(stack.pages.size(), 0);
}

HostMemory::Object *HostMemory::find(Address address) {
  const std::size_t index = address >> offsetBits;
  return index != 0 && index < objects_.size() ? &objects_[index] : nullptr;
}
const HostMemory::Object *HostMemory::find(Address address) const {
  return const_cast<HostMemory *>(this)->find(address);
}

HostMemory::Place HostMemory::placeOf(const Object &object, std::uint64_t offset) const {
  if (offset >= object.size)
    return {};
  if (object.pages.empty())
    return {nullptr, offset, object.size - offset, object.all};
  const std::uint64_t number = offset / pageSize;
  const std::uint64_t end = std::min(object.size, (number + 1) * pageSize);
  return {object.pages[number].get(), offset % pageSize, end - offset, object.absent[number]};
}

// From one value for all bytes to one for each page.
void HostMemory::split(Object &object) const {
  const std::size_t pages = (object.size + pageSize - 1) / pageSize;
  if (object.pages.empty()) {
    object.pages.resize(pages);
    object.absent.assign(pages, object.all);
  }
}

HostMemory::Place HostMemory::materialise(Object &object, std::uint64_t offset) {
  if (offset < object.size)
    split(object);
  Place place = placeOf(object, offset);
  if (place.page || place.room == 0)
    return place;
  const std::uint64_t number = offset / pageSize;
  auto page = std::make_unique<Page>();
  const std::uint64_t size = std::min(pageSize, object.size - number * pageSize);
  page->bytes.assign(size, 0);
  page->reasons.assign(size, place.absent);
  place.page = page.get();
  object.pages[number] = std::move(page);
  return place;
}

void HostMemory::note(Address address, std::uint64_t size) {
  if (recording_ == 0)
    return;
  const Range range{address, size};
  if (writes_.empty() || writes_.back() != range)
    writes_.push_back(range);
}

std::vector<HostMemory::Range> HostMemory::writesSince(std::size_t since) {
  since = std::min(since, writes_.size());
  std::vector<Range> sorted(writes_.begin() + static_cast<std::ptrdiff_t>(since), writes_.end());
  std::sort(sorted.begin(), sorted.end(), [](const Range &a, const Range &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.size > b.size;
  });
  std::vector<Range> kept;
  for (const Range &range : sorted)
    if (kept.empty() || range.begin + range.size > kept.back().begin + kept.back().size)
      kept.push_back(range);
  writes_.resize(since);
  writes_.insert(writes_.end(), kept.begin(), kept.end());
  return kept;
}

HostValue HostMemory::load(Address address, unsigned size) const {
  constexpr Reason nowhere = 1; // UnknownReasons: memory that is not there
  const Object *object = find(address);
  if (!object)
    return {0, nowhere};
  HostValue value;
  for (unsigned done = 0; done < size;) {
    const Place place = placeOf(*object, (address & offsetMask) + done);
    if (place.room == 0)
      return {0, nowhere};
    const unsigned part = static_cast<unsigned>(std::min<std::uint64_t>(size - done, place.room));
    if (!place.page) {
      if (place.absent)
        return {0, place.absent};
    } else {
      for (unsigned i = 0; i < part; ++i)
        if (const Reason reason = place.page->reasons[place.offset + i])
          return {0, reason};
      std::memcpy(reinterpret_cast<char *>(&value.bits) + done, place.page->bytes.data() + place.offset,
                  part);
    }
    done += part;
  }
  return value;
}

void HostMemory::store(Address address, unsigned size, HostValue value) {
  Object *object = find(address);
  if (!object)
    return;
  note(address, size);
  for (unsigned done = 0; done < size;) {
    const Place place = materialise(*object, (address & offsetMask) + done);
    if (place.room == 0)
      return;
    const unsigned part = static_cast<unsigned>(std::min<std::uint64_t>(size - done, place.room));
    std::memcpy(place.page->bytes.data() + place.offset, reinterpret_cast<const char *>(&value.bits) + done,
                part);
    std::fill_n(place.page->reasons.begin() + static_cast<std::ptrdiff_t>(place.offset), part, value.reason);
    done += part;
  }
}

void HostMemory::copy(Address to, Address from, std::uint64_t size) {
  Object *target = find(to);
  const Object *source = find(from);
  if (!target || size == 0 || to == from)
    return;
  if (!source) {
    invalidate(to, size, 1);
    return;
  }
  note(to, size);
  const std::uint64_t targetOffset = to & offsetMask, sourceOffset = from & offsetMask;
  // Overlapping parts of one object move through a buffer; they are small in practice.
  const bool overlaps =
      target == source && targetOffset < sourceOffset + size && sourceOffset < targetOffset + size;
  std::vector<std::uint8_t> bytes;
  std::vector<Reason> reasons;
  if (overlaps) {
    bytes.resize(size);
    reasons.resize(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      const HostValue value = load(from + i, 1);
      bytes[i] = static_cast<std::uint8_t>(value.bits);
      reasons[i] = value.reason;
    }
  }
  for (std::uint64_t done = 0; done < size;) {
    const Place before = placeOf(*target, targetOffset + done);
    if (before.room == 0)
      return;
    std::uint64_t part = std::min(size - done, before.room);
    if (overlaps) {
      const Place place = materialise(*target, targetOffset + done);
      part = std::min(part, place.room);
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(done), part,
                  place.page->bytes.begin() + static_cast<std::ptrdiff_t>(place.offset));
      std::copy_n(reasons.begin() + static_cast<std::ptrdiff_t>(done), part,
                  place.page->reasons.begin() + static_cast<std::ptrdiff_t>(place.offset));
      done += part;
      continue;
    }
    const Place origin = placeOf(*source, sourceOffset + done);
    if (origin.room != 0)
      part = std::min(part, origin.room);
    if (origin.room == 0 || !origin.page) {
      setUniform(to + done, part, origin.room == 0 ? Reason{1} : origin.absent);
    } else {
      const Place place = materialise(*target, targetOffset + done);
      part = std::min(part, place.room);
      std::memcpy(place.page->bytes.data() + place.offset, origin.page->bytes.data() + origin.offset, part);
      std::copy_n(origin.page->reasons.begin() + static_cast<std::ptrdiff_t>(origin.offset), part,
                  place.page->reasons.begin() + static_cast<std::ptrdiff_t>(place.offset));
    }
    done += part;
  }
}

void HostMemory::setUniform(Address address, std::uint64_t size, Reason reason) {
  Object *object = find(address);
  if (!object)
    return;
  const std::uint64_t start = address & offsetMask;
  if (start == 0 && size >= object->size && !isStack(address)) {
    object->pages.clear();
    object->absent.clear();
    object->all = reason;
    return;
  }
  if (object->pages.empty() && object->all == reason)
    return;
  split(*object);
  for (std::uint64_t done = 0; done < size;) {
    Place place = placeOf(*object, start + done);
    if (place.room == 0)
      return;
    const std::uint64_t part = std::min(size - done, place.room);
    const std::uint64_t number = (start + done) / pageSize;
    const bool wholePage = place.offset == 0 && part == place.room && !isStack(address);
    if (wholePage) {
      object->pages[number].reset();
      object->absent[number] = reason;
    } else if (place.page || place.absent != reason) {
      place = materialise(*object, start + done);
      std::memset(place.page->bytes.data() + place.offset, 0, part);
      std::fill_n(place.page->reasons.begin() + static_cast<std::ptrdiff_t>(place.offset), part, reason);
    }
    done += part;
  }
}

void HostMemory::zero(Address address, std::uint64_t size) {
  note(address, size);
  setUniform(address, size, 0);
}

void HostMemory::invalidate(Address address, std::uint64_t size, Reason reason) {
  note(address, size);
  setUniform(address, size, reason);
}

void HostMemory::fill(Address to, Address pattern, std::uint64_t size, std::uint64_t count, Reason tooMany) {
  constexpr std::uint64_t mostWritten = std::uint64_t{1} << 20;
  bool isZero = true;
  for (std::uint64_t i = 0; i < size && isZero; ++i) {
    const HostValue byte = load(pattern + i, 1);
    isZero = byte.isKnown() && byte.bits == 0;
  }
  if (isZero)
    zero(to, size * count);
  else if (const Reason reason = load(pattern, 1).reason; reason && size <= 8)
    invalidate(to, size * count, reason);
  else if (count * size > mostWritten)
    invalidate(to, size * count, tooMany);
  else
    for (std::uint64_t i = 0; i < count; ++i)
      copy(to + i * size, pattern, size);
}

HostMemory::Range HostMemory::objectAt(Address address) const {
  const Object *object = find(address);
  if (!object || object->size == 0)
    return {};
  return {address & ~offsetMask, object->size};
}

} // namespace streammap
