#include "report/Summary.h"
#include "model/Footprint.h"
#include "model/Occupancy.h"
#include "report/Chain.h"
#include "report/MeasuredTrace.h"
#include "report/Remarks.h"
#include <algorithm>

namespace streammap {
namespace {

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

std::vector<LaunchRow> launchRows(const TaskGraph &graph, const Task &task, const GpuModel &model) {
  std::vector<LaunchRow> rows;
  const MultiprocessorLimits *limits = limitsOf(model.capability);
  if (!limits || model.multiprocessors == 0)
    return rows;
  for (const Launch &launch : task.launches) {
    const Kernel *kernel = graph.kernels.contains(launch.kernel) ? &graph.kernels[launch.kernel] : nullptr;
    const KernelResources *resources = kernel ? resourcesFor(*kernel, model.capability) : nullptr;
    const Occupancy occupancy = occupancyOf(resources ? *resources : KernelResources(), launch, *limits);
    const WavePlan plan = wavesOf(blocksOf(launch), std::max(1u, occupancy.blocks), model.multiprocessors);
    rows.push_back({kernel ? kernel->name : "?", blocksOf(launch), occupancy.blocks,
                    std::string(toText(occupancy.limiter)), occupancy.share(), plan.waves,
                    plan.multiprocessorsNeeded, plan.tail(), resources != nullptr});
  }
  return rows;
}

class Collector {
public:
  Collector(const TaskGraph &graph, const Cluster &cluster, const Placement &placement,
            const MeasuredRun *measured)
      : graph_(graph), cluster_(cluster), placement_(placement), measured_(measured), names_(graph, cluster) {
  }

  ReportData collect() {
    describeInputs();
    collectDevices();
    collectTasks();
    collectTransfers();
    collectNodes();
    collectLinks();
    collectMemory();
    collectChain();
    data_.warnings = remarksOn(graph_, cluster_, placement_, data_.tasks);
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
    counts_.assign(cluster_.devices.size(), 0);
    for (DeviceId device : cluster_.devices.ids())
      counts_[device] = cluster_.devices[device].gpu.has_value();
    for (const DeviceUse &use : placement_.devices)
      counts_[use.device] = 1;
    for (DeviceId device : cluster_.devices.ids()) {
      data_.deviceCount += counts_[device];
      data_.unavailableDevices += counts_[device] && cluster_.devices[device].state != State::up;
    }
    data_.dependencyCount = graph_.dependencies.size();
    data_.predicted = placement_.predicted;
    data_.solver = placement_.solver;
    if (measured_) {
      data_.measuredMakespan = measured_->makespan;
      data_.measuredOn = measured_->devices;
    }
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
    for (const Assignment &assignment : placement_.assignments) {
      const Task &task = graph_.tasks[assignment.task];
      TaskRow row;
      row.id = task.id;
      row.name = names_.task(assignment.task);
      row.taskClass = classOf(row.name);
      row.location = task.location;
      row.device = rowOfDevice_[assignment.device];
      row.start = assignment.start;
      row.end = assignment.end;
      row.origin = toText(originOf(task, assignment));
      row.limiter = assignment.limiter;
      row.low = assignment.low;
      row.high = assignment.high;
      if (task.work) {
        for (Flops f : task.work->flops)
          row.flops += f;
        row.dram = task.work->dram;
      }
      row.memory = footprint(task);
      row.launch = launchText(graph_, task);
      row.launches = launchRows(graph_, task, cluster_.models[cluster_.devices[assignment.device].model]);
      if (measured_)
        if (auto found = measured_->tasks.find(row.name); found != measured_->tasks.end()) {
          row.measured = found->second.time;
          row.measuredStart = found->second.start;
          row.measuredOn = found->second.device;
        }
      ++data_.devices[row.device].tasks;
      data_.tasks.push_back(std::move(row));
    }
    collectClasses();
    collectAssumed();
  }

  void collectClasses() {
    std::map<std::string, ClassRow> classes;
    std::map<std::string, std::map<std::string, Seconds>> limiters; // by class and limiter
    for (const TaskRow &task : data_.tasks) {
      const Seconds time = task.end - task.start;
      ClassRow &row = classes[task.taskClass];
      ++row.tasks;
      row.defaults += task.isAssumed();
      row.total += time;
      if (!task.limiter.empty())
        limiters[task.taskClass][task.limiter] += time;
      if (task.measured) {
        ++row.measuredTasks;
        row.measured += *task.measured;
        row.predictedOfMeasured += time;
      }
    }
    for (auto &[name, row] : classes) {
      row.name = name;
      row.share = data_.totalBusy > Seconds() ? row.total / data_.totalBusy : 0;
      std::vector<std::pair<std::string, Seconds>> byTime(limiters[name].begin(), limiters[name].end());
      std::ranges::stable_sort(byTime, std::greater{}, &std::pair<std::string, Seconds>::second);
      for (auto &[limiter, time] : byTime)
        row.limiters.push_back(std::move(limiter));
      data_.classes.push_back(std::move(row));
    }
    std::ranges::stable_sort(data_.classes, std::greater{}, &ClassRow::total);
  }

  void collectAssumed() {
    std::vector<Seconds> times;
    for (const TaskRow &task : data_.tasks)
      if (task.isAssumed()) {
        times.push_back(task.end - task.start);
        data_.assumed += times.back();
      }
    data_.assumedTasks = times.size();
    if (times.empty())
      return;
    if (data_.totalBusy > Seconds())
      data_.assumedShare = data_.assumed / data_.totalBusy;
    // Ends are sums of doubles, so equal times differ in the last digits: what is printed decides.
    const auto [least, most] = std::ranges::minmax(times);
    if (toText(least) == toText(most))
      data_.assumedEach = least;
  }

  static Origin originOf(const Task &task, const Assignment &assignment) {
    if (assignment.origin != Origin::unknown)
      return assignment.origin;
    if (!task.seconds.empty())
      return task.secondsOrigin;
    return task.work ? task.work->origin : Origin::defaulted;
  }

  void collectTransfers() {
    for (const Transfer &transfer : placement_.transfers) {
      data_.transfers.push_back({names_.carried(transfer), names_.source(transfer),
                                 deviceName(cluster_, transfer.to), transfer.size, transfer.start,
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
    for (DeviceId device : cluster_.devices.ids())
      if (auto found = nodes.find(cluster_.devices[device].node); found != nodes.end())
        found->second.devices += counts_[device];
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
    IndexedVector<DeviceId, std::vector<HeldMemory>> held = memoryOverTime(graph_, cluster_, placement_);
    for (DeviceId device : deviceOfRow_)
      data_.memory.push_back(std::move(held[device]));
  }

  void collectChain() {
    data_.chain = bindingChain(graph_, cluster_, placement_);
    for (const ChainStep &step : data_.chain) {
      const Seconds length = step.end - step.start;
      (step.kind == ChainKind::task       ? data_.chainShares.compute
       : step.kind == ChainKind::transfer ? data_.chainShares.transfer
                                          : data_.chainShares.idle) += length;
    }
  }

  const TaskGraph &graph_;
  const Cluster &cluster_;
  const Placement &placement_;
  const MeasuredRun *measured_;
  PlacementNames names_;
  ReportData data_;
  IndexedVector<DeviceId, char> counts_; ///< is a device for the reader: a GPU, or cores that run something
  IndexedVector<DeviceId, std::size_t> rowOfDevice_;
  std::vector<DeviceId> deviceOfRow_;
};

} // namespace

ReportData collect(const TaskGraph &graph, const Cluster &cluster, const Placement &placement,
                   const MeasuredRun *measured) {
  return Collector(graph, cluster, placement, measured).collect();
}

} // namespace streammap
