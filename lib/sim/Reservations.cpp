#include "sim/Reservations.h"
#include <algorithm>

namespace streammap {

namespace {

constexpr std::size_t chunkSize = 32; ///< at most; a full one is split in two

/// By start, then end: of a task that takes no time and one that starts at the same moment, the former is
/// first, so that ends ascend as well, which `earliest` counts on.
std::pair<Seconds, Seconds> key(const Interval &interval) {
  return {interval.start, interval.end};
}

} // namespace

/// The first with an interval that ends after the moment.
std::size_t BusyTimes::firstChunk(Seconds endsAfter) const {
  if (!chunks_.empty() && chunks_.back().items.front().start <= endsAfter) // near the end, as most often
    return lastEnd() > endsAfter ? chunks_.size() - 1 : chunks_.size();
  const auto found = std::ranges::upper_bound(chunks_, endsAfter, {},
                                              [](const Chunk &chunk) { return chunk.items.back().end; });
  return static_cast<std::size_t>(found - chunks_.begin());
}

Seconds BusyTimes::earliest(Seconds ready, Seconds length) const {
  Seconds start = ready;
  // A chunk is passed over only if its gaps are too small whatever the rounding of the sums below.
  const Seconds rounding = 4e-16 * lastEnd();
  for (std::size_t c = firstChunk(ready), first = c; c < chunks_.size(); ++c) {
    const std::vector<Interval> &items = chunks_[c].items;
    if (c != first && chunks_[c].widest + rounding < length) {
      start = std::max(start, items.back().end);
      continue;
    }
    auto next = c == first ? std::ranges::upper_bound(items, ready, {}, &Interval::end) : items.begin();
    for (; next != items.end(); ++next) {
      if (next->start >= start + length)
        return start;
      start = std::max(start, next->end);
    }
  }
  return start;
}

/// Where the interval belongs.
std::size_t BusyTimes::chunkFor(Interval interval) const {
  const auto after = std::ranges::upper_bound(chunks_, key(interval), {},
                                              [](const Chunk &chunk) { return key(chunk.items.front()); });
  return after == chunks_.begin() ? 0 : static_cast<std::size_t>(after - chunks_.begin()) - 1;
}

void BusyTimes::measure(std::size_t chunk) {
  Seconds before = chunk == 0 ? Seconds() : chunks_[chunk - 1].items.back().end;
  Seconds widest;
  for (const Interval &interval : chunks_[chunk].items) {
    widest = std::max(widest, interval.start - before);
    before = interval.end;
  }
  chunks_[chunk].widest = widest;
}

/// Splits the chunk if it is full, and measures what changed.
void BusyTimes::changed(std::size_t chunk) {
  std::vector<Interval> &items = chunks_[chunk].items;
  std::size_t last = chunk + 1;
  if (items.size() >= chunkSize) {
    // Behind the last interval more will follow; a full chunk there is left as it is.
    const std::size_t kept = chunk + 1 == chunks_.size() ? chunkSize - 1 : chunkSize / 2;
    Chunk rest{{items.begin() + static_cast<std::ptrdiff_t>(kept), items.end()}, {}};
    items.resize(kept);
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(chunk) + 1, std::move(rest));
    ++last;
  }
  for (std::size_t c = chunk; c <= last && c < chunks_.size(); ++c)
    measure(c);
}

void BusyTimes::add(Interval interval) {
  if (chunks_.empty()) {
    chunks_.push_back({{interval}, interval.start});
    return;
  }
  const std::size_t chunk = chunkFor(interval);
  std::vector<Interval> &items = chunks_[chunk].items;
  items.insert(std::ranges::upper_bound(items, key(interval), {}, key), interval);
  changed(chunk);
}

void BusyTimes::addJoined(Interval interval) {
  if (chunks_.empty())
    return add(interval);
  const std::size_t chunk = chunkFor(interval);
  std::vector<Interval> &items = chunks_[chunk].items;
  const auto after = std::ranges::upper_bound(items, key(interval), {}, key);
  const bool joinsBefore = after != items.begin() && std::prev(after)->end == interval.start;
  const bool joinsAfter = after != items.end() && after->start == interval.end;
  if (joinsBefore && joinsAfter) {
    std::prev(after)->end = after->end;
    items.erase(after);
  } else if (joinsBefore) {
    std::prev(after)->end = interval.end;
  } else if (joinsAfter) {
    after->start = interval.start;
  } else {
    items.insert(after, interval);
  }
  changed(chunk);
}

std::vector<Interval> BusyTimes::intervals() const {
  std::vector<Interval> all;
  for (const Chunk &chunk : chunks_)
    all.insert(all.end(), chunk.items.begin(), chunk.items.end());
  return all;
}

Reservations::Reservations(const Fabric &fabric) : fabric_(&fabric) {
  channels_.reserve(fabric.links().size());
  for (const Link &link : fabric.links())
    channels_.push(std::vector<BusyTimes>(link.channels));
}

Reservations::Free Reservations::earliestOn(LinkId link, Seconds ready, Seconds length) const {
  const std::vector<BusyTimes> &channels = channels_[link];
  Free best{channels[0].earliest(ready, length), 0};
  for (std::size_t i = 1; i < channels.size() && best.start > ready; ++i)
    if (const Seconds start = channels[i].earliest(ready, length); start < best.start)
      best = {start, i};
  return best;
}

Seconds Reservations::earliest(const Route &route, Bytes size, Seconds ready) const {
  if (!fabric_->contended())
    return ready;
  const Seconds length = size / route.bandwidth;
  Seconds start = ready;
  // Each round moves the start to a moment some link forces; it ends when no link objects.
  for (bool moved = true; moved;) {
    moved = false;
    for (LinkId link : route.links)
      if (const Seconds free = earliestOn(link, start, length).start; free > start) {
        start = free;
        moved = true;
      }
  }
  return start;
}

Seconds Reservations::reserve(const Route &route, Bytes size, Seconds start) {
  const Seconds length = size / route.bandwidth;
  for (LinkId link : route.links) {
    const std::size_t channel = fabric_->contended() ? earliestOn(link, start, length).channel : 0;
    channels_[link][channel].addJoined({start, start + length});
  }
  return start + route.time(size);
}

Seconds Reservations::busy(LinkId link) const {
  std::vector<Interval> all;
  for (const BusyTimes &channel : channels_[link]) {
    const std::vector<Interval> own = channel.intervals();
    all.insert(all.end(), own.begin(), own.end());
  }
  std::ranges::sort(all, {}, &Interval::start);
  Seconds sum, end;
  for (const Interval &interval : all) {
    const Seconds from = std::max(interval.start, end);
    if (interval.end > from)
      sum += interval.end - from;
    end = std::max(end, interval.end);
  }
  return sum;
}

} // namespace streammap
