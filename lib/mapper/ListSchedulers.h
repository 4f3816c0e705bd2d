#pragma once
// The list schedulers and the baselines they are measured against. Each takes the next task by some rank and
// puts it on the device that looks best; see the .cpp of each.
#include "mapper/MapTasks.h"
#include "sim/ScheduleBuilder.h"

namespace streammap {

Expected<Placement> mapHeft(const Problem &problem, const MapOptions &options);
Expected<Placement> mapPeft(const Problem &problem, const MapOptions &options);
Expected<Placement> mapCpop(const Problem &problem, const MapOptions &options);
Expected<Placement> mapCluster(const Problem &problem, const MapOptions &options);
Expected<Placement> mapOneDevice(const Problem &problem, const MapOptions &options);
Expected<Placement> mapOneNode(const Problem &problem, const MapOptions &options);
Expected<Placement> mapRoundRobin(const Problem &problem, const MapOptions &options);

/// Places the task where it ends soonest; the error names the task when its groups leave no device.
Expected<void> placeSoonest(const Problem &problem, ScheduleBuilder &builder, TaskId task);

/// "no device is left for task 'x': ..." when earlier choices of `together` and `apart` closed all of them.
Error noDeviceLeft(const Problem &problem, TaskId task);

} // namespace streammap
