#include "support/Processors.h"
#include "sim/ScheduleBuilder.h"
#include <algorithm>

namespace streammap::test {
namespace {

Cluster clusterOf(const std::vector<std::string> &models) {
  Cluster cluster;
  cluster.name = "processors";
  cluster.network.model = NetworkModel::uncontended;
  for (std::size_t p = 0; p < models.size(); ++p) {
    std::optional<GpuModelId> model;
    for (GpuModelId known : cluster.models.ids())
      if (cluster.models[known].name == models[p])
        model = known;
    if (!model) {
      GpuModel made;
      made.name = models[p];
      model = cluster.models.push(made);
    }
    NodeType type;
    type.name = "type" + std::to_string(p);
    type.gpus = {*model};
    type.nicCount = 1;
    type.nic.bandwidth = bytesPerSecond(1);
    Node node;
    node.name = "p" + std::to_string(p);
    node.type = cluster.nodeTypes.push(type);
    const NodeId id = cluster.nodes.push(node);
    cluster.devices.push({id, 0u, *model, State::up, ""});
  }
  return cluster;
}

void addEdges(TaskGraph &graph, const std::vector<Edge> &edges) {
  for (const Edge &edge : edges)
    graph.dependencies.push_back({TaskId(edge.from), TaskId(edge.to), bytes(edge.weight), std::nullopt});
  std::ranges::sort(graph.dependencies, [](const Dependency &a, const Dependency &b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
}

Task numbered(std::size_t number) {
  Task task;
  task.id = "t" + std::to_string(number);
  return task;
}

void tryAll(const Problem &problem, const ScheduleBuilder &builder, std::size_t placed,
            std::optional<Seconds> &best) {
  if (placed == problem.graph().tasks.size()) {
    const Seconds makespan = ScheduleBuilder(builder).finish().predicted.makespan;
    best = best ? std::min(*best, makespan) : makespan;
    return;
  }
  for (TaskId task : problem.graph().tasks.ids()) {
    if (builder.isPlaced(task) || !std::ranges::all_of(problem.incoming(task), [&](std::size_t i) {
          return builder.isPlaced(problem.graph().dependencies[i].from);
        }))
      continue;
    for (DeviceId device : problem.devices()) {
      if (!builder.allows(task, device))
        continue;
      ScheduleBuilder next = builder;
      next.place(task, device);
      tryAll(problem, next, placed + 1, best);
    }
  }
}

} // namespace

ProcessorGraph processorGraph(const std::vector<std::vector<double>> &times, const std::vector<Edge> &edges) {
  std::vector<std::string> models;
  for (std::size_t p = 0; !times.empty() && p < times.front().size(); ++p)
    models.push_back("m" + std::to_string(p));
  ProcessorGraph made{{}, clusterOf(models)};
  for (std::size_t t = 0; t < times.size(); ++t) {
    Task task = numbered(t);
    for (std::size_t p = 0; p < times[t].size(); ++p)
      task.seconds[models[p]] = seconds(times[t][p]);
    made.graph.tasks.push(task);
  }
  addEdges(made.graph, edges);
  return made;
}

ProcessorGraph identicalProcessors(const std::vector<double> &times, const std::vector<Edge> &edges,
                                   std::size_t processors) {
  ProcessorGraph made{{}, clusterOf(std::vector<std::string>(processors, "m"))};
  for (std::size_t t = 0; t < times.size(); ++t) {
    Task task = numbered(t);
    task.seconds["*"] = seconds(times[t]);
    made.graph.tasks.push(task);
  }
  addEdges(made.graph, edges);
  return made;
}

ProcessorGraph topcuogluExample() {
  return processorGraph({{14, 16, 9},
                         {13, 19, 18},
                         {11, 13, 19},
                         {13, 8, 17},
                         {12, 13, 10},
                         {13, 16, 9},
                         {7, 15, 11},
                         {5, 11, 14},
                         {18, 12, 20},
                         {21, 7, 16}},
                        {{0, 1, 18},
                         {0, 2, 12},
                         {0, 3, 9},
                         {0, 4, 11},
                         {0, 5, 14},
                         {1, 7, 19},
                         {1, 8, 16},
                         {2, 6, 23},
                         {3, 7, 27},
                         {3, 8, 23},
                         {4, 8, 13},
                         {5, 7, 15},
                         {6, 9, 17},
                         {7, 9, 11},
                         {8, 9, 13}});
}

ProcessorGraph peftExample() {
  return processorGraph({{22, 21, 36},
                         {22, 18, 18},
                         {32, 27, 43},
                         {7, 10, 4},
                         {29, 27, 35},
                         {26, 17, 24},
                         {14, 25, 30},
                         {29, 23, 36},
                         {15, 21, 8},
                         {13, 16, 33}},
                        {{0, 1, 17},
                         {0, 2, 31},
                         {0, 3, 29},
                         {0, 4, 13},
                         {0, 5, 7},
                         {1, 7, 3},
                         {1, 8, 30},
                         {2, 6, 16},
                         {3, 7, 11},
                         {3, 8, 7},
                         {4, 8, 57},
                         {5, 7, 5},
                         {6, 9, 9},
                         {7, 9, 42},
                         {8, 9, 7}});
}

std::optional<Seconds> bruteForceMakespan(const Problem &problem) {
  std::optional<Seconds> best;
  tryAll(problem, ScheduleBuilder(problem), 0, best);
  return best;
}

} // namespace streammap::test
