#include "mapper/Conflicts.h"
#include "mapper/Levers.h"
#include "mapper/Requirements.h"
#include "mapper/Retime.h"
#include "model/Footprint.h"
#include "model/GpuCatalogue.h"
#include "support/Columns.h"
#include "support/Text.h"
#include <algorithm>

namespace streammap {
namespace {

constexpr std::size_t mostMoreNodes = 1024;
constexpr std::size_t mostRemedies = 8;
constexpr std::size_t mostBuffers = 5;
constexpr std::size_t mostNotes = 12;

class Finder {
public:
  Finder(const TaskGraph &graph, const Cluster &cluster)
      : graph_(graph), cluster_(cluster), facts_(graph, cluster), states_(statesOf(cluster)) {}

  std::optional<Conflict> find() {
    std::vector<TaskId> tasks;
    std::ranges::copy(graph_.tasks.ids(), std::back_inserter(tasks));
    std::optional<std::vector<TaskId>> core = contradiction(facts_, cluster_, tasks, requirementsFor(tasks));
    if (!core)
      return std::nullopt;
    tasks_ = fewerTasks(std::move(*core));
    Conflict conflict;
    conflict.requirements = minimal(requirementsFor(tasks_));
    minimal_ = conflict.requirements;
    if (tasks_.size() == 1)
      conflict.nearest = nearest(tasks_.front());
    conflict.remedies = remedies();
    for (Requirement &one : conflict.requirements)
      if (one.kind == RequirementKind::memory)
        one.need = facts_.memoryNeed(one.task);
    return conflict;
  }

private:
  std::vector<Requirement> requirementsFor(const std::vector<TaskId> &tasks) const {
    std::vector<Requirement> all = states_;
    for (TaskId task : tasks)
      for (Requirement &one : requirementsOf(graph_, task))
        all.push_back(std::move(one));
    return all;
  }

  bool contradicts(const std::vector<TaskId> &tasks, const std::vector<Requirement> &requirements) const {
    return contradiction(facts_, cluster_, tasks, requirements).has_value();
  }

  /// Tasks without which the rest is contradictory too are left out, large parts first.
  std::vector<TaskId> fewerTasks(std::vector<TaskId> tasks) const {
    for (std::size_t chunk = tasks.size() / 2; chunk >= 1; chunk /= 2)
      for (std::size_t begin = 0; begin < tasks.size() && tasks.size() > 1;) {
        const std::size_t end = std::min(begin + chunk, tasks.size());
        std::vector<TaskId> fewer(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(begin));
        fewer.insert(fewer.end(), tasks.begin() + static_cast<std::ptrdiff_t>(end), tasks.end());
        if (!fewer.empty() && contradicts(fewer, requirementsFor(fewer)))
          tasks = std::move(fewer);
        else
          begin = end;
      }
    return tasks;
  }

  std::vector<Requirement> minimal(std::vector<Requirement> requirements) const {
    for (std::size_t i = 0; i < requirements.size();) {
      std::vector<Requirement> fewer = requirements;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (contradicts(tasks_, fewer))
        requirements = std::move(fewer);
      else
        ++i;
    }
    return requirements;
  }

  // --- the nearest device ---

  bool isUp(DeviceId id) const {
    return cluster_.devices[id].state == State::up &&
           cluster_.nodes[cluster_.devices[id].node].state == State::up;
  }

  std::vector<RequirementKind> failsOn(TaskId task, DeviceId device) const {
    std::vector<RequirementKind> kinds;
    for (const Requirement &one : requirementsOf(graph_, task)) {
      const bool elsewhere =
          one.kind == RequirementKind::node &&
          facts_.nodeNamed(*graph_.tasks[task].constraints.node) != cluster_.devices[device].node;
      if (elsewhere || !facts_.holdsOn(one.kind, task, cluster_.models[cluster_.devices[device].model]))
        kinds.push_back(one.kind);
    }
    return kinds;
  }

  /// Of the devices that are up, the one that fails the fewest requirements, then the one with most memory.
  std::optional<NearestDevice> nearest(TaskId task) const {
    std::optional<DeviceId> best;
    std::vector<RequirementKind> bestFails;
    for (DeviceId device : cluster_.devices.ids()) {
      if (!isUp(device))
        continue;
      std::vector<RequirementKind> fails = failsOn(task, device);
      const bool better = !best || distance(fails) < distance(bestFails) ||
                          (distance(fails) == distance(bestFails) && memoryOf(device) > memoryOf(*best));
      if (better) {
        best = device;
        bestFails = std::move(fails);
      }
    }
    if (!best || bestFails.empty())
      return std::nullopt;
    NearestDevice nearest{task, *best, "", Bytes(), {}};
    std::vector<std::string> lacks;
    for (RequirementKind kind : bestFails)
      lacks.push_back(lack(kind, task, *best));
    nearest.lacks = join(lacks, ", ");
    if (std::ranges::find(bestFails, RequirementKind::memory) != bestFails.end()) {
      nearest.needed = facts_.memoryNeed(task);
      nearest.buffers = buffersOf(task);
    }
    return nearest;
  }

  /// Another kind of device is farther away than any shortage.
  static std::size_t distance(const std::vector<RequirementKind> &fails) {
    const bool otherKind = std::ranges::find(fails, RequirementKind::device) != fails.end();
    return fails.size() + (otherKind ? 100 : 0);
  }

  Bytes memoryOf(DeviceId device) const {
    const Bytes memory = cluster_.models[cluster_.devices[device].model].memory;
    return memory == Bytes() ? Bytes(std::numeric_limits<double>::infinity()) : memory;
  }

  std::string lack(RequirementKind kind, TaskId task, DeviceId device) const {
    const GpuModel &model = cluster_.models[cluster_.devices[device].model];
    const Constraints &wants = graph_.tasks[task].constraints;
    switch (kind) {
    case RequirementKind::memory:
      return toText(facts_.memoryNeed(task) - model.memory) + " of memory (it has " + toText(model.memory) +
             ")";
    case RequirementKind::capability:
      return "compute capability " + *wants.capability + " (it has " + model.capability + ")";
    case RequirementKind::models:
      return "to be a " + join(wants.models, " or ");
    case RequirementKind::node:
      return "to be on node " + *wants.node;
    case RequirementKind::device:
      return wants.device == DeviceKind::cpu ? "to be a node's cores" : "to be a GPU";
    case RequirementKind::time: {
      const std::optional<std::string> cannot =
          whyItCannotStart(graph_.tasks[task], model, {graph_.kernels.begin(), graph_.kernels.end()});
      return cannot ? "room for a block: " + *cannot : "a known time for the task";
    }
    case RequirementKind::together:
    case RequirementKind::apart:
    case RequirementKind::state:
      break;
    }
    return "";
  }

  std::vector<BufferShare> buffersOf(TaskId id) const {
    const Task &task = graph_.tasks[id];
    std::vector<BufferShare> shares;
    for (BufferId buffer : graph_.buffers.ids()) {
      Task part;
      std::ranges::copy_if(task.accesses, std::back_inserter(part.accesses),
                           [&](const Access &access) { return access.buffer == buffer; });
      if (!part.accesses.empty()) {
        const std::string &name = graph_.buffers[buffer].name;
        shares.push_back({name.empty() ? graph_.buffers[buffer].id : name, footprint(part)});
      }
    }
    std::ranges::stable_sort(shares, std::greater{}, &BufferShare::size);
    if (shares.size() > mostBuffers)
      shares.resize(mostBuffers);
    return shares;
  }

  // --- what would help: each is tried on all requirements of the tasks concerned ---

  bool helps(const Cluster &cluster, const std::vector<Requirement> &requirements) const {
    return !contradiction(facts_, cluster, tasks_, requirements);
  }

  std::vector<std::string> remedies() const {
    std::vector<std::string> found;
    const std::vector<Requirement> all = requirementsFor(tasks_);
    for (const Requirement &one : minimal_)
      if (one.kind == RequirementKind::state) {
        std::vector<Requirement> others = all;
        std::erase(others, one);
        if (helps(cluster_, others))
          found.push_back("when " +
                          (one.gpu.valid() ? deviceName(cluster_, one.gpu) : cluster_.nodes[one.node].name) +
                          " is up again");
      }
    addLargerGpus(found, all);
    addMoreNodes(found, all);
    for (const Requirement &one : minimal_) {
      std::vector<Requirement> others = all;
      std::erase(others, one);
      if (one.kind != RequirementKind::state && helps(cluster_, others))
        found.push_back(without(one));
    }
    if (found.size() > mostRemedies)
      found.resize(mostRemedies);
    return found;
  }

  std::string without(const Requirement &one) const {
    const Constraints &wants = graph_.tasks[one.task].constraints;
    const std::string &task = taskName(graph_, one.task);
    switch (one.kind) {
    case RequirementKind::memory:
      return "if " + task + " needed at most " + toText(mostMemory(one.task)) + " at a time";
    case RequirementKind::together:
      return "without " + task + " in together(" + one.key + ")";
    case RequirementKind::apart:
      return "without " + task + " in apart(" + one.key + ")";
    case RequirementKind::node:
      return "without node(" + *wants.node + ") of " + task;
    case RequirementKind::capability:
      return "without capability(" + *wants.capability + ") of " + task;
    case RequirementKind::models:
      return "without model(" + join(wants.models, ", ") + ") of " + task;
    case RequirementKind::device:
      return "with device(any) for " + task;
    case RequirementKind::time:
      return "with seconds() for " + task + " on that model";
    case RequirementKind::state:
      break;
    }
    return "";
  }

  /// Of the devices that are up and have everything else the task asks for.
  Bytes mostMemory(TaskId task) const {
    Bytes most;
    for (DeviceId device : cluster_.devices.ids())
      if (isUp(device) && failsOn(task, device) == std::vector{RequirementKind::memory})
        most = std::max(most, memoryOf(device));
    return most;
  }

  /// Another model of the catalogue in a node type's place of GPUs: the smallest that helps.
  void addLargerGpus(std::vector<std::string> &found, const std::vector<Requirement> &all) const {
    if (std::ranges::none_of(minimal_, [](const Requirement &one) {
          return one.kind == RequirementKind::memory || one.kind == RequirementKind::capability ||
                 one.kind == RequirementKind::models;
        }))
      return;
    std::vector<GpuModel> models;
    for (const std::string &name : catalogueNames())
      if (std::optional<GpuModel> model = catalogueModel(name); model && !model->isCpu())
        models.push_back(std::move(*model));
    std::ranges::stable_sort(models, {}, &GpuModel::memory);
    for (NodeTypeId type : cluster_.nodeTypes.ids()) {
      const std::vector<GpuModelId> &gpus = cluster_.nodeTypes[type].gpus;
      if (gpus.empty())
        continue;
      const auto helping = std::ranges::find_if(
          models, [&](const GpuModel &model) { return helps(withModel(type, model), all); });
      if (helping != models.end())
        found.push_back("with " + helping->name + " (" + toText(helping->memory) + ") in place of " +
                        cluster_.models[gpus.front()].name + " in nodes of type " +
                        cluster_.nodeTypes[type].name);
    }
  }

  Cluster withModel(NodeTypeId type, const GpuModel &model) const {
    Cluster changed = cluster_;
    const GpuModelId id = changed.models.push(model);
    for (GpuModelId &gpu : changed.nodeTypes[type].gpus)
      gpu = id;
    for (Device &device : changed.devices)
      if (device.gpu && changed.nodes[device.node].type == type)
        device.model = id;
    return changed;
  }

  void addMoreNodes(std::vector<std::string> &found, const std::vector<Requirement> &all) const {
    for (NodeTypeId type : cluster_.nodeTypes.ids()) {
      if (std::ranges::find(cluster_.nodes, type, &Node::type) == cluster_.nodes.end())
        continue;
      auto enough = [&](std::size_t count) { return helps(withMoreNodes(cluster_, type, count), all); };
      std::size_t high = 1;
      while (high <= mostMoreNodes && !enough(high))
        high *= 2;
      if (high > mostMoreNodes)
        continue;
      for (std::size_t low = high / 2; high - low > 1;) {
        const std::size_t middle = (low + high) / 2;
        (enough(middle) ? high : low) = middle;
      }
      found.push_back("with " + counted(high, cluster_.nodeTypes[type].name + " node") + " more");
    }
  }

  const TaskGraph &graph_;
  const Cluster &cluster_;
  RequirementFacts facts_;
  std::vector<Requirement> states_;
  std::vector<TaskId> tasks_;
  std::vector<Requirement> minimal_;
};

/// The place in its file that makes the requirement.
SourceLocation locationOf(const Requirement &one, const TaskGraph &graph, const Cluster &cluster,
                          const std::string &tasksFile, const std::string &clusterFile) {
  if (one.kind == RequirementKind::state)
    return {clusterFile, 0, 0, "/state/" + cluster.nodes[one.node].name};
  const std::string task = "/tasks/" + std::to_string(one.task.index());
  switch (one.kind) {
  case RequirementKind::memory:
    return {tasksFile, 0, 0, task + (graph.tasks[one.task].deviceMemory ? "/device_memory_bytes" : "")};
  case RequirementKind::capability:
    return {tasksFile, 0, 0, task + "/constraints/capability"};
  case RequirementKind::models:
    return {tasksFile, 0, 0, task + "/constraints/models"};
  case RequirementKind::node:
    return {tasksFile, 0, 0, task + "/constraints/node"};
  case RequirementKind::together:
    return {tasksFile, 0, 0, task + "/constraints/together"};
  case RequirementKind::apart:
    return {tasksFile, 0, 0, task + "/constraints/apart"};
  case RequirementKind::device:
  case RequirementKind::time:
  case RequirementKind::state:
    break;
  }
  return {tasksFile, 0, 0, task};
}

} // namespace

std::optional<Conflict> findConflict(const TaskGraph &graph, const Cluster &cluster) {
  return Finder(graph, cluster).find();
}

std::string toText(const Requirement &one, const TaskGraph &graph, const Cluster &cluster) {
  if (one.kind == RequirementKind::state) {
    const bool gpu = one.gpu.valid();
    const State state = gpu ? cluster.devices[one.gpu].state : cluster.nodes[one.node].state;
    const std::string &reason = gpu ? cluster.devices[one.gpu].reason : cluster.nodes[one.node].reason;
    return (gpu ? deviceName(cluster, one.gpu) : cluster.nodes[one.node].name) + " is " +
           std::string(toText(state)) + (reason.empty() ? "" : " (" + reason + ")");
  }
  const std::string &task = taskName(graph, one.task);
  const Constraints &wants = graph.tasks[one.task].constraints;
  switch (one.kind) {
  case RequirementKind::device:
    return task + (wants.device == DeviceKind::cpu ? " needs the cores of a node" : " needs a GPU");
  case RequirementKind::capability:
    return task + " needs compute capability " + *wants.capability;
  case RequirementKind::models:
    return task + " runs on " + join(wants.models, " or ") + " only";
  case RequirementKind::node:
    return task + " runs on node " + *wants.node + " only";
  case RequirementKind::memory:
    return task + " needs " + toText(one.need) + " of device memory";
  case RequirementKind::time:
    return task + " needs a model on which it can start and its time is known";
  case RequirementKind::together:
    return task + " shares the node of all with together(" + one.key + ")";
  case RequirementKind::apart:
    return task + " shares no node with others of apart(" + one.key + ")";
  case RequirementKind::state:
    break;
  }
  return "";
}

Diagnostic toDiagnostic(const Conflict &conflict, const TaskGraph &graph, const Cluster &cluster,
                        const std::string &tasksFile, const std::string &clusterFile,
                        const std::string &message) {
  Diagnostic diagnostic;
  diagnostic.message = message;
  diagnostic.code = "no-placement";
  auto note = [&](SourceLocation location, std::string text) {
    diagnostic.notes.push_back({Severity::note, std::move(location), std::move(text), "", "", "", {}});
  };
  const std::size_t count = conflict.requirements.size();
  for (std::size_t i = 0; i < std::min(mostNotes, count); ++i) {
    const Requirement &one = conflict.requirements[i];
    if (diagnostic.location.file.empty() && one.task.valid())
      diagnostic.location = {tasksFile, 0, 0, "/tasks/" + std::to_string(one.task.index())};
    note(locationOf(one, graph, cluster, tasksFile, clusterFile), toText(one, graph, cluster));
  }
  if (diagnostic.location.file.empty())
    diagnostic.location = {tasksFile, 0, 0, ""};
  if (count > mostNotes)
    note({}, "and " + std::to_string(count - mostNotes) + " more of the kind");
  if (count > 1)
    note({}, "these " + std::to_string(count) + " cannot hold together, any " +
                 (count == 2 ? "one" : std::to_string(count - 1)) + " of them can");
  if (conflict.nearest) {
    const NearestDevice &nearest = *conflict.nearest;
    note({}, deviceName(cluster, nearest.device) + " (" +
                 cluster.models[cluster.devices[nearest.device].model].name + ") comes nearest; it lacks " +
                 nearest.lacks);
    std::vector<std::string> shares;
    for (const BufferShare &share : nearest.buffers)
      shares.push_back(share.buffer + " " + toText(share.size));
    if (!shares.empty())
      note({}, "what fills its memory: " + join(shares, ", "));
  }
  for (const std::string &remedy : conflict.remedies)
    note({}, "it would fit " + remedy);
  if (conflict.remedies.empty())
    note({}, "no single change that was tried makes it fit");
  return diagnostic;
}

} // namespace streammap
