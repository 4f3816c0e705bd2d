// The judge. It knows the rules of docs/file-formats.md, "What makes a placement feasible", and nothing of
// how placements are found; each rule is one function.
#include "model/Violations.h"
#include "model/Footprint.h"
#include "model/MemoryOverTime.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <tuple>

namespace streammap {
namespace {

/// Where a piece of data comes from: the task that wrote it, and the buffer where the graph has buffers.
using Source = std::pair<TaskId, std::optional<BufferId>>;

class Judge {
public:
  Judge(const TaskGraph &graph, const Cluster &cluster, const Placement &placement)
      : graph_(graph), cluster_(cluster), placement_(placement), chosen_(graph.tasks.size(), nullptr) {}

  std::vector<Violation> judge() {
    if (!checkAssignments())
      return std::move(violations_); // the other rules need one valid device per task
    checkTimes();
    checkDevices();
    checkGroups();
    checkOverlap();
    checkMemory();
    if (checkTransfers()) {
      checkDependencies();
      checkMemoryOverTime();
    }
    checkPower();
    return std::move(violations_);
  }

private:
  // --- one valid device per task ---

  bool checkAssignments() {
    std::vector<char> seen(graph_.tasks.size(), 0);
    for (const Assignment &assignment : placement_.assignments) {
      if (!graph_.tasks.contains(assignment.task)) {
        report(ViolationKind::unassignedTask, "an assignment names task number " +
                                                  std::to_string(assignment.task.index()) +
                                                  ", which the graph does not have");
        continue;
      }
      if (!cluster_.devices.contains(assignment.device)) {
        report(ViolationKind::deviceUnavailable,
               title(assignment.task) + " is on a device the cluster does not have");
        continue;
      }
      if (seen[assignment.task.index()]++)
        report(ViolationKind::unassignedTask, title(assignment.task) +
                                                  " is assigned more than once, also to " +
                                                  deviceName(cluster_, assignment.device));
      chosen_[assignment.task] = &assignment;
    }
    for (TaskId task : graph_.tasks.ids())
      if (!chosen_[task])
        report(ViolationKind::unassignedTask, title(task) + " has no device");
    return violations_.empty();
  }

  // --- times ---

  void checkTimes() {
    double last = 0;
    for (TaskId task : graph_.tasks.ids()) {
      const Assignment &run = *chosen_[task];
      if (!isTime(run.start) || !isTime(run.end) || run.end < run.start)
        report(ViolationKind::time, title(task) + " runs from " + exact(run.start) + " to " + exact(run.end) +
                                        ": expected two times from 0 on, the end not before the start");
      else
        last = std::max(last, run.end.value());
    }
    tolerance_ = 1e-9 * last;
    const Prediction &predicted = placement_.predicted;
    if (!isTime(predicted.makespan) || std::abs(predicted.makespan.value() - last) > tolerance_)
      report(ViolationKind::time, "the makespan is given as " + exact(predicted.makespan) +
                                      ", but the last task ends at " + exact(seconds(last)));
    if (!(predicted.lowerBound.value() <= predicted.makespan.value() + tolerance_))
      report(ViolationKind::time, "the lower bound " + exact(predicted.lowerBound) +
                                      " is above the makespan " + exact(predicted.makespan));
    for (TaskId task : graph_.tasks.ids())
      checkGivenTime(task);
  }

  /// Where the graph itself says how long a task takes, it may not be quicker.
  void checkGivenTime(TaskId id) {
    const Task &task = graph_.tasks[id];
    auto given = task.seconds.find(modelOf(id).name);
    if (given == task.seconds.end())
      given = task.seconds.find("*");
    if (given == task.seconds.end())
      return;
    Seconds taken = chosen_[id]->end - chosen_[id]->start;
    if (taken.value() < given->second.value() * (1 - 1e-9) - tolerance_)
      report(ViolationKind::time, title(id) + " takes " + exact(taken) + " on " + deviceOf(id) +
                                      ", but the graph says " + exact(given->second));
  }

  // --- where each task may run ---

  void checkDevices() {
    for (TaskId task : graph_.tasks.ids()) {
      checkState(task);
      checkConstraints(task, graph_.tasks[task].constraints);
    }
  }

  void checkState(TaskId task) {
    const Device &device = cluster_.devices[chosen_[task]->device];
    const Node &node = cluster_.nodes[device.node];
    const bool nodeIsUp = node.state == State::up;
    if (nodeIsUp && device.state == State::up)
      return;
    const std::string &reason = nodeIsUp ? device.reason : node.reason;
    report(ViolationKind::deviceUnavailable, title(task) + " is on " + deviceOf(task) + ", which is " +
                                                 std::string(toText(nodeIsUp ? device.state : node.state)) +
                                                 (reason.empty() ? "" : " (" + reason + ")"));
  }

  void checkConstraints(TaskId task, const Constraints &wants) {
    const Device &device = cluster_.devices[chosen_[task]->device];
    const GpuModel &model = cluster_.models[device.model];
    auto forbid = [&](const std::string &wish) {
      report(ViolationKind::deviceNotAllowed,
             title(task) + " is on " + deviceOf(task) + " (" + model.name + "), but " + wish);
    };
    if (wants.device == DeviceKind::gpu && !device.gpu)
      forbid("needs a GPU");
    if (wants.device == DeviceKind::cpu && device.gpu)
      forbid("needs the cores of a node");
    if (wants.capability && device.gpu && !hasCapability(model, *wants.capability))
      forbid("needs compute capability " + *wants.capability + " or above");
    auto fits = [&](const std::string &wanted) { return isModel(model, wanted); };
    if (!wants.models.empty() && std::ranges::none_of(wants.models, fits))
      forbid("needs one of the models it names, such as " + wants.models.front());
    if (wants.node && cluster_.nodes[device.node].name != *wants.node)
      forbid("needs node " + *wants.node);
  }

  // --- together and apart ---

  void checkGroups() {
    std::map<std::string, std::vector<TaskId>> together, apart;
    for (TaskId task : graph_.tasks.ids()) {
      for (const std::string &key : graph_.tasks[task].constraints.together)
        together[key].push_back(task);
      for (const std::string &key : graph_.tasks[task].constraints.apart)
        apart[key].push_back(task);
    }
    for (const auto &[key, tasks] : together)
      for (TaskId task : tasks)
        if (nodeOf(task) != nodeOf(tasks.front()))
          report(ViolationKind::together, title(tasks.front()) + " and " + title(task) + " share together(" +
                                              key + ") but run on " + nodeName(tasks.front()) + " and " +
                                              nodeName(task));
    for (const auto &[key, tasks] : apart) {
      std::map<NodeId, TaskId> first;
      for (TaskId task : tasks) {
        auto [found, isNew] = first.try_emplace(nodeOf(task), task);
        if (!isNew && found->second != task)
          report(ViolationKind::apart, title(found->second) + " and " + title(task) + " share apart(" + key +
                                           ") but both run on " + nodeName(task));
      }
    }
  }

  // --- one task at a time ---

  void checkOverlap() {
    std::vector<TaskId> order;
    std::ranges::copy(graph_.tasks.ids(), std::back_inserter(order));
    std::ranges::sort(order, {}, [this](TaskId task) {
      const Assignment &run = *chosen_[task];
      return std::tuple(run.device, run.start, run.end, task);
    });
    for (std::size_t i = 0; i < order.size();) {
      TaskId longest = order[i++]; // of those before on this device, the one that ends last
      for (; i < order.size() && chosen_[order[i]]->device == chosen_[longest]->device; ++i) {
        if (chosen_[order[i]]->start.value() < chosen_[longest]->end.value() - tolerance_)
          report(ViolationKind::overlap, title(order[i]) + " starts on " + deviceOf(order[i]) + " at " +
                                             exact(chosen_[order[i]]->start) + ", while " + title(longest) +
                                             " runs there until " + exact(chosen_[longest]->end));
        if (chosen_[order[i]]->end > chosen_[longest]->end)
          longest = order[i];
      }
    }
  }

  // --- data arrives in time ---

  bool checkTransfers() {
    const std::size_t before = violations_.size();
    for (std::size_t i = 0; i < placement_.transfers.size(); ++i) {
      const Transfer &transfer = placement_.transfers[i];
      const std::string name = "transfer " + std::to_string(i);
      if (!cluster_.devices.contains(transfer.to) ||
          (transfer.from.valid() && !cluster_.devices.contains(transfer.from)))
        report(ViolationKind::dependency, name + " names a device the cluster does not have");
      else if (!isTime(transfer.start) || !isTime(transfer.end) || transfer.end < transfer.start)
        report(ViolationKind::time, name + " runs from " + exact(transfer.start) + " to " +
                                        exact(transfer.end) +
                                        ": expected two times from 0 on, the end not before the start");
      else if (transfer.dependency && *transfer.dependency >= graph_.dependencies.size())
        report(ViolationKind::dependency, name + " serves a dependency the graph does not have");
      else if (transfer.dependency)
        bySource_[sourceOf(graph_.dependencies[*transfer.dependency])].push_back(&transfer);
    }
    for (const auto &[source, transfers] : bySource_)
      for (const Transfer *transfer : transfers)
        checkOrigin(source, *transfer, transfers);
    return violations_.size() == before;
  }

  /// Data can only leave from where it is: where it was written, or where an earlier transfer took it.
  void checkOrigin(const Source &source, const Transfer &transfer, const std::vector<const Transfer *> &all) {
    const Assignment &writer = *chosen_[source.first];
    if (transfer.start.value() < writer.end.value() - tolerance_) {
      report(ViolationKind::dependency,
             "the data of " + title(source.first) + " leaves for " + deviceName(cluster_, transfer.to) +
                 " at " + exact(transfer.start) + ", before the task ends at " + exact(writer.end));
      return;
    }
    // Data that starts in the host's memory got there from some device of the node, or by the network.
    const bool fromHost = !transfer.from.valid();
    const NodeId node = cluster_.devices[fromHost ? transfer.to : transfer.from].node;
    auto isAt = [&](DeviceId device) {
      return fromHost ? cluster_.devices[device].node == node : device == transfer.from;
    };
    if (isAt(writer.device))
      return;
    for (const Transfer *earlier : all)
      if (earlier != &transfer && isAt(earlier->to) &&
          earlier->end.value() <= transfer.start.value() + tolerance_)
        return;
    report(ViolationKind::dependency, "the data of " + title(source.first) + " leaves " +
                                          (fromHost ? "the memory of " + cluster_.nodes[node].name
                                                    : deviceName(cluster_, transfer.from)) +
                                          " at " + exact(transfer.start) + ", where it has not been");
  }

  void checkDependencies() {
    for (const Dependency &dependency : graph_.dependencies) {
      const Assignment &from = *chosen_[dependency.from], &to = *chosen_[dependency.to];
      if (to.start.value() < from.end.value() - tolerance_)
        report(ViolationKind::dependency, title(dependency.to) + " starts at " + exact(to.start) +
                                              ", before " + title(dependency.from) +
                                              ", which it depends on, ends at " + exact(from.end));
      else if (dependency.size.value() > 0 && from.device != to.device)
        checkArrival(dependency, to);
    }
  }

  /// The bytes must have come to the task's own device, also where a neighbour on its node has them.
  void checkArrival(const Dependency &dependency, const Assignment &to) {
    double arrived = 0;
    auto transfers = bySource_.find(sourceOf(dependency));
    if (transfers != bySource_.end())
      for (const Transfer *transfer : transfers->second)
        if (transfer->to == to.device && transfer->end.value() <= to.start.value() + tolerance_)
          arrived += transfer->size.value();
    if (arrived >= dependency.size.value() * (1 - 1e-9))
      return;
    report(ViolationKind::dependency, title(dependency.to) + " starts on " + deviceOf(dependency.to) +
                                          " at " + exact(to.start) + " with " + toText(Bytes(arrived)) +
                                          " of the " + toText(dependency.size) + " it needs from " +
                                          title(dependency.from) + " on " + deviceOf(dependency.from));
  }

  // --- memory and power ---

  void checkMemory() {
    for (TaskId task : graph_.tasks.ids()) {
      Bytes capacity = modelOf(task).memory;
      Bytes needed = footprint(graph_.tasks[task]);
      if (capacity.value() > 0 && needed > capacity)
        report(ViolationKind::memory, title(task) + " needs " + toText(needed) + " on " + deviceOf(task) +
                                          ", which has " + toText(capacity) + ", at " +
                                          exact(chosen_[task]->start));
    }
  }

  void checkMemoryOverTime() {
    for (const MemoryExcess &excess :
         findMemoryExcess(graph_, cluster_, placement_.transfers, chosen_, tolerance_)) {
      const TaskId running = excess.running;
      if (running.valid() && footprint(graph_.tasks[running]) > modelOf(running).memory)
        continue; // told above
      report(ViolationKind::memory,
             deviceName(cluster_, excess.device) + " holds " + toText(excess.held) + " at " +
                 exact(excess.time) + (running.valid() ? ", while " + title(running) + " runs there" : "") +
                 ", but has " + toText(cluster_.models[cluster_.devices[excess.device].model].memory));
    }
  }

  void checkPower() {
    struct Change {
      NodeId node;
      double time, watts;
      DeviceId device;
    };
    std::vector<Change> changes;
    for (TaskId task : graph_.tasks.ids()) {
      const Assignment &run = *chosen_[task];
      const Device &device = cluster_.devices[run.device];
      double power = cluster_.models[device.model].power.value();
      bool counts = device.gpu && power > 0 && run.end > run.start && typeOf(device.node).powerLimit;
      if (!counts)
        continue;
      changes.push_back({device.node, run.start.value(), power, run.device});
      changes.push_back({device.node, run.end.value(), -power, run.device});
    }
    // What ends at a moment ends before what starts at it.
    std::ranges::sort(
        changes, {}, [](const Change &change) { return std::tuple(change.node, change.time, change.watts); });
    IndexedVector<DeviceId, unsigned> busy(cluster_.devices.size(), 0);
    for (std::size_t i = 0; i < changes.size();) {
      NodeId node = changes[i].node;
      double limit = typeOf(node).powerLimit->value(), draw = 0;
      bool told = false;
      for (; i < changes.size() && changes[i].node == node; ++i) {
        // A GPU that runs two tasks at once, which another rule forbids, still draws only once.
        unsigned &running = busy[changes[i].device];
        bool starts = changes[i].watts > 0;
        if (starts ? running++ == 0 : --running == 0)
          draw += changes[i].watts;
        if (told || draw <= limit * (1 + 1e-9))
          continue;
        told = true; // once per node is enough to act on
        report(ViolationKind::power, "the GPUs of " + cluster_.nodes[node].name + " draw " +
                                         toText(Watts(draw)) + " at " + exact(seconds(changes[i].time)) +
                                         ", above its limit of " + toText(Watts(limit)));
      }
    }
  }

  // --- words ---

  void report(ViolationKind kind, std::string message) { violations_.push_back({kind, std::move(message)}); }

  std::string title(TaskId id) const {
    const Task &task = graph_.tasks[id];
    return "task '" + task.id + "'" +
           (task.name.empty() || task.name == task.id ? "" : " (" + task.name + ")");
  }
  std::string deviceOf(TaskId task) const { return deviceName(cluster_, chosen_[task]->device); }
  NodeId nodeOf(TaskId task) const { return cluster_.devices[chosen_[task]->device].node; }
  const std::string &nodeName(TaskId task) const { return cluster_.nodes[nodeOf(task)].name; }
  const GpuModel &modelOf(TaskId task) const {
    return cluster_.models[cluster_.devices[chosen_[task]->device].model];
  }
  const NodeType &typeOf(NodeId node) const { return cluster_.nodeTypes[cluster_.nodes[node].type]; }
  static Source sourceOf(const Dependency &dependency) { return {dependency.from, dependency.buffer}; }
  static bool isTime(Seconds time) { return std::isfinite(time.value()) && time.value() >= 0; }

  /// All digits that matter: two times that differ must not print the same.
  static std::string exact(Seconds time) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g s", time.value());
    return text;
  }

  const TaskGraph &graph_;
  const Cluster &cluster_;
  const Placement &placement_;
  IndexedVector<TaskId, const Assignment *> chosen_;
  std::map<Source, std::vector<const Transfer *>> bySource_;
  double tolerance_ = 0; ///< of sums of floating-point times
  std::vector<Violation> violations_;
};

} // namespace

std::vector<Violation> findViolations(const TaskGraph &graph, const Cluster &cluster,
                                      const Placement &placement) {
  return Judge(graph, cluster, placement).judge();
}

} // namespace streammap
