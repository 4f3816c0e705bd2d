#pragma once
// What no placement can beat.
#include "sim/Problem.h"

namespace streammap {

struct LowerBound {
  Seconds time;
  std::string_view name; ///< "critical path" or "work"
};

/// The largest of two bounds:
/// * critical path: the longest chain of dependent tasks, each on the fastest device it may use, data for
/// free;
/// * work: for each set of device classes, the tasks that can run nowhere else, each at its fastest, spread
/// evenly
///   over those devices.
/// Both hold for every network, memory and constraint, as those only take choices away. O(tasks +
/// dependencies).
LowerBound lowerBound(const Problem &problem);

} // namespace streammap
