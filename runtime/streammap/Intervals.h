#pragma once
// Bytes of a buffer, as half-open intervals of offsets.
//
//   intervalsOf({.offset = 8, .size = 4, .stride = 16, .count = 2})   -> [8,12) [24,28)
//   rectangles({{8, 12}, {24, 28}, {40, 44}})                         -> 3 rows of 4 bytes, 16 apart, from 8
#include "model/TaskGraph.h"
#include <cstdint>
#include <vector>

namespace streammap::engine {

struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - begin; }
  bool operator==(const Interval &) const = default;
};

inline bool overlap(const Interval &a, const Interval &b) {
  return a.begin < b.end && b.begin < a.end;
}

/// Sorted, disjoint, neighbours merged.
using Intervals = std::vector<Interval>;

Intervals intervalsOf(const Region &region);
/// Sorts and merges.
Intervals normalised(Intervals intervals);
bool overlap(const Intervals &a, const Intervals &b);
std::uint64_t totalSize(const Intervals &intervals);

/// Rows of equal width at equal distance: what one 2-D copy moves.
struct Rectangle {
  std::uint64_t begin = 0;
  std::uint64_t width = 0;
  std::uint64_t stride = 0; ///< equals width when there is one row
  std::uint64_t rows = 1;
};

/// The same bytes in as few rectangles as a single pass finds.
std::vector<Rectangle> rectangles(const Intervals &intervals);

} // namespace streammap::engine
