#pragma once
// What no placement can beat.
#include "sim/Problem.h"

namespace streammap {

struct LowerBound {
  Seconds time;
  std::string_view name; ///< "critical path", "work" or "host links"
};

/// The largest of three bounds.
/// Critical path: the longest chain of dependent tasks when every task has a device to itself, of the class
/// that makes the chain shortest, and data takes the fastest way between classes (FastestWays.h).
/// Work: for each set of device classes, the tasks that can run nowhere else, each at its fastest, spread
/// evenly over those devices.
/// Host links: the data that is in host memory at the start, each piece brought to a GPU once, over all host
/// links together.
/// All hold for every network, memory and constraint, as those only take choices away.
/// O((tasks + dependencies) x classes^2).
LowerBound lowerBound(const Problem &problem);

} // namespace streammap
