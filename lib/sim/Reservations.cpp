#include "sim/Reservations.h"
#include <algorithm>

namespace streammap {

namespace {

constexpr std::size_t blockSize = 64;

} // namespace

Seconds BusyTimes::earliest(Seconds ready, Seconds length) const {
  std::size_t next =
      static_cast<std::size_t>(std::ranges::upper_bound(busy_, ready, {}, &Interval::end) - busy_.begin());
  Seconds start = ready;
  // A block is passed over only if its gaps are too small whatever the rounding of the sums below.
  const Seconds rounding = 4e-16 * lastEnd();
  while (next < busy_.size()) {
    const std::size_t block = next / blockSize;
    if (next % blockSize == 0 && widest_[block] + rounding < length) {
      next = std::min(next + blockSize, busy_.size());
      start = std::max(start, busy_[next - 1].end);
      continue;
    }
    if (busy_[next].start >= start + length)
      break;
    start = std::max(start, busy_[next].end);
    ++next;
  }
  return start;
}

void BusyTimes::updateGaps(std::size_t from) {
  std::size_t block = from / blockSize;
  widest_.resize((busy_.size() + blockSize - 1) / blockSize);
  for (; block < widest_.size(); ++block) {
    Seconds widest;
    for (std::size_t i = block * blockSize; i < std::min((block + 1) * blockSize, busy_.size()); ++i)
      widest = std::max(widest, busy_[i].start - (i == 0 ? Seconds() : busy_[i - 1].end));
    widest_[block] = widest;
  }
}

void BusyTimes::add(Interval interval) {
  // By start, then end: of a task that takes no time and one that starts at the same moment, the former is
  // first, so that ends ascend as well, which `earliest` counts on.
  const auto at = std::ranges::upper_bound(busy_, std::pair(interval.start, interval.end), {},
                                           [](const Interval &i) { return std::pair(i.start, i.end); });
  const std::size_t position = static_cast<std::size_t>(at - busy_.begin());
  busy_.insert(at, interval);
  updateGaps(position);
}

void BusyTimes::addJoined(Interval interval) {
  const auto after = std::ranges::upper_bound(busy_, interval.start, {}, &Interval::start);
  const std::size_t position = static_cast<std::size_t>(after - busy_.begin());
  const bool joinsBefore = position > 0 && busy_[position - 1].end == interval.start;
  const bool joinsAfter = after != busy_.end() && after->start == interval.end;
  if (joinsBefore && joinsAfter) {
    busy_[position - 1].end = after->end;
    busy_.erase(after);
  } else if (joinsBefore) {
    busy_[position - 1].end = interval.end;
  } else if (joinsAfter) {
    after->start = interval.start;
  } else {
    busy_.insert(after, interval);
  }
  updateGaps(position == 0 ? 0 : position - 1);
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
  for (const BusyTimes &channel : channels_[link])
    all.insert(all.end(), channel.intervals().begin(), channel.intervals().end());
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
