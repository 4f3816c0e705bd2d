#include "mapper/MapTasks.h"
#include "model/Violations.h"
#include "support/Catch.h"
#include "support/GraphText.h"
#include "support/Processors.h"

using namespace streammap;
using namespace streammap::test;

namespace {

/// `nodes` nodes of `gpus` GPUs of 8 GiB and 300 W.
Cluster smallCluster(std::size_t nodes, unsigned gpus) {
  Cluster cluster;
  GpuModel model;
  model.name = "small";
  model.capability = "8.0";
  model.memory = gibibytes(8);
  model.power = watts(300);
  const GpuModelId id = cluster.models.push(model);
  NodeType type;
  type.name = "box";
  type.gpus.assign(gpus, id);
  const NodeTypeId typeId = cluster.nodeTypes.push(type);
  for (std::size_t n = 0; n < nodes; ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.type = typeId;
    const NodeId nodeId = cluster.nodes.push(node);
    for (unsigned g = 0; g < gpus; ++g)
      cluster.devices.push({nodeId, g, id, State::up, ""});
  }
  return cluster;
}

/// Maps with every strategy but the single-device ones, judges each, returns the last placement.
Placement mapEverywhere(const TaskGraph &graph, const Cluster &cluster) {
  const Expected<Problem> problem = makeProblem(graph, cluster);
  REQUIRE(problem);
  std::optional<Placement> last;
  for (const char *strategy : {"heft", "peft", "cpop", "round-robin", "auto"}) {
    INFO(strategy);
    const Expected<Placement> placement = mapTasks(*problem, {.strategy = strategy, .effort = Effort::fast});
    REQUIRE(placement);
    CHECK(findViolations(graph, cluster, *placement).empty());
    last = *placement;
  }
  return *last;
}

std::string whyNot(const TaskGraph &graph, const Cluster &cluster) {
  const Expected<Problem> problem = makeProblem(graph, cluster);
  if (!problem)
    return problem.error().message;
  const Expected<Placement> placement = mapTasks(*problem, {});
  return placement ? "mapped" : placement.error().message;
}

} // namespace

TEST_CASE("together keeps tasks on a node, apart keeps them on different ones") {
  const TaskGraph graph =
      graphFromText("a\nb\nc\nd\na: 1s together=x\nb: 1s together=x\nc: 1s apart=y\nd: 1s apart=y");
  mapEverywhere(graph, smallCluster(3, 2));
}

TEST_CASE("chained together keys put all of their tasks on one node") {
  const TaskGraph graph =
      graphFromText("a\nb\nc\na: 1s together=x\nb: 1s together=x together=y\nc: 1s together=y");
  const Cluster cluster = smallCluster(4, 1);
  const Placement placement = mapEverywhere(graph, cluster);
  for (const Assignment &assignment : placement.assignments)
    CHECK(cluster.devices[assignment.device].node == cluster.devices[placement.assignments[0].device].node);
}

TEST_CASE("a task with node() runs there") {
  const Placement placement = mapEverywhere(graphFromText("a\na: 1s node=n2"), smallCluster(3, 1));
  CHECK(placement.assignments[0].device == DeviceId(2));
}

TEST_CASE("drained nodes and busy devices get nothing") {
  Cluster cluster = smallCluster(2, 2);
  cluster.nodes[NodeId(0)].state = State::drained;
  for (DeviceId device : {DeviceId(0), DeviceId(1)})
    cluster.devices[device].state = State::drained;
  cluster.devices[DeviceId(2)].state = State::busy;
  const Placement placement = mapEverywhere(graphFromText("a\nb\nc"), cluster);
  for (const Assignment &assignment : placement.assignments)
    CHECK(assignment.device == DeviceId(3));
}

TEST_CASE("a power limit lets only as many GPUs run at once as it feeds") {
  Cluster cluster = smallCluster(1, 4);
  cluster.nodeTypes[NodeTypeId(0)].powerLimit = watts(700); // two of 300 W
  const Placement placement = mapEverywhere(graphFromText("a\nb\nc\nd"), cluster);
  CHECK(placement.predicted.makespan.value() == Approx(2)); // four tasks of 1 s, two at a time
}

TEST_CASE("a GPU that alone passes its node's power limit runs nothing, and the refusal says so") {
  Cluster cluster = smallCluster(1, 2);
  cluster.nodeTypes[NodeTypeId(0)].powerLimit = watts(100);
  CHECK(whyNot(graphFromText("a"), cluster) == "task 'a' fits on no device that is up: every small is down, "
                                               "drained, busy or reserved, or draws 300 W, "
                                               "more than the power limit of its node");
}

TEST_CASE("a task larger than any device's memory is refused with both sizes") {
  CHECK(whyNot(graphFromText("big\nbig: 1s memory=9GiB"), smallCluster(1, 1)) ==
        "task 'big' fits on no device that is up: it needs 9.00 GiB of device memory, the nearest, n0:gpu0 "
        "(small), has 8.00 GiB");
}

TEST_CASE("a capability nobody has is refused with what there is") {
  CHECK(whyNot(graphFromText("a\na: 1s capability=9.0"), smallCluster(1, 1)) ==
        "task 'a' fits on no device that is up: small has compute capability 8.0, it needs 9.0");
}

TEST_CASE("a node nobody knows is refused by name") {
  CHECK(whyNot(graphFromText("a\na: 1s node=n9"), smallCluster(1, 1)) ==
        "task 'a' may only run on node 'n9', which the cluster does not have");
}

TEST_CASE("a cluster with every device down says so") {
  Cluster cluster = smallCluster(1, 1);
  cluster.devices[DeviceId(0)].state = State::down;
  CHECK(whyNot(graphFromText("a"), cluster) ==
        "task 'a' fits on no device that is up: every small is down, drained, busy or reserved");
}

TEST_CASE("a task that may run anywhere leaves the only node of another that must be apart from it") {
  // a comes first and would take n0, which b needs
  const TaskGraph graph = graphFromText("a -> b\na: 1s apart=x\nb: 1s apart=x node=n0");
  const Placement placement = mapEverywhere(graph, smallCluster(2, 1));
  CHECK(placement.assignments[0].device == DeviceId(1));
}

TEST_CASE("more tasks apart than nodes is infeasible and names the task without a device") {
  const std::string why =
      whyNot(graphFromText("a\nb\nc\na: 1s apart=x\nb: 1s apart=x\nc: 1s apart=x"), smallCluster(2, 2));
  CHECK(why.find("no device is left for task 'c'") != std::string::npos);
}

TEST_CASE("tasks that must run together where no node serves both are refused") {
  const std::string why =
      whyNot(graphFromText("a\nb\na: 1s together=x node=n0\nb: 1s together=x node=n1"), smallCluster(2, 1));
  CHECK(why.find("no node has a device for each of the 2 tasks that must run together") != std::string::npos);
}

TEST_CASE("of devices too small, the largest that is up is named") {
  Cluster cluster = smallCluster(2, 1);
  GpuModel model = cluster.models[GpuModelId(0)];
  model.name = "larger";
  model.memory = gibibytes(16);
  cluster.devices[DeviceId(1)].model = cluster.models.push(model);
  const std::string why = whyNot(graphFromText("big\nbig: 1s memory=17GiB"), cluster);
  CHECK(why.find("the nearest, n1:gpu0 (larger), has 16.0 GiB") != std::string::npos);
  CHECK(why.find("small") == std::string::npos);
}
