// Choices small enough to work out by hand, and the same questions on random problems, where every answer is
// checked by applying it.
#include "mapper/Explain.h"
#include "mapper/Levers.h"
#include "mapper/MapTasks.h"
#include "sim/ScheduleBuilder.h"
#include "support/Catch.h"
#include "support/GraphText.h"
#include "support/Processors.h"
#include <random>

using namespace streammap;
using namespace streammap::test;

namespace {

/// One GPU each of models "fast" and "slow", on nodes n0 and n1; a NIC carries 1 GB/s, host links are free.
Cluster fastAndSlow() {
  Cluster cluster;
  NodeType type;
  type.nicCount = 1;
  type.nic.bandwidth = gigabytesPerSecond(1);
  for (const char *name : {"fast", "slow"}) {
    GpuModel model;
    model.name = name;
    model.memory = gibibytes(8);
    const GpuModelId id = cluster.models.push(model);
    type.name = std::string(name) + "-box";
    type.gpus = {id};
    Node node;
    node.name = "n" + std::to_string(cluster.nodes.size());
    node.type = cluster.nodeTypes.push(type);
    cluster.devices.push({cluster.nodes.push(node), 0u, id, State::up, ""});
  }
  return cluster;
}

struct Case {
  TaskGraph graph;
  Cluster cluster;
  Problem problem;
  Placement placement;
  Case(const std::string &text, Cluster made, const std::string &strategy = "heft")
      : graph(graphFromText(text)), cluster(std::move(made)), problem(*makeProblem(graph, cluster)),
        placement(*mapTasks(problem, {.strategy = strategy})) {}
};

const Change *flipOf(const TaskExplanation &why, ChangeKind kind) {
  for (const Change &change : why.flips)
    if (change.kind == kind)
      return &change;
  return nullptr;
}

} // namespace

TEST_CASE("a task runs on the faster model until that takes as long as the slower") {
  // a: 1 s on fast, 1.3 s on slow; nothing else runs
  const Case c("a\na: fast=1s slow=1.3s", fastAndSlow());
  const TaskExplanation why = explainTask(c.problem, c.placement, TaskId(0));
  CHECK(why.chosen.device == DeviceId(0));
  CHECK(why.chosen.parts.compute.value() == Approx(1));
  REQUIRE(why.others.size() == 1);
  CHECK(why.others[0].parts.compute.value() == Approx(1.3));
  CHECK(why.others[0].makespan.value() == Approx(1.3));
  CHECK(why.whyLost[0] == "it computes longer (300 ms); the makespan would be 300 ms longer");
  REQUIRE(why.flips.size() == 2);
  // 1.3 times as long on fast, or 1 / 1.3 of the time on slow
  for (const Change &change : why.flips)
    CHECK(change.factor == Approx(change.factor > 1 ? 1.3 : 1 / 1.3).epsilon(0.003));
}

TEST_CASE("the parts of a choice add up to the task's end") {
  // a on fast 0-1; b, bound to fast, 1-2; c needs 500 MB of a: on fast it waits for b until 2, on slow its
  // data arrives at 1.5 and it takes 3 s, to 4.5
  const Case c("a -> b\na -> c 500MB\na: fast=1s\nb: fast=1s priority=1\nc: fast=1s slow=3s", fastAndSlow());
  const TaskExplanation why = explainTask(c.problem, c.placement, TaskId(2));
  CHECK(why.chosen.device == DeviceId(0));
  REQUIRE(why.others.size() == 1);
  const Alternative &other = why.others[0];
  CHECK(other.parts.transfer.value() == Approx(0.5));
  CHECK(other.parts.wait.value() == Approx(0).margin(1e-12));
  CHECK(other.parts.compute.value() == Approx(3));
  CHECK(other.end.value() == Approx(4.5));
  CHECK(other.link.find("nic") != std::string::npos);
}

TEST_CASE("the NIC that is narrowest flips a choice by as much as the arithmetic says") {
  // a on fast 0-1, b there 1-3; c waits there to 3 and ends at 4; on slow its 3 GB arrive at 4 and it ends
  // at 5. n1's NIC is four times as fast, so n0's alone decides: c wins on slow where its data takes 2 s,
  // not 3.
  Cluster cluster = fastAndSlow();
  cluster.nodeTypes[NodeTypeId(1)].nic.bandwidth = gigabytesPerSecond(4);
  const TaskGraph graph = graphFromText("a -> b\na -> c 3GB\na: fast=1s\nb: fast=2s\nc: fast=1s slow=1s");
  const Problem problem = *makeProblem(graph, cluster);
  const IndexedVector<TaskId, DeviceId> here{DeviceId(0), DeviceId(0), DeviceId(0)};
  const Placement placement = simulate(problem, {TaskId(0), TaskId(1), TaskId(2)}, here);
  REQUIRE(placement.predicted.makespan.value() == Approx(4));
  const TaskExplanation why = explainTask(problem, placement, TaskId(2));
  REQUIRE(why.others.size() == 1);
  CHECK(why.chosen.waited == "b");
  CHECK(why.chosen.parts.wait.value() == Approx(2));
  const Change *link = flipOf(why, ChangeKind::linkSpeed);
  REQUIRE(link);
  CHECK(link->factor == Approx(1.5).epsilon(0.003));
  CHECK(toText(*link, problem) == "n0's NICs were 1.5 times as fast");
  // Applied to the cluster by hand, it does flip.
  cluster.nodeTypes[NodeTypeId(0)].nic.bandwidth = gigabytesPerSecond(link->factor);
  const Problem changed = *makeProblem(graph, cluster);
  const Decisions decisions = decisionsOf(problem, placement);
  CHECK(isBetter(retime(changed, decisions.moved(TaskId(2), DeviceId(1))), retime(changed, decisions),
                 TaskId(2)));
}

TEST_CASE("devices that are alike are one alternative") {
  ProcessorGraph made = identicalProcessors({1, 1}, {{0, 1, 0.5}}, 5);
  const Problem problem = *makeProblem(made.graph, made.cluster);
  const Placement placement = *mapTasks(problem, {.strategy = "heft"});
  const TaskExplanation why = explainTask(problem, placement, TaskId(1));
  REQUIRE(why.others.size() == 1);
  CHECK(why.others[0].alike == 3);
}

TEST_CASE("a task that must stay where its group is has no alternative, and the reason is said") {
  const Case c("a\nb\na: fast=1s slow=1s together=x\nb: fast=1s slow=1s together=x", fastAndSlow());
  const TaskExplanation why = explainTask(c.problem, c.placement, TaskId(0));
  CHECK(why.others.empty());
  REQUIRE(why.unavailable.size() == 1);
  CHECK(why.unavailable[0].reason.starts_with("together with b on n"));
}

TEST_CASE("an explanation fits 80 columns") {
  ProcessorGraph made = topcuogluExample();
  const Problem problem = *makeProblem(made.graph, made.cluster);
  const Placement placement = *mapTasks(problem, {.strategy = "heft"});
  for (TaskId task : made.graph.tasks.ids()) {
    const std::string text = toText(explainTask(problem, placement, task), problem);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      CHECK(end - at <= 80);
      at = end + 1;
    }
  }
}

TEST_CASE("retiming a HEFT placement gives its own makespan") {
  for (ProcessorGraph made : {topcuogluExample(), peftExample()}) {
    const Problem problem = *makeProblem(made.graph, made.cluster);
    const Placement placement = *mapTasks(problem, {.strategy = "heft"});
    CHECK(retime(problem, decisionsOf(problem, placement)).predicted.makespan ==
          placement.predicted.makespan);
  }
}

TEST_CASE("on random problems parts add up, the runner-up is the best other, and every flip flips") {
  std::mt19937 random(20);
  std::size_t flips = 0;
  for (int round = 0; round < 60; ++round) {
    INFO("round " << round);
    std::uniform_int_distribution<int> time(0, 20), size(0, 20);
    std::vector<std::vector<double>> times(8);
    std::vector<Edge> edges;
    for (std::size_t t = 0; t < times.size(); ++t) {
      for (std::size_t p = 0; p < 3; ++p)
        times[t].push_back(time(random));
      for (std::size_t from = 0; from < t; ++from)
        if (random() % 3 == 0)
          edges.push_back({from, t, static_cast<double>(size(random))});
    }
    ProcessorGraph made = processorGraph(times, edges);
    const Problem problem = *makeProblem(made.graph, made.cluster);
    const Expected<Placement> mapped = mapTasks(problem, {.strategy = "peft"});
    INFO((mapped ? "" : mapped.error().message));
    REQUIRE(mapped);
    const Placement &placement = *mapped;
    const TaskId task(random() % times.size());
    const TaskExplanation why = explainTask(problem, placement, task);
    const Decisions decisions = decisionsOf(problem, placement);
    REQUIRE(why.others.size() >= 1);
    const Placement base = retime(problem, decisions);
    Seconds predecessors;
    for (std::size_t i : problem.incoming(task))
      predecessors = std::max(predecessors, base.assignments[made.graph.dependencies[i].from.index()].end);
    for (const Alternative &one : why.others) {
      const CostParts &parts = one.parts;
      CHECK((predecessors + parts.transfer + parts.wait + parts.memory + parts.compute).value() ==
            Approx(one.end.value()).margin(1e-9));
      CHECK(parts.transfer.value() >= 0);
      CHECK(parts.wait.value() >= -1e-9);
      CHECK(one.makespan >= why.others[0].makespan - seconds(1e-9));
    }
    const Decisions moved = decisions.moved(task, why.others[0].device);
    for (const Change &change : why.flips) {
      ++flips;
      CHECK(isBetter(retimeChanged(problem, moved, change), retimeChanged(problem, decisions, change), task));
      Change less = change; // half a percent nearer to no change
      less.factor *= change.factor > 1 ? 1 / 1.005 : 1.005;
      CHECK(!isBetter(retimeChanged(problem, moved, less), retimeChanged(problem, decisions, less), task));
    }
  }
  CHECK(flips > 20);
}

TEST_CASE("levers: halving the only class halves a chain; a faster unused link changes nothing") {
  const Case c("gemm -> gemm2\ngemm: fast=1s\ngemm2: fast=1s", fastAndSlow());
  TaskGraph graph = c.graph;
  graph.tasks[TaskId(0)].name = "gemm[0]";
  graph.tasks[TaskId(1)].name = "gemm[1]";
  const Problem problem = *makeProblem(graph, c.cluster);
  const Levers all = levers(problem, c.placement);
  REQUIRE(!all.levers.empty());
  CHECK(all.base.value() == Approx(2));
  CHECK(all.levers[0].what == "gemm twice as fast (2 tasks)");
  CHECK(all.levers[0].makespan.value() == Approx(1));
  for (const Lever &lever : all.levers)
    CHECK(lever.what.find("NIC") == std::string::npos); // nothing was sent
}

TEST_CASE("a node more continues the names, at the same switch") {
  Cluster cluster = fastAndSlow();
  const Cluster larger = withMoreNodes(cluster, NodeTypeId(0), 2);
  REQUIRE(larger.nodes.size() == 4);
  CHECK(larger.nodes[NodeId(2)].name == "n2");
  CHECK(larger.nodes[NodeId(3)].name == "n3");
  CHECK(larger.devices.size() == 4);
  CHECK(larger.devices[DeviceId(3)].node == NodeId(3));
}
