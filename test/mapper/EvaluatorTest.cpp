// The evaluator of the searches against the schedule builder: any order on any devices, the same times.
#include "mapper/Evaluator.h"
#include "model/Dependencies.h"
#include "support/Catch.h"
#include "support/Cholesky.h"
#include "support/Processors.h"
#include <algorithm>
#include <random>

using namespace streammap;
using namespace streammap::test;

namespace {

class RandomNumbers {
public:
  explicit RandomNumbers(std::uint32_t seed) : random_(seed) {}
  std::size_t upTo(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random_); }
  bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }

private:
  std::mt19937 random_;
};

LinkSpeed randomSpeed(RandomNumbers &random) {
  return {random.chance(0.2) ? unlimitedBandwidth
                             : gigabytesPerSecond(static_cast<double>(1 + random.upTo(9))),
          microseconds(static_cast<double>(random.upTo(4)))};
}

/// Nodes of one to four GPUs with every kind of link, half of them contended.
Cluster randomCluster(RandomNumbers &random) {
  Cluster cluster;
  cluster.network.model = random.chance(0.5) ? NetworkModel::contended : NetworkModel::uncontended;
  cluster.network.latency = microseconds(static_cast<double>(random.upTo(3)));
  GpuModel model;
  model.name = "m";
  const GpuModelId m = cluster.models.push(model);
  for (const char *name : {"leaf0", "leaf1", "spine0", "spine1"})
    cluster.network.switches.push({name, {}});
  for (SwitchId leaf : {SwitchId(0), SwitchId(1)})
    for (SwitchId spine : {SwitchId(2), SwitchId(3)})
      cluster.network.switches[leaf].uplinks.push_back({spine, 1, randomSpeed(random).bandwidth});
  for (std::size_t n = 0; n < 1 + random.upTo(4); ++n) {
    NodeType type;
    type.name = "type" + std::to_string(n);
    type.gpus.assign(1 + random.upTo(3), m);
    type.hostLink = randomSpeed(random);
    type.nicCount = static_cast<unsigned>(random.upTo(2));
    type.nic = randomSpeed(random);
    type.gpuLinkKind = random.chance(0.5) ? GpuLinkKind::nvswitch : GpuLinkKind::none;
    type.gpuLink = randomSpeed(random);
    Node node;
    node.name = "n" + std::to_string(n);
    node.type = cluster.nodeTypes.push(type);
    node.leaf = SwitchId(n % 2);
    const NodeId id = cluster.nodes.push(node);
    for (unsigned g = 0; g < type.gpus.size(); ++g)
      cluster.devices.push({id, g, m, State::up, ""});
  }
  return cluster;
}

/// Tasks that read and write the eighths of two buffers, so that pieces have several readers.
TaskGraph randomProgram(RandomNumbers &random, std::size_t tasks) {
  TaskGraph graph;
  for (const char *name : {"x", "y"})
    graph.buffers.push({name, name, bytes(8e6), ""});
  for (std::size_t t = 0; t < tasks; ++t) {
    Task task;
    task.id = "t" + std::to_string(t);
    task.seconds["*"] = microseconds(static_cast<double>(random.upTo(3000)));
    for (BufferId buffer : graph.buffers.ids())
      for (std::uint64_t eighth = 0; eighth < 8; ++eighth)
        if (random.chance(0.15))
          task.accesses.push_back(
              {buffer, static_cast<AccessMode>(random.upTo(2)), Region{eighth * 1000000, 1000000, 0, 1}});
    graph.tasks.push(task);
  }
  graph.dependencies = findDependencies(graph.tasks);
  return graph;
}

/// Any order that keeps the dependencies, on any devices.
Solution randomSolution(const Problem &problem, RandomNumbers &random) {
  Solution solution{{}, IndexedVector<TaskId, DeviceId>(problem.graph().tasks.size())};
  IndexedVector<TaskId, std::size_t> waiting(problem.graph().tasks.size());
  std::vector<TaskId> ready;
  for (TaskId task : problem.graph().tasks.ids()) {
    solution.device[task] = problem.devices()[random.upTo(problem.devices().size() - 1)];
    if ((waiting[task] = problem.incoming(task).size()) == 0)
      ready.push_back(task);
  }
  while (!ready.empty()) {
    std::swap(ready[random.upTo(ready.size() - 1)], ready.back());
    const TaskId task = ready.back();
    ready.pop_back();
    solution.order.push_back(task);
    for (std::size_t i : problem.outgoing(task))
      if (const TaskId next = problem.graph().dependencies[i].to; --waiting[next] == 0)
        ready.push_back(next);
  }
  return solution;
}

/// Every task starts and ends when simulate() says, to the last bit.
void checkAgainstSimulation(const Problem &problem, Evaluator &evaluator, const Solution &solution,
                            std::size_t from) {
  const Placement placement = simulate(problem, solution.order, solution.device);
  CHECK(evaluator.evaluate(solution, from) == placement.predicted.makespan);
  for (const Assignment &assignment : placement.assignments) {
    CHECK(evaluator.slot(assignment.task).start == assignment.start);
    CHECK(evaluator.slot(assignment.task).end == assignment.end);
  }
}

} // namespace

TEST_CASE("the evaluator times any order on any cluster as simulate does") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    RandomNumbers random(seed);
    const Cluster cluster = randomCluster(random);
    const TaskGraph graph = randomProgram(random, 5 + random.upTo(35));
    const Expected<Problem> problem = makeProblem(graph, cluster);
    REQUIRE(problem);
    Evaluator evaluator(*problem);
    for (int i = 0; i < 3; ++i)
      checkAgainstSimulation(*problem, evaluator, randomSolution(*problem, random), 0);
  }
}

TEST_CASE("evaluating from a position on equals evaluating anew") {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    RandomNumbers random(seed);
    const Cluster cluster = randomCluster(random);
    const TaskGraph graph = randomProgram(random, 20);
    const Expected<Problem> problem = makeProblem(graph, cluster);
    REQUIRE(problem);
    Evaluator evaluator(*problem);
    Solution solution = randomSolution(*problem, random);
    evaluator.evaluate(solution, 0);
    for (int change = 0; change < 20; ++change) {
      const std::size_t position = random.upTo(solution.order.size() - 1);
      solution.device[solution.order[position]] =
          problem->devices()[random.upTo(problem->devices().size() - 1)];
      checkAgainstSimulation(*problem, evaluator, solution, position);
    }
  }
}

TEST_CASE("a look at a task's end on a device changes nothing and agrees with placing it there") {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    RandomNumbers random(seed);
    const Cluster cluster = randomCluster(random);
    const TaskGraph graph = randomProgram(random, 20);
    const Expected<Problem> problem = makeProblem(graph, cluster);
    REQUIRE(problem);
    Evaluator evaluator(*problem);
    ScheduleBuilder builder(*problem);
    const Solution solution = randomSolution(*problem, random);
    for (TaskId task : solution.order) {
      for (DeviceId device : problem->devices())
        CHECK(evaluator.endOn(task, device) == builder.slotOn(task, device).end);
      evaluator.place(task, solution.device[task]);
      builder.place(task, solution.device[task]);
    }
    CHECK(evaluator.makespan() == std::move(builder).finish().predicted.makespan);
  }
}

TEST_CASE("an evaluation that passes the cutoff is given up, and the next one is right again") {
  const ProcessorGraph g = identicalProcessors({3, 4, 5}, {{0, 1, 1}, {1, 2, 1}}, 2);
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  Evaluator evaluator(*problem);
  Solution solution{{TaskId(0), TaskId(1), TaskId(2)},
                    IndexedVector<TaskId, DeviceId>{DeviceId(0), DeviceId(1), DeviceId(0)}};
  const IndexedVector<TaskId, Seconds> tails{seconds(9), seconds(5), seconds(0)};
  CHECK(evaluator.evaluate(solution, 0) == seconds(3 + 1 + 4 + 1 + 5));
  CHECK(evaluator.evaluate(solution, 0, seconds(14), tails) == seconds(14));
  CHECK(evaluator.evaluate(solution, 0, seconds(12), tails) == never);
  CHECK(evaluator.placed() == 2); // 3 + 1 + 4 + 5 = 13 is past 12 when the second is placed
  solution.device[TaskId(1)] = DeviceId(0);
  CHECK(evaluator.evaluate(solution, 1, seconds(12), tails) == seconds(12));
  CHECK(evaluator.waitedFor(TaskId(2)) == TaskId(1));
  CHECK(evaluator.steps() == 3 + 3 + 2 + 2);
}
