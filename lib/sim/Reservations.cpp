#include "sim/Reservations.h"
#include <algorithm>

namespace streammap {

Seconds BusyTimes::earliest(Seconds ready, Seconds length) const {
  auto next = std::ranges::upper_bound(busy_, ready, {}, &Interval::end);
  Seconds start = ready;
  for (; next != busy_.end() && next->start < start + length; ++next)
    start = std::max(start, next->end);
  return start;
}

void BusyTimes::add(Interval interval) {
  // By start, then end: of a task that takes no time and one that starts at the same moment, the former is
  // first, so that ends ascend as well, which `earliest` counts on.
  const auto at = std::ranges::upper_bound(busy_, std::pair(interval.start, interval.end), {},
                                           [](const Interval &i) { return std::pair(i.start, i.end); });
  busy_.insert(at, interval);
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
    channels_[link][channel].add({start, start + length});
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
