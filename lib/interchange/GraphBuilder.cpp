#include "interchange/GraphBuilder.h"
#include "model/TaskOrder.h"
#include "support/Text.h"
#include <algorithm>
#include <filesystem>

namespace streammap {
namespace {

constexpr std::size_t shownTasks = 8;

std::string cycleText(const TaskGraph &graph, const std::vector<TaskId> &cycle) {
  std::string path;
  for (std::size_t i = 0; i < std::min(cycle.size(), shownTasks); ++i)
    path += graph.tasks[cycle[i]].id + " -> ";
  if (cycle.size() > shownTasks)
    path += "... (" + std::to_string(cycle.size() - shownTasks) + " more) -> ";
  return path + graph.tasks[cycle.front()].id;
}

} // namespace

std::optional<TaskId> GraphBuilder::find(const std::string &id) const {
  const auto found = ids_.find(id);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

TaskId GraphBuilder::addTask(const std::string &id, std::map<std::string, Seconds> times,
                             const SourceLocation &where) {
  Task task;
  task.id = id;
  task.name = id;
  task.seconds = std::move(times);
  const TaskId made = graph_.tasks.push(std::move(task));
  if (!ids_.emplace(id, made).second)
    diagnostics_->error(where, "task '" + abbreviated(id) + "' is there already", "duplicate-id");
  return made;
}

BufferId GraphBuilder::addBuffer(const std::string &id, Bytes size) {
  return graph_.buffers.push({id, id, size, ""});
}

void GraphBuilder::addEdge(TaskId from, TaskId to, Bytes size, const SourceLocation &where,
                           std::optional<BufferId> buffer) {
  if (from == to)
    return diagnostics_->error(where, "task '" + graph_.tasks[from].id + "' follows itself", "cycle");
  if (!edges_.emplace(from, to, buffer.value_or(BufferId())).second)
    return diagnostics_->error(
        where, "task '" + graph_.tasks[to].id + "' follows '" + graph_.tasks[from].id + "' a second time",
        "duplicate-id");
  graph_.dependencies.push_back({from, to, size, buffer});
}

std::optional<TaskGraph> GraphBuilder::finish() && {
  std::ranges::sort(graph_.dependencies, [](const Dependency &a, const Dependency &b) {
    return std::tie(a.from, a.to, a.buffer) < std::tie(b.from, b.to, b.buffer);
  });
  if (const std::vector<TaskId> cycle = findCycle(graph_); !cycle.empty())
    diagnostics_->error({file_, 0, 0, ""},
                        "the tasks follow each other in a circle: " + cycleText(graph_, cycle), "cycle");
  if (diagnostics_->hasErrors())
    return std::nullopt;
  return std::move(graph_);
}

Cluster clusterOfProcessors(std::string name, const std::vector<ProcessorNode> &nodes,
                            BytesPerSecond bandwidth) {
  Cluster cluster;
  cluster.name = std::move(name);
  cluster.network.model = NetworkModel::uncontended;
  std::map<std::string, GpuModelId> models;
  std::map<std::vector<std::string>, NodeTypeId> types;
  for (const ProcessorNode &processor : nodes) {
    for (const std::string &model : processor.models)
      if (!models.contains(model)) {
        GpuModel made;
        made.name = model;
        models[model] = cluster.models.push(std::move(made));
      }
    if (!types.contains(processor.models)) {
      NodeType type;
      type.name = "type" + std::to_string(types.size());
      for (const std::string &model : processor.models)
        type.gpus.push_back(models[model]);
      type.nicCount = 1;
      type.nic.bandwidth = bandwidth;
      types[processor.models] = cluster.nodeTypes.push(std::move(type));
    }
    Node node;
    node.name = processor.name;
    node.type = types[processor.models];
    const NodeId id = cluster.nodes.push(std::move(node));
    for (unsigned gpu = 0; gpu < processor.models.size(); ++gpu)
      cluster.devices.push({id, gpu, models[processor.models[gpu]], State::up, ""});
  }
  return cluster;
}

Cluster identicalProcessors(std::string name, std::size_t count, BytesPerSecond bandwidth) {
  std::vector<ProcessorNode> nodes;
  for (std::size_t p = 0; p < count; ++p)
    nodes.push_back({"p" + std::to_string(p), {"processor"}});
  return clusterOfProcessors(std::move(name), nodes, bandwidth);
}

void refuseProcessors(const ImportOptions &options, const std::string &file, const std::string &why,
                      Diagnostics &diagnostics) {
  if (options.processors)
    diagnostics.error({file, 0, 0, ""}, why + "; leave out --processors", "bad-value");
}

std::string nameOfProblem(const std::string &file) {
  return std::filesystem::path(file).stem().string();
}

} // namespace streammap
