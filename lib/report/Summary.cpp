#include "report/Summary.h"
#include "report/MeasuredTrace.h"
#include <algorithm>
#include <unordered_map>

namespace streammap {
namespace {

/// Times that meet within this share of the makespan are the same moment: schedules are sums of doubles.
constexpr double sameMoment = 1e-9;

std::string classOf(const std::string &taskName) {
  return taskName.substr(0, taskName.find_first_of("[#"));
}

std::string gridText(const std::array<std::uint64_t, 3> &d) {
  return std::to_string(d[0]) + "x" + std::to_string(d[1]) + "x" + std::to_string(d[2]);
}

std::string launchText(const TaskGraph &graph, const Task &task) {
  std::string text;
  for (const Launch &launch : task.launches) {
    if (!text.empty())
      text += "; ";
    const Kernel *kernel = graph.kernels.contains(launch.kernel) ? &graph.kernels[launch.kernel] : nullptr;
    text +=
        (kernel ? kernel->name : "?") + " " + gridText(launch.grid) + " blocks of " + gridText(launch.block);
    if (kernel && !kernel->resources.empty()) {
      const auto &[architecture, resources] = *kernel->resources.begin();
      text += ", " + std::to_string(resources.registersPerThread) + " registers (" + architecture + ")";
    }
  }
  return text;
}

/// What a task holds on its device: as given, else the bytes of its accesses.
Bytes footprint(const Task &task) {
  if (task.deviceMemory)
    return *task.deviceMemory;
  Bytes sum;
  for (const Access &access : task.accesses)
    sum += bytes(static_cast<double>(access.region.bytes()));
  return sum;
}

class Collector {
public:
  Collector(const TaskGraph &graph, const Cluster &cluster, const Placement &placement,
            const MeasuredRun *measured)
      : graph_(graph), cluster_(cluster), placement_(placement), measured_(measured),
        epsilon_(placement.predicted.makespan * sameMoment) {}

  ReportData collect() {
    describeInputs();
    collectDevices();
    collectTasks();
    collectTransfers();
    collectNodes();
    collectLinks();
    collectMemory();
    collectChain();
    collectWarnings();
    return std::move(data_);
  }

private:
  Share shareOfMakespan(Seconds time) const {
    const double makespan = placement_.predicted.makespan.value();
    return makespan > 0 ? time.value() / makespan : 0;
  }

  void describeInputs() {
    data_.sources = graph_.program.sources;
    data_.arguments = graph_.program.arguments;
    data_.parameters = graph_.program.parameters;
    data_.clusterName = cluster_.name;
    data_.nodeCount = cluster_.nodes.size();
    // The cores of a node count as a device only where they run something.
    IndexedVector<DeviceId, char> counts(cluster_.devices.size());
    for (DeviceId device : cluster_.devices.ids())
      counts[device] = cluster_.devices[device].gpu.has_value();
    for (const DeviceUse &use : placement_.devices)
      counts[use.device] = 1;
    for (DeviceId device : cluster_.devices.ids()) {
      data_.deviceCount += counts[device];
      data_.unavailableDevices += counts[device] && cluster_.devices[device].state != State::up;
    }
    data_.dependencyCount = graph_.dependencies.size();
    data_.predicted = placement_.predicted;
    data_.solver = placement_.solver;
    if (measured_)
      data_.measuredMakespan = measured_->makespan;
  }

  void collectDevices() {
    rowOfDevice_.assign(cluster_.devices.size(), 0);
    std::vector<DeviceUse> uses = placement_.devices;
    std::ranges::sort(uses, {}, &DeviceUse::device);
    for (const DeviceUse &use : uses) {
      const Device &device = cluster_.devices[use.device];
      const GpuModel &model = cluster_.models[device.model];
      rowOfDevice_[use.device] = data_.devices.size();
      data_.devices.push_back({deviceName(cluster_, use.device), cluster_.nodes[device.node].name, model.name,
                               0, use.busy, shareOfMakespan(use.busy), use.peakMemory, model.memory});
      deviceOfRow_.push_back(use.device);
      data_.totalBusy += use.busy;
    }
    if (!data_.devices.empty())
      data_.utilisation = shareOfMakespan(data_.totalBusy) / static_cast<double>(data_.devices.size());
  }

  void collectTasks() {
    std::map<std::string, ClassRow> classes;
    assignmentOf_.assign(graph_.tasks.size(), placement_.assignments.size());
    for (std::size_t i = 0; i < placement_.assignments.size(); ++i) {
      const Assignment &assignment = placement_.assignments[i];
      const Task &task = graph_.tasks[assignment.task];
      assignmentOf_[assignment.task] = i;
      TaskRow row;
      row.id = task.id;
      row.name = task.name.empty() ? task.id : task.name;
      row.taskClass = classOf(row.name);
      row.location = task.location;
      row.device = rowOfDevice_[assignment.device];
      row.start = assignment.start;
      row.end = assignment.end;
      row.origin = toText(originOf(task, assignment));
      row.limiter = assignment.limiter;
      if (task.work) {
        for (Flops f : task.work->flops)
          row.flops += f;
        row.dram = task.work->dram;
      }
      row.memory = footprint(task);
      row.launch = launchText(graph_, task);
      if (measured_)
        if (auto found = measured_->tasks.find(row.name); found != measured_->tasks.end())
          row.measured = found->second;
      ++data_.devices[row.device].tasks;
      ClassRow &taskClass = classes[row.taskClass];
      ++taskClass.tasks;
      taskClass.total += assignment.end - assignment.start;
      data_.tasks.push_back(std::move(row));
    }
    for (auto &[name, row] : classes) {
      row.name = name;
      row.share = data_.totalBusy > Seconds() ? row.total / data_.totalBusy : 0;
      data_.classes.push_back(row);
    }
    std::ranges::stable_sort(data_.classes, std::greater{}, &ClassRow::total);
  }

  static Origin originOf(const Task &task, const Assignment &assignment) {
    if (assignment.origin != Origin::unknown)
      return assignment.origin;
    if (!task.seconds.empty())
      return task.secondsOrigin;
    return task.work ? task.work->origin : Origin::defaulted;
  }

  std::string transferName(const Transfer &transfer) const {
    if (transfer.buffer && graph_.buffers.contains(*transfer.buffer)) {
      const Buffer &buffer = graph_.buffers[*transfer.buffer];
      return buffer.name.empty() ? buffer.id : buffer.name;
    }
    if (transfer.dependency && *transfer.dependency < graph_.dependencies.size()) {
      const Dependency &dependency = graph_.dependencies[*transfer.dependency];
      return nameOf(dependency.from) + " -> " + nameOf(dependency.to);
    }
    return "data";
  }

  std::string nameOf(TaskId task) const {
    const Task &t = graph_.tasks[task];
    return t.name.empty() ? t.id : t.name;
  }

  std::string endName(DeviceId device, DeviceId other) const {
    return device.valid() ? deviceName(cluster_, device)
                          : cluster_.nodes[cluster_.devices[other].node].name + ":host";
  }

  void collectTransfers() {
    for (const Transfer &transfer : placement_.transfers) {
      data_.transfers.push_back({transferName(transfer), endName(transfer.from, transfer.to),
                                 endName(transfer.to, transfer.from), transfer.size, transfer.start,
                                 transfer.end, transfer.route});
      data_.moved += transfer.size;
    }
  }

  void collectNodes() {
    std::map<NodeId, NodeRow> nodes;
    auto rowOf = [&](NodeId id) -> NodeRow & {
      auto [found, inserted] = nodes.try_emplace(id);
      if (inserted) {
        const Node &node = cluster_.nodes[id];
        found->second.name = node.name;
        found->second.type = cluster_.nodeTypes[node.type].name;
        found->second.leaf = node.leaf ? cluster_.network.switches[*node.leaf].name : "";
      }
      return found->second;
    };
    for (std::size_t row = 0; row < data_.devices.size(); ++row) {
      NodeRow &node = rowOf(cluster_.devices[deviceOfRow_[row]].node);
      ++node.devicesUsed;
      node.tasks += data_.devices[row].tasks;
      node.busy += data_.devices[row].busy;
    }
    for (const Device &device : cluster_.devices)
      if (auto found = nodes.find(device.node); found != nodes.end())
        ++found->second.devices;
    for (const Transfer &transfer : placement_.transfers) {
      if (!transfer.from.valid() || !transfer.to.valid())
        continue;
      const NodeId from = cluster_.devices[transfer.from].node, to = cluster_.devices[transfer.to].node;
      if (from == to)
        continue;
      rowOf(from).sent += transfer.size;
      rowOf(to).received += transfer.size;
    }
    for (auto &[id, row] : nodes) {
      if (row.devices != 0)
        row.utilisation = shareOfMakespan(row.busy) / static_cast<double>(row.devices);
      data_.nodes.push_back(std::move(row));
    }
  }

  void collectLinks() {
    for (const LinkUse &use : placement_.links)
      data_.links.push_back({use.link, use.size, use.busy, shareOfMakespan(use.busy)});
    std::ranges::sort(data_.links, [](const LinkRow &a, const LinkRow &b) {
      return a.utilisation != b.utilisation ? a.utilisation > b.utilisation : a.name < b.name;
    });
  }

  void collectMemory() {
    data_.memory.resize(data_.devices.size());
    tasksOfRow_.resize(data_.devices.size());
    for (std::size_t task = 0; task < data_.tasks.size(); ++task)
      tasksOfRow_[data_.tasks[task].device].push_back(task);
    for (std::size_t row = 0; row < data_.devices.size(); ++row) {
      std::ranges::stable_sort(tasksOfRow_[row], {},
                               [&](std::size_t task) { return data_.tasks[task].start; });
      auto &points = data_.memory[row];
      points.push_back({Seconds(), Bytes()});
      for (std::size_t task : tasksOfRow_[row]) {
        if (points.back().time == data_.tasks[task].start)
          points.pop_back();
        points.push_back({data_.tasks[task].start, data_.tasks[task].memory});
        points.push_back({data_.tasks[task].end, Bytes()});
      }
    }
  }

  // The chain: from the task that ends last, back to what each step waited for. A step is explained by
  // whatever ended exactly when it started: data arriving, a predecessor, or the task before it on the
  // device.
  void collectChain() {
    if (placement_.assignments.empty())
      return;
    indexForChain();
    std::size_t current = 0;
    for (std::size_t i = 0; i < placement_.assignments.size(); ++i)
      if (placement_.assignments[i].end > placement_.assignments[current].end)
        current = i;
    std::vector<ChainStep> reversed;
    while (true) {
      const Assignment &assignment = placement_.assignments[current];
      ChainStep step{ChainKind::task,
                     nameOf(assignment.task),
                     deviceName(cluster_, assignment.device),
                     assignment.start,
                     assignment.end,
                     ChainReason::programStart,
                     {}};
      if (assignment.start <= epsilon_) {
        reversed.push_back(std::move(step));
        break;
      }
      if (const Transfer *transfer = arrivingAt(assignment)) {
        step.reason = ChainReason::data;
        reversed.push_back(std::move(step));
        reversed.push_back(transferStep(*transfer));
        const std::optional<std::size_t> producer = producerOf(*transfer, assignment.task);
        if (!producer)
          break;
        current = *producer;
        continue;
      }
      const std::optional<std::size_t> before = endingAt(assignment);
      if (before) {
        const Assignment &blocker = placement_.assignments[*before];
        step.reason =
            isPredecessor(blocker.task, assignment.task) ? ChainReason::predecessor : ChainReason::device;
        step.blocker = nameOf(blocker.task);
        reversed.push_back(std::move(step));
        current = *before;
        continue;
      }
      step.reason = ChainReason::schedule;
      reversed.push_back(std::move(step));
      const std::optional<std::size_t> earlier = lastBefore(assignment);
      const Seconds from = earlier ? placement_.assignments[*earlier].end : Seconds();
      reversed.push_back({ChainKind::idle,
                          "nothing",
                          deviceName(cluster_, assignment.device),
                          from,
                          assignment.start,
                          ChainReason::schedule,
                          {}});
      if (!earlier)
        break;
      current = *earlier;
    }
    data_.chain.assign(reversed.rbegin(), reversed.rend());
    for (const ChainStep &step : data_.chain) {
      const Seconds length = step.end - step.start;
      (step.kind == ChainKind::task       ? data_.chainShares.compute
       : step.kind == ChainKind::transfer ? data_.chainShares.transfer
                                          : data_.chainShares.idle) += length;
    }
  }

  void indexForChain() {
    predecessors_.assign(graph_.tasks.size(), {});
    for (const Dependency &dependency : graph_.dependencies)
      predecessors_[dependency.to].push_back(dependency.from);
    for (const Transfer &transfer : placement_.transfers)
      if (transfer.to.valid())
        arrivals_[transfer.to.index()].push_back(&transfer);
  }

  bool isPredecessor(TaskId from, TaskId to) const {
    return std::ranges::find(predecessors_[to], from) != predecessors_[to].end();
  }

  bool sameTime(Seconds a, Seconds b) const { return a - b <= epsilon_ && b - a <= epsilon_; }

  /// A transfer of one of the task's buffers or dependencies that ended when the task started.
  const Transfer *arrivingAt(const Assignment &assignment) const {
    const auto found = arrivals_.find(assignment.device.index());
    if (found == arrivals_.end())
      return nullptr;
    for (const Transfer *transfer : found->second)
      if (sameTime(transfer->end, assignment.start) && serves(*transfer, assignment.task))
        return transfer;
    return nullptr;
  }

  bool serves(const Transfer &transfer, TaskId task) const {
    if (transfer.dependency && *transfer.dependency < graph_.dependencies.size()) {
      const TaskId from = graph_.dependencies[*transfer.dependency].from;
      if (graph_.dependencies[*transfer.dependency].to == task || isPredecessor(from, task))
        return true;
    }
    return transfer.buffer && std::ranges::any_of(graph_.tasks[task].accesses, [&](const Access &access) {
             return access.buffer == *transfer.buffer && access.mode != AccessMode::out;
           });
  }

  ChainStep transferStep(const Transfer &transfer) const {
    return {ChainKind::transfer,
            transferName(transfer),
            endName(transfer.from, transfer.to) + " -> " + endName(transfer.to, transfer.from),
            transfer.start,
            transfer.end,
            ChainReason::predecessor,
            transfer.route.empty() ? "" : transfer.route.front()};
  }

  /// The assignment whose output the transfer carries.
  std::optional<std::size_t> producerOf(const Transfer &transfer, TaskId consumer) const {
    if (transfer.dependency && *transfer.dependency < graph_.dependencies.size())
      return assignmentOf_[graph_.dependencies[*transfer.dependency].from];
    std::optional<std::size_t> best;
    for (TaskId from : predecessors_[consumer]) {
      const std::size_t i = assignmentOf_[from];
      if (i < placement_.assignments.size() && placement_.assignments[i].end <= transfer.start + epsilon_ &&
          transfer.from.valid() && placement_.assignments[i].device == transfer.from &&
          (!best || placement_.assignments[i].end > placement_.assignments[*best].end))
        best = i;
    }
    return best;
  }

  /// A predecessor, or else the task before it on its device, that ended when this one started.
  std::optional<std::size_t> endingAt(const Assignment &assignment) const {
    for (TaskId from : predecessors_[assignment.task])
      if (const std::size_t i = assignmentOf_[from];
          i < placement_.assignments.size() && sameTime(placement_.assignments[i].end, assignment.start))
        return i;
    const std::optional<std::size_t> before = lastBefore(assignment);
    if (before && sameTime(placement_.assignments[*before].end, assignment.start))
      return before;
    return std::nullopt;
  }

  std::optional<std::size_t> lastBefore(const Assignment &assignment) const {
    const auto &row = tasksOfRow_[rowOfDevice_[assignment.device]];
    const auto next = std::ranges::lower_bound(row, assignment.start - epsilon_, {},
                                               [&](std::size_t task) { return data_.tasks[task].start; });
    if (next == row.begin())
      return std::nullopt;
    return *std::prev(next); // rows of data_.tasks and assignments share their order
  }

  void collectWarnings() {
    for (const std::string &free : cluster_.takenAsFree)
      data_.warnings.push_back({"taken-as-free", free, "", "describe it in the cluster file"});
    for (const Kernel &kernel : graph_.kernels)
      for (const UnknownCost &unknown : kernel.unknowns)
        data_.warnings.push_back({"unknown-cost",
                                  kernel.name + ": " + unknown.metric + " is unknown: " + unknown.reason,
                                  unknown.location, unknown.remedy});
    std::map<std::string, std::pair<std::size_t, std::string>> defaults; // class -> count, first location
    for (const TaskRow &task : data_.tasks)
      if (task.origin == toText(Origin::defaulted) || task.origin == toText(Origin::unknown)) {
        auto &[count, location] = defaults[task.taskClass];
        if (count++ == 0)
          location = task.location;
      }
    for (const auto &[name, rest] : defaults)
      data_.warnings.push_back({"default-estimate",
                                std::to_string(rest.first) + " task" + (rest.first == 1 ? "" : "s") +
                                    " of '" + name + "' " + (rest.first == 1 ? "rests" : "rest") +
                                    " on a default time",
                                rest.second, "add a flops(), bytes() or seconds() clause"});
    for (DeviceId id : cluster_.devices.ids())
      if (const Device &device = cluster_.devices[id];
          device.state != State::up && cluster_.nodes[device.node].state == State::up)
        data_.warnings.push_back({"unavailable",
                                  deviceName(cluster_, id) + " is " + std::string(toText(device.state)) +
                                      (device.reason.empty() ? "" : " (" + device.reason + ")"),
                                  "", ""});
    for (const Node &node : cluster_.nodes)
      if (node.state != State::up)
        data_.warnings.push_back({"unavailable",
                                  node.name + " is " + std::string(toText(node.state)) +
                                      (node.reason.empty() ? "" : " (" + node.reason + ")"),
                                  "", ""});
  }

  const TaskGraph &graph_;
  const Cluster &cluster_;
  const Placement &placement_;
  const MeasuredRun *measured_;
  Seconds epsilon_;
  ReportData data_;
  IndexedVector<DeviceId, std::size_t> rowOfDevice_;
  std::vector<DeviceId> deviceOfRow_;
  IndexedVector<TaskId, std::size_t> assignmentOf_;
  std::vector<std::vector<std::size_t>> tasksOfRow_;
  IndexedVector<TaskId, std::vector<TaskId>> predecessors_;
  std::unordered_map<std::size_t, std::vector<const Transfer *>> arrivals_;
};

} // namespace

std::string reasonText(const ChainStep &step) {
  if (step.kind == ChainKind::idle)
    return "";
  if (step.kind == ChainKind::transfer)
    return step.blocker.empty() ? "" : "over " + step.blocker;
  switch (step.reason) {
  case ChainReason::programStart:
    return "starts with the program";
  case ChainReason::data:
    return "waited for its data";
  case ChainReason::predecessor:
    return "waited for " + step.blocker;
  case ChainReason::device:
    return "device was busy with " + step.blocker;
  case ChainReason::schedule:
    return "held back by the schedule";
  }
  return "";
}

ReportData collect(const TaskGraph &graph, const Cluster &cluster, const Placement &placement,
                   const MeasuredRun *measured) {
  return Collector(graph, cluster, placement, measured).collect();
}

} // namespace streammap
