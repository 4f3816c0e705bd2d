#pragma once
// What no placement can beat.
#include "sim/Problem.h"

namespace streammap {

struct LowerBound {
  Seconds time;
  std::string_view name; ///< "critical path", "work", "host links" or "path and work"
};

/// The largest of four bounds.
/// Critical path: the longest chain of dependent tasks when every task has a device to itself, of the class
/// that makes the chain shortest, and data takes the fastest way between classes (FastestWays.h).
/// Work: the work of all tasks, split over the classes of devices as suits best (WorkBound.h); or for a set
/// of classes, the tasks that can run nowhere else, each at its fastest, spread evenly over those devices.
/// Path and work: the work of tasks between what must come before all of them and what must follow.
/// Host links: the data that is in host memory at the start, each piece brought to a GPU once, over all host
/// links together.
/// All hold for every network, memory and constraint, as those only take choices away.
/// O((tasks + dependencies) x classes^2).
LowerBound lowerBound(const Problem &problem);

} // namespace streammap
