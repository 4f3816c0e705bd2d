#pragma once
// Set arithmetic on strided regions of one buffer, exact to the byte.
//
//   Region left{0, 64, 256, 8}, right{64, 64, 256, 8};   // two tiles of a matrix with rows of 256 bytes
//   regionsOverlap(left, right);                         // false: they share rows and no byte
//   overlapBytes({0, 100, 0, 1}, {64, 64, 256, 8});      // 36
//
// A region with one stride is a rectangle in the table whose rows are as long as the stride, so equal strides
// and contiguous regions cost O(1). Regions of two different strides cost O(runs of the one that has fewer).
#include "model/TaskGraph.h"
#include <vector>

namespace streammap {

/// How many bytes both contain.
std::uint64_t overlapBytes(const Region &a, const Region &b);
bool regionsOverlap(const Region &a, const Region &b);

/// The bytes in both, and those in `a` alone, as disjoint regions in no particular order. Subtracting a
/// region of another stride costs O(runs of `a` between the first and the last byte of `b`).
std::vector<Region> intersection(const Region &a, const Region &b);
std::vector<Region> difference(const Region &a, const Region &b);

/// The one way to write it: runs that touch become one, no stride where there is one run, no bytes is {}.
Region normalised(const Region &region);

} // namespace streammap
