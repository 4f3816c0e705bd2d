#include "streammap/Intervals.h"
#include <algorithm>

namespace streammap::engine {

Intervals normalised(Intervals intervals) {
  std::erase_if(intervals, [](const Interval &interval) { return interval.begin >= interval.end; });
  std::ranges::sort(intervals, {}, &Interval::begin);
  Intervals result;
  for (const Interval &interval : intervals)
    if (!result.empty() && interval.begin <= result.back().end)
      result.back().end = std::max(result.back().end, interval.end);
    else
      result.push_back(interval);
  return result;
}

Intervals intervalsOf(const Region &region) {
  Intervals result;
  if (region.size == 0)
    return result;
  result.reserve(region.count);
  for (std::uint64_t run = 0; run < region.count; ++run) {
    const std::uint64_t begin = region.offset + run * region.stride;
    if (!result.empty() && begin <= result.back().end)
      result.back().end = std::max(result.back().end, begin + region.size);
    else
      result.push_back({begin, begin + region.size});
  }
  return result;
}

bool overlap(const Intervals &a, const Intervals &b) {
  auto i = a.begin(), j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (overlap(*i, *j))
      return true;
    ++(i->end <= j->end ? i : j);
  }
  return false;
}

std::uint64_t totalSize(const Intervals &intervals) {
  std::uint64_t size = 0;
  for (const Interval &interval : intervals)
    size += interval.size();
  return size;
}

std::vector<Rectangle> rectangles(const Intervals &intervals) {
  std::vector<Rectangle> result;
  for (const Interval &interval : intervals) {
    if (!result.empty() && result.back().width == interval.size()) {
      Rectangle &last = result.back();
      const std::uint64_t distance = interval.begin - (last.begin + (last.rows - 1) * last.stride);
      if (last.rows == 1)
        last.stride = distance;
      if (distance == last.stride) {
        ++last.rows;
        continue;
      }
    }
    result.push_back({interval.begin, interval.size(), interval.size(), 1});
  }
  return result;
}

} // namespace streammap::engine
