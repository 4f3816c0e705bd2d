#pragma once
// The judge: everything wrong with a placement. Shares no code with the strategies or the simulator.
#include "model/Placement.h"

namespace streammap {

enum class ViolationKind {
  unassignedTask,    ///< a task has no device, or more than one
  deviceUnavailable, ///< the device or its node is not up
  deviceNotAllowed,  ///< capability, model, node or device kind excludes it
  together,          ///< tasks sharing a `together` key are on different nodes
  apart,             ///< tasks sharing an `apart` key are on one node
  overlap,           ///< two tasks run on one device at once
  dependency,        ///< a task starts before a predecessor ended or its data arrived
  memory,            ///< a device holds more than it has
  power,             ///< a node draws more than its limit
  time               ///< start or end not finite, negative, or makespan not the last end
};

struct Violation {
  ViolationKind kind;
  std::string message; ///< names the task, device, bytes and time
};

/// Everything wrong with `placement`; empty means feasible. O(tasks log tasks + dependencies).
std::vector<Violation> findViolations(const TaskGraph &graph, const Cluster &cluster,
                                      const Placement &placement);

} // namespace streammap
