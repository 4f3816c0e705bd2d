#include "mapper/Levers.h"
#include "mapper/Perturb.h"
#include "mapper/Retime.h"
#include "support/Columns.h"
#include <algorithm>
#include <map>
#include <set>

namespace streammap {
namespace {

constexpr std::size_t mostClasses = 12;
constexpr std::size_t busiestLinks = 4;

std::string className(const TaskGraph &graph, TaskId task) {
  const std::string &name = taskName(graph, task);
  return name.substr(0, name.find_first_of("[#"));
}

class Collector {
public:
  Collector(const Problem &problem, const Placement &placement)
      : problem_(problem), placement_(placement), decisions_(decisionsOf(problem, placement)) {}

  Levers collect() {
    result_.base = retime(problem_, decisions_).predicted.makespan;
    addClasses();
    addLinkKinds();
    addBusiestLinks();
    addNodes();
    std::ranges::stable_sort(result_.levers, {}, &Lever::makespan);
    return std::move(result_);
  }

private:
  void add(std::string what, const TaskGraph &graph, const Cluster &cluster) {
    const Expected<Problem> changed = makeProblem(graph, cluster);
    if (!changed)
      return;
    const Seconds kept = retime(*changed, decisions_).predicted.makespan;
    const Expected<Placement> again = mapTasks(*changed, {.strategy = "heft"});
    const bool better = again && again->predicted.makespan < kept;
    result_.levers.push_back({std::move(what), better ? again->predicted.makespan : kept, better});
  }

  void addClasses() {
    std::map<std::string, std::pair<Seconds, std::size_t>> classes;
    for (const Assignment &run : placement_.assignments) {
      auto &[time, tasks] = classes[className(problem_.graph(), run.task)];
      time += run.end - run.start;
      ++tasks;
    }
    std::vector<std::pair<std::string, std::pair<Seconds, std::size_t>>> byTime(classes.begin(),
                                                                                classes.end());
    std::ranges::stable_sort(byTime, std::greater{}, [](const auto &entry) { return entry.second.first; });
    for (std::size_t i = 0; i < std::min(mostClasses, byTime.size()); ++i) {
      const std::string &name = byTime[i].first;
      const TaskGraph graph = scaledTimes(problem_, [&](TaskId task, ClassId) {
        return className(problem_.graph(), task) == name ? 0.5 : 1;
      });
      add(name + " twice as fast (" + counted(byTime[i].second.second, "task") + ")", graph,
          problem_.cluster());
    }
  }

  void addLinkKinds() {
    struct Kind {
      LinkKind kind;
      const char *what;
    };
    std::set<LinkKind> used;
    for (const LinkUse &use : placement_.links)
      if (const std::optional<LinkGroup> group = linkGroupOf(problem_.cluster(), use.link))
        used.insert(group->kind == LinkKind::pair ? LinkKind::peer : group->kind);
    for (const Kind &kind : {Kind{LinkKind::nic, "every NIC twice as fast"},
                             Kind{LinkKind::host, "every host link twice as fast"},
                             Kind{LinkKind::peer, "every GPU link twice as fast"},
                             Kind{LinkKind::uplink, "every uplink twice as fast"}})
      if (used.contains(kind.kind))
        add(kind.what, problem_.graph(), scaledLinks(problem_.cluster(), kind.kind, 2));
  }

  void addBusiestLinks() {
    std::vector<LinkUse> links = placement_.links;
    std::ranges::stable_sort(links, std::greater{}, &LinkUse::busy);
    std::vector<LinkGroup> seen;
    for (const LinkUse &use : links) {
      const std::optional<LinkGroup> group = linkGroupOf(problem_.cluster(), use.link);
      if (!group || std::ranges::find(seen, *group) != seen.end() || seen.size() == busiestLinks)
        continue;
      seen.push_back(*group);
      add(nameOf(problem_.cluster(), *group) + " twice as fast", problem_.graph(),
          scaledLinks(problem_.cluster(), *group, 2));
    }
  }

  void addMapped(std::string what, const Cluster &cluster) {
    const Expected<Problem> changed = makeProblem(problem_.graph(), cluster);
    if (!changed)
      return;
    MapOptions options; // of `auto`: one strategy by itself may well do worse with a node more
    options.seed = placement_.solver.seed;
    options.effort = Effort::fast;
    if (const Expected<Placement> mapped = mapTasks(*changed, options))
      result_.levers.push_back({std::move(what), mapped->predicted.makespan, true});
  }

  void addNodes() {
    const Cluster &cluster = problem_.cluster();
    std::map<NodeId, Seconds> busy;
    for (const DeviceUse &use : placement_.devices)
      busy[cluster.devices[use.device].node] += use.busy;
    std::set<NodeTypeId> types;
    for (const auto &[node, time] : busy)
      types.insert(cluster.nodes[node].type);
    for (NodeTypeId type : types)
      addMapped("one " + cluster.nodeTypes[type].name + " node more", withMoreNodes(cluster, type, 1));
    const auto least = std::ranges::min_element(busy, {}, [](const auto &entry) { return entry.second; });
    if (least != busy.end() && cluster.nodes.size() > 1)
      addMapped("without node " + cluster.nodes[least->first].name, withoutNode(cluster, least->first));
  }

  const Problem &problem_;
  const Placement &placement_;
  Decisions decisions_;
  Levers result_;
};

/// "n016" -> "n017", with as many digits; "box" -> "box2".
std::string nextName(const std::string &name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size() || name.size() - digits > 9)
    return name + "-2";
  std::string number = std::to_string(std::stoul(name.substr(digits)) + 1);
  if (number.size() < name.size() - digits)
    number.insert(0, name.size() - digits - number.size(), '0');
  return name.substr(0, digits) + number;
}

} // namespace

Levers levers(const Problem &problem, const Placement &placement) {
  return Collector(problem, placement).collect();
}

Cluster withMoreNodes(const Cluster &cluster, NodeTypeId typeId, std::size_t count) {
  Cluster larger = cluster;
  std::optional<NodeId> last;
  std::set<std::string> names;
  for (NodeId node : cluster.nodes.ids()) {
    names.insert(cluster.nodes[node].name);
    if (cluster.nodes[node].type == typeId)
      last = node;
  }
  assert(last && "a type in use has a node");
  Node node = cluster.nodes[*last];
  node.state = State::up;
  node.reason.clear();
  const NodeType &type = cluster.nodeTypes[typeId];
  for (std::size_t i = 0; i < count; ++i) {
    do
      node.name = nextName(node.name);
    while (!names.insert(node.name).second);
    const NodeId id = larger.nodes.push(node);
    for (unsigned gpu = 0; gpu < type.gpus.size(); ++gpu)
      larger.devices.push({id, gpu, type.gpus[gpu], State::up, {}});
    if (type.cpu)
      larger.devices.push({id, std::nullopt, *type.cpu, State::up, {}});
  }
  return larger;
}

Cluster withoutNode(const Cluster &cluster, NodeId node) {
  Cluster smaller = cluster;
  smaller.nodes[node].state = State::down;
  smaller.nodes[node].reason = "left out";
  for (Device &device : smaller.devices)
    if (device.node == node && device.state == State::up)
      device.state = State::down;
  return smaller;
}

} // namespace streammap
