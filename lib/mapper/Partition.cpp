// Divide first, order later. List schedulers see one task at a time and pull its work to wherever a device is
// free, however much must be sent for it; a division of the whole graph knows which tasks belong together. It
// knows nothing of time, so parts that must run one after the other can end on different nodes for nothing:
// hence several numbers of nodes are tried, fewer ones being safer, and HEFT orders the tasks inside.
#include "mapper/Partition.h"
#include "mapper/ListSchedulers.h"
#include "mapper/PlaceOnHierarchy.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace streammap {
namespace {

constexpr double weightOfMeanTask = 1000;
constexpr double mostData = 1e15; // of all edges together, far from where 64 bits overflow
/// Work may differ this much between nodes: schedules have gaps anyway, and a tight balance costs data.
constexpr double imbalance = 0.1;

Seconds shortestTime(const Problem &problem, TaskId task) {
  std::optional<Seconds> least;
  for (ClassId id : problem.classes().ids())
    if (const std::optional<TimeEstimate> &estimate = problem.estimate(task, id);
        estimate && problem.classSize(id) > 0 && (!least || estimate->time < *least))
      least = estimate->time;
  return least.value_or(Seconds());
}

/// Nodes with a device that is up, those of one leaf side by side: parts next to each other in number share
/// most data.
std::vector<NodeId> nodesByLeaf(const Problem &problem) {
  std::set<NodeId> found;
  for (DeviceId device : problem.devices())
    found.insert(problem.cluster().devices[device].node);
  std::vector<NodeId> nodes(found.begin(), found.end());
  std::ranges::stable_sort(nodes, {}, [&](NodeId node) { return problem.cluster().nodes[node].leaf; });
  return nodes;
}

bool mayRunOn(const Problem &problem, TaskId task, const std::vector<DeviceId> &devices) {
  return std::ranges::any_of(devices, [&](DeviceId device) { return problem.allows(task, device); });
}

Expected<Placement> mapOnParts(const Problem &problem, const CommunicationGraph &graph,
                               const std::vector<NodeId> &nodes,
                               const IndexedVector<NodeId, std::vector<DeviceId>> &devicesOf,
                               const MapOptions &options) {
  const std::vector<std::uint32_t> partOf =
      placeOnHierarchy(graph, {{nodes.size()}, {1}}, {.imbalance = imbalance, .seed = options.seed});
  IndexedVector<TaskId, std::optional<NodeId>> bound(problem.graph().tasks.size());
  for (TaskId task : problem.graph().tasks.ids()) {
    const NodeId node = nodes[partOf[task.index()]];
    const bool free = problem.pinned(task) || problem.group(task) || !problem.apart(task).empty();
    if (!free && mayRunOn(problem, task, devicesOf[node]))
      bound[task] = node;
  }
  return mapHeft(problem.boundTo(bound), options);
}

} // namespace

CommunicationGraph communicationOf(const Problem &problem) {
  const TaskGraph &tasks = problem.graph();
  Bytes data;
  for (const Dependency &dependency : tasks.dependencies)
    data += dependency.size;
  const double scale = std::min(1.0, mostData / std::max(1.0, data.value()));
  std::vector<CommunicationEdge> edges;
  for (const Dependency &dependency : tasks.dependencies)
    if (dependency.size > Bytes())
      edges.push_back({static_cast<std::uint32_t>(dependency.from.index()),
                       static_cast<std::uint32_t>(dependency.to.index()),
                       std::max<std::int64_t>(1, std::llround(dependency.size.value() * scale))});
  CommunicationGraph graph = communicationGraph(tasks.tasks.size(), std::move(edges));
  Seconds work;
  for (TaskId task : tasks.tasks.ids())
    work += shortestTime(problem, task);
  const double mean =
      std::max(work.value() / static_cast<double>(std::max<std::size_t>(1, graph.size())), 1e-30);
  for (TaskId task : tasks.tasks.ids())
    graph.vertexWeight[task.index()] = std::max<std::int64_t>(
        1, std::llround(weightOfMeanTask * shortestTime(problem, task).value() / mean));
  return graph;
}

Expected<Placement> mapPartition(const Problem &problem, const MapOptions &options) {
  Expected<Placement> best = mapHeft(problem, options);
  const CommunicationGraph graph = communicationOf(problem);
  const std::vector<NodeId> nodes = nodesByLeaf(problem);
  IndexedVector<NodeId, std::vector<DeviceId>> devicesOf(problem.cluster().nodes.size());
  for (DeviceId device : problem.devices())
    devicesOf[problem.cluster().devices[device].node].push_back(device);
  for (std::size_t count = 2; count < 2 * nodes.size() && count <= 2 * graph.size(); count *= 2) {
    const std::size_t used = std::min(count, nodes.size());
    Expected<Placement> placement =
        mapOnParts(problem, graph, {nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(used)},
                   devicesOf, options);
    if (placement && (!best || placement->predicted.makespan < best->predicted.makespan))
      best = std::move(placement);
  }
  return best;
}

} // namespace streammap
