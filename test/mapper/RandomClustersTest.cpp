// Small programs with data on small clusters with everything the model knows: unlike GPUs, cores, shared
// links, switches, data that starts on the host, groups, memory. Few enough choices that brute force finds
// the best.
#include "mapper/LowerBound.h"
#include "mapper/MapTasks.h"
#include "model/Dependencies.h"
#include "model/Violations.h"
#include "support/Catch.h"
#include "support/Processors.h"
#include <random>

using namespace streammap;
using namespace streammap::test;

namespace {

class RandomCase {
public:
  /// `constrained`: how likely each task has each of five constraints.
  RandomCase(std::uint32_t seed, double constrained) : random_(seed), constrained_(constrained) {}

  Cluster cluster() {
    Cluster cluster;
    cluster.network.model = chance(0.7) ? NetworkModel::contended : NetworkModel::uncontended;
    cluster.network.latency = microseconds(number(0, 3));
    for (const char *name : {"small", "large", "cpu"}) {
      GpuModel model;
      model.name = name;
      model.capability = model.isCpu() ? "" : "8.0";
      model.memory = mebibytes(name == std::string_view("small") ? 450 : 8192);
      cluster.models.push(model);
    }
    if (chance(0.5))
      addSwitches(cluster);
    const std::size_t nodes = number(1, 3);
    for (std::size_t n = 0; n < nodes; ++n)
      addNode(cluster, n, nodes == 3 ? 1 : number(1, 2));
    return cluster;
  }

  /// Tasks on the four quarters of two buffers.
  TaskGraph graph() {
    TaskGraph graph;
    for (const char *name : {"x", "y"})
      graph.buffers.push({name, name, mebibytes(400), ""});
    const std::size_t tasks = number(1, 5);
    for (std::size_t t = 0; t < tasks; ++t)
      graph.tasks.push(task(t));
    graph.dependencies = findDependencies(graph.tasks);
    return graph;
  }

private:
  std::size_t number(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random_);
  }
  bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
  LinkSpeed speed() {
    return {chance(0.2) ? unlimitedBandwidth : gigabytesPerSecond(static_cast<double>(number(1, 20))),
            microseconds(static_cast<double>(number(0, 5)))};
  }

  void addSwitches(Cluster &cluster) {
    for (const char *name : {"leaf0", "leaf1", "spine0", "spine1"})
      cluster.network.switches.push({name, {}});
    for (SwitchId leaf : {SwitchId(0), SwitchId(1)})
      for (SwitchId spine : {SwitchId(2), SwitchId(3)})
        cluster.network.switches[leaf].uplinks.push_back(
            {spine, static_cast<unsigned>(number(1, 2)), speed().bandwidth});
  }

  void addNode(Cluster &cluster, std::size_t number, std::size_t gpus) {
    NodeType type;
    type.name = "type" + std::to_string(number);
    for (std::size_t g = 0; g < gpus; ++g)
      type.gpus.push_back(GpuModelId(chance(0.5) ? 0 : 1));
    type.hostLink = speed();
    type.nicCount = static_cast<unsigned>(this->number(0, 2));
    type.nic = speed();
    if (chance(0.5)) {
      type.gpuLinkKind = GpuLinkKind::nvswitch;
      type.gpuLink = speed();
    } else if (gpus == 2 && chance(0.5)) {
      type.gpuPairs.push_back({0, 1, GpuLinkKind::nvlink, speed()});
    }
    if (chance(0.2))
      type.cpu = GpuModelId(2);
    Node node;
    node.name = "n" + std::to_string(number);
    node.type = cluster.nodeTypes.push(type);
    if (!cluster.network.switches.empty())
      node.leaf = SwitchId(number % 2);
    const NodeId id = cluster.nodes.push(node);
    for (unsigned g = 0; g < gpus; ++g)
      cluster.devices.push({id, g, type.gpus[g], State::up, ""});
    if (type.cpu)
      cluster.devices.push({id, std::nullopt, *type.cpu, State::up, ""});
  }

  Task task(std::size_t index) {
    Task task;
    task.id = "t" + std::to_string(index);
    for (const char *model : {"small", "large", "cpu"})
      if (chance(0.8))
        task.seconds[model] = milliseconds(static_cast<double>(number(1, 60)));
    if (task.seconds.empty())
      task.seconds["*"] = milliseconds(20);
    task.constraints.device = chance(0.5) ? DeviceKind::any : DeviceKind::gpu;
    for (BufferId buffer : {BufferId(0), BufferId(1)})
      for (std::uint64_t quarter = 0; quarter < 4; ++quarter)
        if (chance(0.3))
          task.accesses.push_back(
              {buffer, static_cast<AccessMode>(number(0, 2)), Region{quarter * 104857600, 104857600, 0, 1}});
    for (const char *key : {"k", "l"}) {
      if (chance(constrained_))
        task.constraints.together.push_back(key);
      if (chance(constrained_))
        task.constraints.apart.push_back(key);
    }
    if (chance(constrained_))
      task.constraints.node = "n" + std::to_string(number(0, 2));
    return task;
  }

  std::mt19937 random_;
  double constrained_;
};

} // namespace

TEST_CASE("on any cluster the strategies keep the rules, and stay between the bound and brute force") {
  std::size_t mapped = 0, refused = 0, proved = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    RandomCase made(seed, seed % 2 == 0 ? 0.05 : 0.25);
    const Cluster cluster = made.cluster();
    const TaskGraph graph = made.graph();
    const Expected<Problem> problem = makeProblem(graph, cluster);
    if (!problem) {
      CHECK_FALSE(problem.error().message.empty());
      ++refused;
      continue;
    }
    const std::optional<Seconds> best = bruteForceMakespan(*problem);
    for (const Strategy &strategy : strategies()) {
      INFO(strategy.name);
      const Expected<Placement> placement =
          mapTasks(*problem, {.strategy = std::string(strategy.name), .effort = Effort::fast});
      if (!placement)
        continue;    // its greedy order found no node that the groups leave; baselines may never fit
      REQUIRE(best); // what one strategy found, brute force finds
      CHECK(findViolations(graph, cluster, *placement).empty());
      CHECK(placement->predicted.makespan.value() >= best->value() * (1 - 1e-12));
      CHECK(placement->predicted.lowerBound.value() <= best->value() * (1 + 1e-12));
      proved += strategy.name == "exact" && placement->predicted.optimal;
    }
    if (!best)
      continue;
    const Expected<Placement> placement = mapTasks(*problem, {.effort = Effort::fast});
    INFO((placement ? "" : placement.error().message));
    CHECK(placement); // what brute force can place, auto can
    ++mapped;
    CHECK(lowerBound(*problem).time.value() <= best->value() * (1 + 1e-12));
  }
  CHECK(mapped > 200);
  CHECK(proved > 150);
  CHECK(refused > 10);
}

namespace {

/// Everything with a dimension twice as large: times, latencies, bytes, memory. Rates stay.
void doubleAll(TaskGraph &graph, Cluster &cluster) {
  for (Buffer &buffer : graph.buffers)
    buffer.size *= 2;
  for (Task &task : graph.tasks) {
    for (auto &[model, time] : task.seconds)
      time *= 2;
    for (Access &access : task.accesses) {
      access.region.offset *= 2;
      access.region.size *= 2;
    }
  }
  for (Dependency &dependency : graph.dependencies)
    dependency.size *= 2;
  for (GpuModel &model : cluster.models)
    model.memory *= 2;
  for (NodeType &type : cluster.nodeTypes) {
    for (LinkSpeed *link : {&type.gpuLink, &type.hostLink, &type.nic})
      link->latency *= 2;
    for (GpuPairLink &pair : type.gpuPairs)
      pair.speed.latency *= 2;
  }
  cluster.network.latency *= 2;
}

} // namespace

TEST_CASE("doubling every time, byte and latency doubles makespan and bound exactly") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    RandomCase made(seed, seed % 2 == 0 ? 0.05 : 0.25);
    Cluster cluster = made.cluster();
    TaskGraph graph = made.graph();
    std::vector<std::optional<Prediction>> once;
    for (const bool doubled : {false, true}) {
      if (doubled)
        doubleAll(graph, cluster);
      const Expected<Problem> problem = makeProblem(graph, cluster);
      for (std::size_t i = 0; i < strategies().size(); ++i) {
        Expected<Placement> placement = failure("");
        if (problem)
          placement =
              mapTasks(*problem, {.strategy = std::string(strategies()[i].name), .effort = Effort::fast});
        if (!doubled) {
          once.push_back(placement ? std::optional(placement->predicted) : std::nullopt);
          continue;
        }
        REQUIRE(placement.has_value() == once[i].has_value());
        if (!placement)
          continue;
        CHECK(placement->predicted.makespan == 2 * once[i]->makespan); // powers of two: exact
        CHECK(placement->predicted.lowerBound == 2 * once[i]->lowerBound);
      }
    }
  }
}
