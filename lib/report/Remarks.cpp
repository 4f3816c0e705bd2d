#include "report/Remarks.h"
#include "support/Columns.h"
#include <algorithm>
#include <tuple>

namespace streammap {
namespace {

using Remarks = std::vector<ReportWarning>;

/// "flops_fp32, flops_integer and global_load_bytes are"
std::string listed(const std::vector<std::string> &metrics) {
  std::string text;
  for (std::size_t i = 0; i < metrics.size(); ++i)
    text += (i == 0 ? "" : i + 1 == metrics.size() ? " and " : ", ") + metrics[i];
  return text + (metrics.size() == 1 ? " is" : " are");
}

/// Whether somebody gave or measured the time: then it does not matter what could not be counted.
bool hasOwnFigures(const TaskRow &task) {
  return task.origin == toText(Origin::pragma) || task.origin == toText(Origin::profile);
}

/// Kernels that are launched, and by tasks with figures of their own only.
IndexedVector<KernelId, char> settledKernels(const TaskGraph &graph, const Placement &placement,
                                             const std::vector<TaskRow> &tasks) {
  enum : char { launchedByNone, settled, open };
  IndexedVector<KernelId, char> state;
  state.assign(graph.kernels.size(), launchedByNone);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    for (const Launch &launch : graph.tasks[placement.assignments[i].task].launches)
      if (graph.kernels.contains(launch.kernel) && state[launch.kernel] != open)
        state[launch.kernel] = hasOwnFigures(tasks[i]) ? settled : open;
  for (char &one : state)
    one = one == settled;
  return state;
}

void addUnknownCosts(Remarks &remarks, const Kernel &kernel) {
  struct Cause {
    const UnknownCost *first;
    std::vector<std::string> metrics;
  };
  auto key = [](const UnknownCost &unknown) {
    return std::tie(unknown.location, unknown.reason, unknown.remedy);
  };
  std::vector<Cause> causes; // in the kernel's order; few
  for (const UnknownCost &unknown : kernel.unknowns) {
    const auto same =
        std::ranges::find_if(causes, [&](const Cause &cause) { return key(*cause.first) == key(unknown); });
    Cause &cause = same == causes.end() ? causes.emplace_back(Cause{&unknown, {}}) : *same;
    if (std::ranges::find(cause.metrics, unknown.metric) == cause.metrics.end())
      cause.metrics.push_back(unknown.metric);
  }
  for (const Cause &cause : causes)
    remarks.push_back({"unknown-cost",
                       kernel.name + ": " + listed(cause.metrics) + " unknown: " + cause.first->reason,
                       cause.first->location, cause.first->remedy});
}

void addDefaults(Remarks &remarks, const std::vector<TaskRow> &tasks) {
  struct Rest {
    std::size_t tasks = 0;
    std::string location; ///< of the first
    Seconds shortest, longest;
  };
  std::map<std::string, Rest> rests; // by class
  for (const TaskRow &task : tasks)
    if (task.isAssumed()) {
      Rest &rest = rests[task.taskClass];
      const Seconds time = task.end - task.start;
      if (rest.tasks++ == 0)
        rest = {1, task.location, time, time};
      rest.shortest = std::min(rest.shortest, time);
      rest.longest = std::max(rest.longest, time);
    }
  for (const auto &[name, rest] : rests) {
    const bool one = rest.tasks == 1;
    std::string text = counted(rest.tasks, "task") + " of '" + name + "' " + (one ? "says" : "say") +
                       " nothing of " + (one ? "its" : "their") + " work and " + (one ? "is" : "are") +
                       " taken to run " + toText(rest.shortest);
    if (toText(rest.longest) != toText(rest.shortest))
      text += " to " + toText(rest.longest);
    remarks.push_back(
        {"default-estimate", text, rest.location, "add a flops(), bytes() or seconds() clause"});
  }
}

void addUnavailable(Remarks &remarks, const std::string &name, State state, const std::string &reason) {
  remarks.push_back({"unavailable",
                     name + " is " + std::string(toText(state)) + (reason.empty() ? "" : " (" + reason + ")"),
                     "", ""});
}

} // namespace

std::vector<ReportWarning> remarksOn(const TaskGraph &graph, const Cluster &cluster,
                                     const Placement &placement, const std::vector<TaskRow> &tasks) {
  Remarks remarks;
  for (const std::string &free : cluster.takenAsFree)
    remarks.push_back({"taken-as-free", free, "", "describe it in the cluster file"});
  const IndexedVector<KernelId, char> isSettled = settledKernels(graph, placement, tasks);
  for (KernelId kernel : graph.kernels.ids())
    if (!isSettled[kernel])
      addUnknownCosts(remarks, graph.kernels[kernel]);
  addDefaults(remarks, tasks);
  for (DeviceId id : cluster.devices.ids())
    if (const Device &device = cluster.devices[id];
        device.state != State::up && cluster.nodes[device.node].state == State::up)
      addUnavailable(remarks, deviceName(cluster, id), device.state, device.reason);
  for (const Node &node : cluster.nodes)
    if (node.state != State::up)
      addUnavailable(remarks, node.name, node.state, node.reason);
  return remarks;
}

} // namespace streammap
