#pragma once
// A replay plan's times, by SimGrid. Two implementations: SimGrid.cpp, and WithoutSimGrid.cpp where the
// package was not found.
#include "referee/ReplayPlan.h"

namespace streammap {

struct PlanTimes {
  std::vector<Seconds> start, end; ///< of every step: tasks, then transfers
};

/// `unit` is the time that SimGrid takes as one second: its precision is absolute, so that short runs are
/// stretched.
Expected<PlanTimes> runPlan(const ReplayPlan &plan, Seconds unit);

} // namespace streammap
