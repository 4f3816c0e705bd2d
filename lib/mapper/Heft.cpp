// HEFT: Topcuoglu, Hariri and Wu, "Performance-effective and low-complexity task scheduling for heterogeneous
// computing", IEEE TPDS 13 (2002). Tasks by descending upward rank, each on the device where it ends first,
// with insertion. O(tasks x candidates x inputs). On the paper's 10-task example: makespan 80.
#include "mapper/ListSchedulers.h"
#include "mapper/MeanCosts.h"

namespace streammap {

Error noDeviceLeft(const Problem &problem, TaskId id) {
  const Task &task = problem.graph().tasks[id];
  return Error{"no device is left for task '" + (task.name.empty() ? task.id : task.name) +
               "': the nodes that its together(), apart() and node() clauses allow are taken by tasks placed "
               "before it; "
               "use more nodes or fewer constraints"};
}

Expected<void> placeSoonest(const Problem &problem, ScheduleBuilder &builder, TaskId task) {
  const std::optional<DeviceId> device = builder.soonest(task);
  if (!device)
    return std::unexpected(noDeviceLeft(problem, task));
  builder.place(task, *device);
  return {};
}

Expected<Placement> mapHeft(const Problem &problem, const MapOptions &) {
  ScheduleBuilder builder(problem);
  for (TaskId task : byDescendingRank(problem, MeanCosts(problem).upwardRanks()))
    if (Expected<void> placed = placeSoonest(problem, builder, task); !placed)
      return std::unexpected(placed.error());
  return std::move(builder).finish();
}

} // namespace streammap
