#pragma once
// The judge's account of device memory over time (docs/file-formats.md, "Memory on a device"). It reads only
// what the placement says, and shares no code with the simulator.
#include "model/Placement.h"
#include <span>

namespace streammap {

/// A device that holds more than it has.
struct MemoryExcess {
  DeviceId device;
  Seconds time; ///< the first moment
  Bytes held;
  TaskId running; ///< invalid: no task runs there at that moment
};

/// At most one for every device, by device. `chosen`: the assignment of every task; `tolerance`: seconds that
/// do not matter. Where one transfer may be the data of either of two regions, the choice that holds less
/// counts, so what is told is wrong for sure. O(n log n) for n tasks, dependencies and transfers.
std::vector<MemoryExcess> findMemoryExcess(const TaskGraph &graph, const Cluster &cluster,
                                           std::span<const Transfer> transfers,
                                           const IndexedVector<TaskId, const Assignment *> &chosen,
                                           double tolerance);

/// What a device holds from a moment on.
struct HeldMemory {
  Seconds time;
  Bytes held;
};

/// Of every device what it holds over the placement's time, by the same account: steps by time, each with
/// another amount than the one before; empty for a device that never holds anything. Every task is assigned
/// to exactly one device. O(n log n) for n tasks, dependencies and transfers.
IndexedVector<DeviceId, std::vector<HeldMemory>>
memoryOverTime(const TaskGraph &graph, const Cluster &cluster, const Placement &placement);

} // namespace streammap
