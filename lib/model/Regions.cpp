#include "model/Regions.h"
#include <algorithm>

namespace streammap {
namespace {

/// Rows [top, bottom) and columns [left, right) of a table whose rows are `stride` bytes long.
struct Rectangle {
  std::uint64_t top, bottom, left, right;
  bool empty() const { return top >= bottom || left >= right; }
  std::uint64_t area() const { return empty() ? 0 : (bottom - top) * (right - left); }
};

/// Up to three rectangles; no allocation, since this is the innermost step.
class Rectangles {
public:
  void add(Rectangle rectangle) {
    if (!rectangle.empty())
      items_[count_++] = rectangle;
  }
  const Rectangle *begin() const { return items_; }
  const Rectangle *end() const { return items_ + count_; }

private:
  Rectangle items_[3];
  unsigned count_ = 0;
};

/// `region` is contiguous or has this stride.
Rectangles rectanglesOf(const Region &region, std::uint64_t stride) {
  Rectangles rectangles;
  std::uint64_t top = region.offset / stride, left = region.offset % stride;
  if (region.count > 1) {
    std::uint64_t right = left + region.size;
    rectangles.add({top, top + region.count, left, std::min(right, stride)});
    if (right > stride) // its runs cross the ends of the table's rows
      rectangles.add({top + 1, top + 1 + region.count, 0, right - stride});
    return rectangles;
  }
  std::uint64_t end = region.offset + region.size, bottom = end / stride, right = end % stride;
  if (top == bottom) {
    rectangles.add({top, top + 1, left, right});
    return rectangles;
  }
  rectangles.add({top, top + 1, left, left > 0 ? stride : left});
  rectangles.add({left > 0 ? top + 1 : top, bottom, 0, stride});
  rectangles.add({bottom, bottom + 1, 0, right});
  return rectangles;
}

Region regionOf(const Rectangle &rectangle, std::uint64_t stride) {
  return normalised({rectangle.top * stride + rectangle.left, rectangle.right - rectangle.left, stride,
                     rectangle.bottom - rectangle.top});
}

Rectangle common(const Rectangle &a, const Rectangle &b) {
  return {std::max(a.top, b.top), std::min(a.bottom, b.bottom), std::max(a.left, b.left),
          std::min(a.right, b.right)};
}

void appendDifference(std::vector<Rectangle> &out, const Rectangle &a, const Rectangle &b) {
  Rectangle inner = common(a, b);
  if (inner.empty()) {
    out.push_back(a);
    return;
  }
  const Rectangle parts[] = {{a.top, inner.top, a.left, a.right},
                             {inner.bottom, a.bottom, a.left, a.right},
                             {inner.top, inner.bottom, a.left, inner.left},
                             {inner.top, inner.bottom, inner.right, a.right}};
  for (const Rectangle &part : parts)
    if (!part.empty())
      out.push_back(part);
}

bool isEmpty(const Region &region) {
  return region.size == 0 || region.count == 0;
}
bool apart(const Region &a, const Region &b) {
  return a.end() <= b.offset || b.end() <= a.offset;
}

/// The stride of the table in which both are rectangles; 0 when they have two different strides.
std::uint64_t commonStride(const Region &a, const Region &b) {
  if (a.count > 1 && b.count > 1)
    return a.stride == b.stride ? a.stride : 0;
  if (a.count > 1)
    return a.stride;
  return b.count > 1 ? b.stride : UINT64_MAX;
}

Region runOf(const Region &region, std::uint64_t index) {
  return {region.offset + index * region.stride, region.size, 0, 1};
}

/// The runs of `region` that may touch bytes [begin, end): first index and one past the last.
std::pair<std::uint64_t, std::uint64_t> runsWithin(const Region &region, std::uint64_t begin,
                                                   std::uint64_t end) {
  if (region.stride == 0) // one run, or none
    return {0, region.count};
  std::uint64_t first = 0, last = 0;
  if (begin >= region.offset + region.size)
    first = (begin - region.offset - region.size) / region.stride + 1;
  if (end > region.offset)
    last = (end - region.offset - 1) / region.stride + 1;
  first = std::min(first, region.count);
  return {first, std::clamp(last, first, region.count)};
}

std::uint64_t overlapInTable(const Region &a, const Region &b, std::uint64_t stride) {
  std::uint64_t bytes = 0;
  for (const Rectangle &x : rectanglesOf(a, stride))
    for (const Rectangle &y : rectanglesOf(b, stride))
      bytes += common(x, y).area();
  return bytes;
}

/// `b` has another stride than `a`; each run of `a` that comes near `b` is judged by itself.
std::vector<Region> differenceByRuns(const Region &a, const Region &b) {
  std::vector<Region> out;
  auto [first, last] = runsWithin(a, b.offset, b.end());
  if (first > 0)
    out.push_back(normalised({a.offset, a.size, a.stride, first}));
  if (last < a.count)
    out.push_back(normalised({a.offset + last * a.stride, a.size, a.stride, a.count - last}));
  for (std::uint64_t run = first; run < last; ++run)
    for (const Region &part : difference(runOf(a, run), b))
      out.push_back(part);
  return out;
}

} // namespace

Region normalised(const Region &region) {
  if (isEmpty(region))
    return {0, 0, 0, 1};
  if (region.count == 1)
    return {region.offset, region.size, 0, 1};
  if (region.stride == region.size)
    return {region.offset, region.size * region.count, 0, 1};
  return region;
}

std::uint64_t overlapBytes(const Region &first, const Region &second) {
  Region a = normalised(first), b = normalised(second);
  if (isEmpty(a) || isEmpty(b) || apart(a, b))
    return 0;
  if (std::uint64_t stride = commonStride(a, b))
    return overlapInTable(a, b, stride);
  if (a.count > b.count)
    std::swap(a, b);
  std::uint64_t bytes = 0;
  auto [begin, end] = runsWithin(a, b.offset, b.end());
  for (std::uint64_t run = begin; run < end; ++run)
    bytes += overlapInTable(runOf(a, run), b, b.stride);
  return bytes;
}

bool regionsOverlap(const Region &first, const Region &second) {
  Region a = normalised(first), b = normalised(second);
  if (isEmpty(a) || isEmpty(b) || apart(a, b))
    return false;
  if (std::uint64_t stride = commonStride(a, b))
    return overlapInTable(a, b, stride) != 0;
  if (a.count > b.count)
    std::swap(a, b);
  auto [begin, end] = runsWithin(a, b.offset, b.end());
  for (std::uint64_t run = begin; run < end; ++run)
    if (overlapInTable(runOf(a, run), b, b.stride) != 0)
      return true;
  return false;
}

std::vector<Region> intersection(const Region &first, const Region &second) {
  Region a = normalised(first), b = normalised(second);
  std::vector<Region> out;
  if (isEmpty(a) || isEmpty(b) || apart(a, b))
    return out;
  if (std::uint64_t stride = commonStride(a, b)) {
    for (const Rectangle &x : rectanglesOf(a, stride))
      for (const Rectangle &y : rectanglesOf(b, stride))
        if (Rectangle both = common(x, y); !both.empty())
          out.push_back(regionOf(both, stride));
    return out;
  }
  if (a.count > b.count)
    std::swap(a, b);
  auto [begin, end] = runsWithin(a, b.offset, b.end());
  for (std::uint64_t run = begin; run < end; ++run)
    for (const Region &part : intersection(runOf(a, run), b))
      out.push_back(part);
  return out;
}

std::vector<Region> difference(const Region &first, const Region &second) {
  const Region a = normalised(first), b = normalised(second);
  if (isEmpty(a))
    return {};
  if (isEmpty(b) || apart(a, b))
    return {a};
  const std::uint64_t stride = commonStride(a, b);
  if (stride == 0)
    return differenceByRuns(a, b);
  std::vector<Rectangle> left;
  for (const Rectangle &rectangle : rectanglesOf(a, stride))
    left.push_back(rectangle);
  for (const Rectangle &taken : rectanglesOf(b, stride)) {
    std::vector<Rectangle> next;
    for (const Rectangle &rectangle : left)
      appendDifference(next, rectangle, taken);
    left = std::move(next);
  }
  std::vector<Region> out;
  for (const Rectangle &rectangle : left)
    out.push_back(regionOf(rectangle, stride));
  return out;
}

} // namespace streammap
