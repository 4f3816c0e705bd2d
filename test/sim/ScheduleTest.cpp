// Timelines worked out by hand. One GPU per node unless said otherwise; a GPU's PCIe link carries 10 GB/s, a
// NIC 1 GB/s, and nothing has latency, so 1 MB crosses the network in 1 ms and PCIe in 0.1 ms; a route takes
// the time of its narrowest link.
#include "sim/ScheduleBuilder.h"
#include "support/Catch.h"
#include "support/GraphText.h"

using namespace streammap;

namespace {

Cluster network(std::size_t nodes, unsigned gpusPerNode, NetworkModel model = NetworkModel::contended) {
  Cluster cluster;
  cluster.network.model = model;
  GpuModel gpu;
  gpu.name = "gpu";
  const GpuModelId id = cluster.models.push(gpu);
  NodeType type;
  type.name = "box";
  type.gpus.assign(gpusPerNode, id);
  type.hostLink.bandwidth = gigabytesPerSecond(10);
  type.nicCount = 1;
  type.nic.bandwidth = gigabytesPerSecond(1);
  cluster.nodeTypes.push(type);
  for (std::size_t n = 0; n < nodes; ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.type = NodeTypeId(0);
    const NodeId nodeId = cluster.nodes.push(node);
    for (unsigned g = 0; g < gpusPerNode; ++g)
      cluster.devices.push({nodeId, g, id, State::up, ""});
  }
  return cluster;
}

/// Two leaves of two nodes, one uplink of `uplink` from each to one spine.
Cluster leafSpine(BytesPerSecond uplink) {
  Cluster cluster = network(4, 1);
  for (const char *name : {"leaf0", "leaf1", "spine"})
    cluster.network.switches.push({name, {}});
  for (SwitchId leaf : {SwitchId(0), SwitchId(1)})
    cluster.network.switches[leaf].uplinks.push_back({SwitchId(2), 1, uplink});
  for (NodeId node : cluster.nodes.ids())
    cluster.nodes[node].leaf = SwitchId(node.index() / 2);
  return cluster;
}

/// Runs each task, in id order, on the device of the same position in `devices`.
Placement run(const TaskGraph &graph, const Cluster &cluster, const std::vector<std::size_t> &devices) {
  const Expected<Problem> problem = makeProblem(graph, cluster);
  REQUIRE(problem);
  IndexedVector<TaskId, DeviceId> device;
  for (std::size_t d : devices)
    device.push(DeviceId(d));
  return simulate(*problem, problem->topologicalOrder(), device);
}

double startMs(const Placement &placement, std::size_t task) {
  return placement.assignments[task].start.inMilliseconds();
}

} // namespace

TEST_CASE("a chain on one device pays nothing for data") {
  // a 0-1000, b 1000-2000
  const Placement placement = run(graphFromText("a -> b 1MB"), network(1, 1), {0, 0});
  CHECK(placement.transfers.empty());
  CHECK(placement.predicted.makespan.inMilliseconds() == Approx(2000));
}

TEST_CASE("data between nodes takes the time of the narrowest link of its route") {
  // a ends at 1000; 8 MB over 1 GB/s take 8 ms
  const Placement placement = run(graphFromText("a -> b 8MB"), network(2, 1), {0, 1});
  CHECK(startMs(placement, 1) == Approx(1008));
  REQUIRE(placement.transfers.size() == 1);
  CHECK(placement.transfers[0].route ==
        std::vector<std::string>{"n0:gpu0:host.up", "n0:nic.up", "n1:nic.down", "n1:gpu0:host.down"});
}

TEST_CASE("data between GPUs of a node without GPU links goes through the host") {
  // 10 MB over PCIe up and down, held together: 1 ms
  const Placement placement = run(graphFromText("a -> b 10MB"), network(1, 2), {0, 1});
  CHECK(startMs(placement, 1) == Approx(1001));
}

TEST_CASE("a piece that is on the device is not sent again") {
  // b and c both read a's buffer on n1: one transfer of 4 ms; c runs right behind b
  TaskGraph graph = graphFromText("a -> b 4MB\na -> c 4MB");
  const BufferId buffer = graph.buffers.push({"b0", "x", bytes(4e6), ""});
  for (Dependency &dependency : graph.dependencies)
    dependency.buffer = buffer;
  const Placement placement = run(graph, network(2, 1), {0, 1, 1});
  CHECK(placement.transfers.size() == 1);
  CHECK(startMs(placement, 1) == Approx(1004));
  CHECK(startMs(placement, 2) == Approx(2004));
}

TEST_CASE("a second GPU of a node takes what the network brought from the host's memory") {
  // to n1:gpu0 by network, 4 ms; from n1's host to gpu1 by PCIe, 0.4 ms more
  TaskGraph graph = graphFromText("a -> b 4MB\na -> c 4MB");
  const BufferId buffer = graph.buffers.push({"b0", "x", bytes(4e6), ""});
  for (Dependency &dependency : graph.dependencies)
    dependency.buffer = buffer;
  const Placement placement = run(graph, network(2, 2), {0, 2, 3});
  CHECK(startMs(placement, 1) == Approx(1004));
  CHECK(startMs(placement, 2) == Approx(1004.4));
}

TEST_CASE("two transfers share a NIC one after the other; without contention they do not wait") {
  // a0 and a1 run on n0 one after the other: 0-1000, 1000-2000. a0's 2 GB leave 1000-3000, a1's 2000-4000 but
  // for the NIC, which is busy until 3000: 3000-5000.
  const TaskGraph graph = graphFromText("a0\na1\na0 -> b0 2GB\na1 -> b1 2GB");
  const Placement shared = run(graph, network(3, 1), {0, 0, 1, 2});
  CHECK(startMs(shared, 2) == Approx(3000));
  CHECK(startMs(shared, 3) == Approx(5000));
  const Placement free = run(graph, network(3, 1, NetworkModel::uncontended), {0, 0, 1, 2});
  CHECK(startMs(free, 2) == Approx(3000));
  CHECK(startMs(free, 3) == Approx(4000));
}

TEST_CASE("two flows from one leaf to the other share its uplink") {
  // Both start at 1000 on their own nodes; 1 GB over a 1 GB/s uplink each: 1000-2000, 2000-3000.
  const TaskGraph graph = graphFromText("a0\na1\na0 -> b0 1GB\na1 -> b1 1GB");
  const Placement narrow = run(graph, leafSpine(gigabytesPerSecond(1)), {0, 1, 2, 3});
  CHECK(startMs(narrow, 2) == Approx(2000));
  CHECK(startMs(narrow, 3) == Approx(3000));
  // Within the leaf nothing is shared.
  const Placement inside = run(graphFromText("a0 -> b0 1GB"), leafSpine(gigabytesPerSecond(1)), {0, 1});
  CHECK(startMs(inside, 1) == Approx(2000));
  CHECK(inside.links.size() == 4); // two PCIe, two NIC
}

TEST_CASE("a group of uplinks carries one transfer per link") {
  Cluster cluster = leafSpine(gigabytesPerSecond(1));
  for (SwitchId leaf : {SwitchId(0), SwitchId(1)})
    cluster.network.switches[leaf].uplinks[0].count = 2;
  const Placement placement = run(graphFromText("a0\na1\na0 -> b0 1GB\na1 -> b1 1GB"), cluster, {0, 1, 2, 3});
  CHECK(startMs(placement, 2) == Approx(2000));
  CHECK(startMs(placement, 3) == Approx(2000));
}

TEST_CASE("destinations are spread over the spines") {
  Cluster cluster = network(4, 1);
  for (const char *name : {"leaf0", "leaf1", "spine0", "spine1"})
    cluster.network.switches.push({name, {}});
  for (SwitchId leaf : {SwitchId(0), SwitchId(1)})
    for (SwitchId spine : {SwitchId(2), SwitchId(3)})
      cluster.network.switches[leaf].uplinks.push_back({spine, 1, gigabytesPerSecond(1)});
  for (NodeId node : cluster.nodes.ids())
    cluster.nodes[node].leaf = SwitchId(node.index() / 2);
  const Fabric fabric(cluster);
  auto spineTo = [&](std::size_t device) {
    const Route route = fabric.route(fabric.placeOf(DeviceId(0)), fabric.placeOf(DeviceId(device)));
    return fabric.links()[route.links[2]].name;
  };
  CHECK(spineTo(2) == "leaf0>spine0");
  CHECK(spineTo(3) == "leaf0>spine1");
}

TEST_CASE("an insertion fills the gap before a task that waits for data") {
  // b waits on n1 for 500 MB until 1500; c (0.2 s) fits before it
  const TaskGraph graph = graphFromText("a -> b 500MB\nc\nc: 200ms");
  const Placement placement = run(graph, network(2, 1), {0, 1, 1});
  CHECK(startMs(placement, 1) == Approx(1500));
  CHECK(startMs(placement, 2) == Approx(0));
}

TEST_CASE("initial data comes from the node's host once") {
  // 10 MB over PCIe: 1 ms, then it is there
  TaskGraph graph = graphFromText("a\nb");
  const BufferId buffer = graph.buffers.push({"b0", "x", bytes(10e6), ""});
  for (Task &task : graph.tasks)
    task.accesses = {{buffer, AccessMode::in, {0, 10000000, 0, 1}}};
  const Placement placement = run(graph, network(1, 1), {0, 0});
  CHECK(placement.transfers.size() == 1);
  CHECK(startMs(placement, 0) == Approx(1));
  CHECK(startMs(placement, 1) == Approx(1001));
}

TEST_CASE("a link nobody described costs nothing") {
  Cluster cluster = network(2, 1);
  cluster.nodeTypes[NodeTypeId(0)].nicCount = 0;
  cluster.nodeTypes[NodeTypeId(0)].hostLink = {};
  const Placement placement = run(graphFromText("a -> b 8GB"), cluster, {0, 1});
  CHECK(startMs(placement, 1) == Approx(1000));
  CHECK(placement.transfers.size() == 1); // it moves all the same
}

TEST_CASE("a task that takes no time does not let two others overlap") {
  // one device: a 0-2, b at 0 with no time, then c 2-3
  const Placement placement = run(graphFromText("a\nb\nc\na: 2s\nb: 0s\nc: 1s"), network(1, 1), {0, 0, 0});
  CHECK(startMs(placement, 1) == 0);
  CHECK(startMs(placement, 2) == Approx(2000));
  CHECK(placement.predicted.makespan.value() == Approx(3));
}
