#include "referee/ReplayPlan.h"
#include "referee/Replay.h"
#include "support/Catch.h"
#include "support/GraphText.h"

using namespace streammap;

namespace {

/// Two nodes of two GPUs of no model in particular.
Cluster twoNodes() {
  Cluster cluster;
  GpuModel gpu;
  gpu.name = "gpu";
  const GpuModelId id = cluster.models.push(gpu);
  NodeType type;
  type.gpus = {id, id};
  type.nicCount = 2;
  type.nic = {gigabytesPerSecond(1), microseconds(3)};
  type.hostLink = {gigabytesPerSecond(10), microseconds(5)};
  cluster.nodeTypes.push(type);
  cluster.network.latency = microseconds(7);
  for (const char *name : {"n0", "n1"}) {
    Node node;
    node.name = name;
    node.type = NodeTypeId(0);
    const NodeId nodeId = cluster.nodes.push(node);
    for (unsigned g : {0u, 1u})
      cluster.devices.push({nodeId, g, id, State::up, ""});
  }
  return cluster;
}

Placement spread() {
  Placement placement;
  placement.predicted.makespan = seconds(4);
  placement.assignments = {{TaskId(0), DeviceId(0), seconds(0), seconds(1), {}, ""},
                           {TaskId(1), DeviceId(2), seconds(3), seconds(4), {}, ""},
                           {TaskId(2), DeviceId(3), seconds(3), seconds(4), {}, ""}};
  // To n1's first GPU over the network, and from n1's memory on to its second.
  Transfer first, second;
  first.dependency = 0;
  first.from = DeviceId(0);
  first.to = DeviceId(2);
  first.size = second.size = bytes(1e9);
  first.route = {"n0:gpu0:host.up", "n0:nic.up", "n1:nic.down", "n1:gpu0:host.down"};
  first.start = seconds(1);
  first.end = seconds(2);
  second.dependency = 1;
  second.to = DeviceId(3);
  second.route = {"n1:gpu1:host.down"};
  second.start = seconds(2);
  second.end = seconds(2.1);
  placement.transfers = {first, second};
  return placement;
}

} // namespace

TEST_CASE("a plan knows who waits for whom, the latency of a route and the channels of its links") {
  const TaskGraph graph = graphFromText("a -> b 1GB\na -> c 1GB");
  const Expected<ReplayPlan> plan = makeReplayPlan(graph, twoNodes(), spread());
  REQUIRE(plan);
  REQUIRE(plan->transfers.size() == 2);
  CHECK(plan->transfers[0].after == std::vector<StepIndex>{0});        // a
  CHECK(plan->transfers[1].after == std::vector<StepIndex>{0, 3 + 0}); // and the first transfer
  CHECK(plan->transfers[0].latency.inMicroseconds() == Approx(5 + 3 + 7 + 3 + 5));
  CHECK(plan->transfers[1].latency.inMicroseconds() == Approx(5));
  CHECK(plan->tasks[1].after == std::vector<StepIndex>{0, 3 + 0});
  CHECK(plan->tasks[2].after == std::vector<StepIndex>{0, 3 + 1});
  CHECK(plan->ends == std::vector<std::string>{"n0:gpu0", "n1:gpu0", "n1:host", "n1:gpu1"});
  const auto nic = std::ranges::find(plan->links, "n0:nic.up", &PlanLink::name);
  REQUIRE(nic != plan->links.end());
  CHECK(nic->channels == 2);
}

TEST_CASE("a route over a link that the cluster does not have is refused by name") {
  Placement placement = spread();
  placement.transfers[0].route[1] = "n0:nic9.up";
  const Expected<ReplayPlan> plan =
      makeReplayPlan(graphFromText("a -> b 1GB\na -> c 1GB"), twoNodes(), placement);
  REQUIRE(!plan);
  CHECK(plan.error().message ==
        "the placement's routes use the link 'n0:nic9.up', which the cluster does not have");
}

TEST_CASE("a replay is written in 80 columns") {
  Replay replay{seconds(1), seconds(1.1), {}, {}};
  for (int i = 0; i < 20; ++i)
    replay.links.push_back({"a-node-with-quite-a-long-name-" + std::to_string(i) + ":nic.up", bytes(1e9),
                            seconds(0.5), seconds(0.6)});
  const std::string text = toText(replay);
  CHECK(text.find("ratio 1.1\n") != std::string::npos);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    CHECK(end - at <= 80);
    at = end + 1;
  }
}
