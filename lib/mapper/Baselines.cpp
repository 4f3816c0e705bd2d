// What any mapper has to beat: everything on one device, everything on one node, and tasks dealt out in turn.
#include "mapper/ListSchedulers.h"
#include "mapper/MeanCosts.h"
#include <algorithm>
#include <map>

namespace streammap {
namespace {

bool allowsAll(const Problem &problem, DeviceId device) {
  return std::ranges::all_of(problem.graph().tasks.ids(),
                             [&](TaskId task) { return problem.allows(task, device); });
}

bool keepsApart(const Problem &problem) {
  return std::ranges::any_of(problem.graph().tasks.ids(),
                             [&](TaskId task) { return !problem.apart(task).empty(); });
}

/// HEFT with the devices of one node; nothing where some task has none there.
std::optional<Placement> mapOnNode(const Problem &problem, const std::vector<TaskId> &order, NodeId node) {
  ScheduleBuilder builder(problem);
  for (TaskId task : order) {
    std::optional<DeviceId> best;
    Seconds end;
    for (DeviceId device : problem.devices()) {
      if (problem.cluster().devices[device].node != node || !problem.allows(task, device))
        continue;
      if (const Slot slot = builder.slotOn(task, device); !best || slot.end < end) {
        best = device;
        end = slot.end;
      }
    }
    if (!best)
      return std::nullopt;
    builder.place(task, *best);
  }
  return std::move(builder).finish();
}

} // namespace

Expected<Placement> mapOneDevice(const Problem &problem, const MapOptions &) {
  std::optional<DeviceId> best;
  Seconds least;
  for (DeviceId device : problem.devices()) {
    if (best && problem.classOf(device) == problem.classOf(*best))
      continue; // alike
    if (!allowsAll(problem, device))
      continue;
    Seconds sum;
    for (TaskId task : problem.graph().tasks.ids())
      sum += problem.timeOn(task, device);
    if (!best || sum < least) {
      best = device;
      least = sum;
    }
  }
  if (!best || (keepsApart(problem) && problem.graph().tasks.size() > 1))
    return failure("no single device may run all tasks");
  return simulate(problem, byDescendingRank(problem, MeanCosts(problem).upwardRanks()),
                  IndexedVector<TaskId, DeviceId>(problem.graph().tasks.size(), *best));
}

Expected<Placement> mapOneNode(const Problem &problem, const MapOptions &) {
  if (keepsApart(problem) && problem.graph().tasks.size() > 1)
    return failure("no single node may run all tasks: some must run apart");
  const std::vector<TaskId> order = byDescendingRank(problem, MeanCosts(problem).upwardRanks());
  std::optional<Placement> best;
  // Nodes of one type with as many devices up are alike, unless a task is pinned to one of them.
  const bool pinned = std::ranges::any_of(problem.graph().tasks.ids(),
                                          [&](TaskId task) { return problem.pinned(task).has_value(); });
  std::map<std::pair<NodeTypeId, std::size_t>, NodeId> seen;
  std::map<NodeId, std::size_t> up;
  for (DeviceId device : problem.devices())
    ++up[problem.cluster().devices[device].node];
  for (const auto &[node, devices] : up) {
    if (!seen.try_emplace({problem.cluster().nodes[node].type, devices}, node).second && !pinned)
      continue;
    std::optional<Placement> placement = mapOnNode(problem, order, node);
    if (placement && (!best || placement->predicted.makespan < best->predicted.makespan))
      best = std::move(placement);
  }
  if (!best)
    return failure("no single node may run all tasks");
  return std::move(*best);
}

Expected<Placement> mapRoundRobin(const Problem &problem, const MapOptions &) {
  // First GPUs of every node, then the second ones: neighbours in program order go to different nodes.
  std::vector<DeviceId> turn = problem.devices();
  std::ranges::stable_sort(
      turn, {}, [&](DeviceId device) { return problem.cluster().devices[device].gpu.value_or(~0u); });
  ScheduleBuilder builder(problem);
  std::size_t next = 0;
  for (TaskId task : problem.topologicalOrder()) {
    std::optional<DeviceId> chosen;
    for (std::size_t tried = 0; tried < turn.size() && !chosen; ++tried, next = (next + 1) % turn.size())
      if (builder.allows(task, turn[next]))
        chosen = turn[next];
    if (!chosen)
      return std::unexpected(noDeviceLeft(problem, task));
    builder.place(task, *chosen);
  }
  return std::move(builder).finish();
}

} // namespace streammap
