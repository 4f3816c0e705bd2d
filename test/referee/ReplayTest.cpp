// Timelines worked out by hand under max-min fair sharing. One GPU per node; a NIC carries 1 GB/s per
// channel, nothing else is described, and every task takes 1 s.
#include "referee/Replay.h"
#include "sim/ScheduleBuilder.h"
#include "support/Catch.h"
#include "support/GraphText.h"
#include <random>

using namespace streammap;

namespace {

Cluster nodes(std::size_t count, unsigned nics = 1, unsigned gpus = 1) {
  Cluster cluster;
  GpuModel gpu;
  gpu.name = "gpu";
  const GpuModelId id = cluster.models.push(gpu);
  NodeType type;
  type.gpus.assign(gpus, id);
  type.nicCount = nics;
  type.nic.bandwidth = gigabytesPerSecond(1);
  cluster.nodeTypes.push(type);
  for (std::size_t n = 0; n < count; ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.type = NodeTypeId(0);
    const NodeId nodeId = cluster.nodes.push(node);
    for (unsigned g = 0; g < gpus; ++g)
      cluster.devices.push({nodeId, g, id, State::up, ""});
  }
  return cluster;
}

/// Each task, in id order, on the device of the same position.
Placement place(const TaskGraph &graph, const Cluster &cluster, const std::vector<std::size_t> &devices) {
  const Expected<Problem> problem = makeProblem(graph, cluster);
  REQUIRE(problem);
  IndexedVector<TaskId, DeviceId> device;
  for (std::size_t d : devices)
    device.push(DeviceId(d));
  return simulate(*problem, problem->topologicalOrder(), device);
}

Replay replay(const TaskGraph &graph, const Cluster &cluster, const std::vector<std::size_t> &devices) {
  const Expected<Replay> result = replayWithSimGrid(graph, cluster, place(graph, cluster, devices));
  INFO((result ? "" : result.error().message));
  REQUIRE(result);
  return *result;
}

double startOf(const Replay &replay, std::size_t task) {
  return replay.tasks[task].start.value();
}

} // namespace

TEST_CASE("a chain over the network: 1 s, 2 s for 2 GB, 1 s") {
  const Replay found = replay(graphFromText("a -> b 2GB"), nodes(2), {0, 1});
  CHECK(startOf(found, 1) == Approx(3));
  CHECK(found.simulated.value() == Approx(4));
  CHECK(found.predicted.value() == Approx(4));
  REQUIRE(found.links.size() == 2);
  for (const ReplayedLink &link : found.links)
    CHECK(link.simulated.value() == Approx(2));
}

TEST_CASE("two transfers share a NIC fairly: both arrive when one after the other would end") {
  // 1 GB each to n1 and n2 from 1 s on at 0.5 GB/s: 3 s. The prediction sends one after the other: 2 s and 3
  // s.
  const Replay found = replay(graphFromText("a -> b 1GB\na -> c 1GB"), nodes(3), {0, 1, 2});
  CHECK(startOf(found, 1) == Approx(3));
  CHECK(startOf(found, 2) == Approx(3));
}

TEST_CASE("with a NIC for each neither waits") {
  const Replay found = replay(graphFromText("a -> b 1GB\na -> c 1GB"), nodes(3, 2), {0, 1, 2});
  CHECK(startOf(found, 1) == Approx(2));
  CHECK(startOf(found, 2) == Approx(2));
}

TEST_CASE("three over two NICs get two thirds of one each, and one alone no more than one") {
  // Three GPUs of n0 send to three of n1 at once: 1 GB at 2/3 GB/s takes 1.5 s
  const Replay three = replay(graphFromText("a\nb\nc\na -> d 1GB\nb -> e 1GB\nc -> f 1GB"), nodes(2, 2, 3),
                              {0, 1, 2, 3, 4, 5});
  for (std::size_t task : {3, 4, 5})
    CHECK(startOf(three, task) == Approx(2.5));
  const Replay one = replay(graphFromText("a -> b 1GB"), nodes(2, 2), {0, 1});
  CHECK(startOf(one, 1) == Approx(2));
}

TEST_CASE("a device sends two at a time, and takes in two at a time") {
  // With NICs enough, the third transfer waits for one of the first two: 1-2, 1-2 and 2-3
  const Replay out = replay(graphFromText("a -> b 1GB\na -> c 1GB\na -> d 1GB"), nodes(4, 3), {0, 1, 2, 3});
  CHECK(startOf(out, 1) == Approx(2));
  CHECK(startOf(out, 2) == Approx(2));
  CHECK(startOf(out, 3) == Approx(3));
  const Replay in =
      replay(graphFromText("a\nb\nc\na -> d 1GB\nb -> d 1GB\nc -> d 1GB"), nodes(4, 3), {0, 1, 2, 3});
  CHECK(startOf(in, 3) == Approx(3));
}

TEST_CASE("on an uncontended network everyone has the NIC to itself") {
  Cluster cluster = nodes(3);
  cluster.network.model = NetworkModel::uncontended;
  const Replay found = replay(graphFromText("a -> b 1GB\na -> c 1GB"), cluster, {0, 1, 2});
  CHECK(startOf(found, 1) == Approx(2));
  CHECK(startOf(found, 2) == Approx(2));
}

TEST_CASE("transfers between the same two ends keep their order") {
  // b needs 1 GB of a, c another 1 GB of d; both run on n1 and come from n0, where a ends at 1 and d at 2
  const Replay found = replay(graphFromText("a\nd\na -> b 1GB\nd -> c 1GB"), nodes(2), {0, 0, 1, 1});
  CHECK(startOf(found, 2) == Approx(2)); // a -> b 1-2
  CHECK(startOf(found, 3) == Approx(3)); // d -> c 2-3
  CHECK(found.simulated.value() == Approx(4));
}

TEST_CASE("a latency is added once per transfer and delays no other") {
  Cluster cluster = nodes(2);
  cluster.network.latency = seconds(0.25);
  // 1 GB each, sent 1-2 and 2-3; there at 2.25 and 3.25
  const Replay found = replay(graphFromText("a\nd\na -> b 1GB\nd -> c 1GB"), cluster, {0, 0, 1, 1});
  CHECK(startOf(found, 2) == Approx(2.25));
  CHECK(startOf(found, 3) == Approx(3.25));
}

TEST_CASE("a link nobody described costs nothing") {
  Cluster cluster = nodes(2);
  cluster.nodeTypes[NodeTypeId(0)].nicCount = 0;
  cluster.nodeTypes[NodeTypeId(0)].nic = {};
  const Replay found = replay(graphFromText("a -> b 8GB"), cluster, {0, 1});
  CHECK(found.simulated.value() == Approx(2));
}

TEST_CASE("no task, one task, and tasks that take no time") {
  CHECK(replay(TaskGraph(), nodes(1), {}).simulated == Seconds());
  CHECK(replay(graphFromText("a"), nodes(1), {0}).simulated.value() == Approx(1));
  CHECK(replay(graphFromText("a -> b 1GB\na: 0s\nb: 0s"), nodes(2), {0, 1}).simulated.value() == Approx(1));
}

TEST_CASE("nanoseconds are replayed as exactly as seconds") {
  Cluster cluster = nodes(2);
  const Replay found = replay(graphFromText("a -> b 100B\na: 1ns\nb: 1ns"), cluster, {0, 1});
  CHECK(found.simulated.value() == Approx(102e-9).epsilon(1e-6));
}

TEST_CASE("without contention, random placements are simulated as predicted") {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    INFO("round " << round);
    std::string text;
    for (int t = 0; t < 12; ++t) {
      const std::string name(1, static_cast<char>('a' + t));
      text += name + "\n" + name + ": " + std::to_string(random() % 5) + "s\n";
      for (int from = 0; from < t; ++from)
        if (random() % 4 == 0)
          text += std::string(1, static_cast<char>('a' + from)) + " -> " + name + " " +
                  std::to_string(1 + random() % 3) + "GB\n";
    }
    Cluster cluster = nodes(3);
    cluster.network.model = NetworkModel::uncontended;
    std::vector<std::size_t> devices;
    for (int t = 0; t < 12; ++t)
      devices.push_back(random() % 3);
    const Replay found = replay(graphFromText(text), cluster, devices);
    // A device takes in and sends two at a time here, and any number in the prediction.
    CHECK(found.simulated >= found.predicted * (1 - 1e-6));
    CHECK(found.simulated <= found.predicted * 2);
  }
}
