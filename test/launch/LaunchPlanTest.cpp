#include "launch/LaunchPlan.h"
#include "launch/Slurm.h"
#include "model/ClusterJson.h"
#include "support/Catch.h"

using namespace streammap;

namespace {

/// Two leaves with interleaved names, and a node with fewer GPUs.
Cluster cluster() {
  Diagnostics diagnostics;
  return readCluster(R"({"schema": "streammap.cluster/1",
     "node_types": {"big": {"cpu_cores": 32, "gpus": {"model": "A100-SXM4-80GB", "count": 4}},
                    "small": {"cpu_cores": 8, "gpus": {"model": "T4", "count": 2}}},
     "nodes": [{"names": "n[1,3,10]", "type": "big", "switch": "leaf2"},
               {"names": "n[2,4]", "type": "big", "switch": "leaf1"},
               {"names": "m1", "type": "small", "switch": "leaf1"}],
     "network": {"switches": [{"name": "leaf1", "uplinks": [{"to": "spine"}]},
                              {"name": "leaf2", "uplinks": [{"to": "spine"}]}, {"name": "spine"}]}})",
                     "cluster.json", diagnostics)
      .value();
}

std::vector<std::string> nodesOf(const LaunchPlan &plan) {
  std::vector<std::string> names;
  for (const Rank &rank : plan.ranks)
    names.push_back(rank.node);
  return names;
}

using Names = std::vector<std::string>;

const std::vector<NodeUse> allNodes{{"n1", {0}}, {"n2", {0}}, {"n3", {0}}, {"n4", {0, 2}}, {"n10", {1}}};

} // namespace

TEST_CASE("Ranks walk the switches leaf by leaf, so the ring crosses between two leaves twice") {
  const Cluster machine = cluster();
  const LaunchPlan plan = planRanks(allNodes, &machine, RanksPer::node);
  CHECK(nodesOf(plan) == Names{"n2", "n4", "n1", "n3", "n10"});
  CHECK(leafCrossings(plan) == 2);
  LaunchPlan byName = planRanks(allNodes, nullptr, RanksPer::node);
  CHECK(nodesOf(byName) == Names{"n1", "n2", "n3", "n4", "n10"});
  for (Rank &rank : byName.ranks)
    rank.leaf =
        machine.network.switches[*std::ranges::find(machine.nodes, rank.node, &Node::name)->leaf].name;
  CHECK(leafCrossings(byName) == 4);
}

TEST_CASE("A node the cluster file does not have comes last, with the GPUs it uses") {
  const Cluster machine = cluster();
  const LaunchPlan plan = planRanks({{"a", {3}}, {"n1", {0}}}, &machine, RanksPer::node);
  CHECK(nodesOf(plan) == Names{"n1", "a"});
  CHECK(plan.ranks[1].nodeGpus == 4);
}

TEST_CASE("Every rank sees all GPUs of its node, which CUDA IPC between its ranks needs") {
  const Cluster machine = cluster();
  const LaunchPlan plan = planRanks({{"n4", {0, 2}}, {"m1", {1}}}, &machine, RanksPer::gpu);
  REQUIRE(nodesOf(plan) == Names{"m1", "n4", "n4"});
  CHECK(rankEnvironment(plan, 0).at("CUDA_VISIBLE_DEVICES") == "1,0"); // its own first
  CHECK(rankEnvironment(plan, 1).at("CUDA_VISIBLE_DEVICES") == "0,1,2,3");
  CHECK(rankEnvironment(plan, 2).at("CUDA_VISIBLE_DEVICES") == "2,3,0,1");
  CHECK(plan.ranks[2].localRank == 1);
  CHECK(commonEnvironment(plan, "p.json").count("STREAMMAP_PLACEMENT") == 0);
}

TEST_CASE("A program of ours counts the GPUs of its node by itself and is told where its ranks are") {
  const Cluster machine = cluster();
  const LaunchPlan plan = planRanks({{"n1", {2}}, {"n3", {0}}}, &machine, RanksPer::node);
  CHECK(rankEnvironment(plan, 0).at("CUDA_VISIBLE_DEVICES") == "0,1,2,3");
  CHECK(commonEnvironment(plan, "p.json") == Environment{{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
                                                         {"STREAMMAP_CHECK_NODES", "1"},
                                                         {"STREAMMAP_NODES", "n[1,3]"},
                                                         {"STREAMMAP_PLACEMENT", "p.json"}});
}

TEST_CASE("Network devices are named as UCX and NCCL want them") {
  LaunchPlan plan = planRanks({{"n1", {0}}}, nullptr, RanksPer::node);
  plan.ranks[0].nics = {"mlx5_0", "mlx5_1"};
  CHECK(rankEnvironment(plan, 0).at("UCX_NET_DEVICES") == "mlx5_0:1,mlx5_1:1");
  CHECK(rankEnvironment(plan, 0).at("NCCL_IB_HCA") == "=mlx5_0:1,mlx5_1:1");
  plan.ranks[0].nics = {"eth1"};
  CHECK(rankEnvironment(plan, 0).at("UCX_NET_DEVICES") == "eth1");
  CHECK(rankEnvironment(plan, 0).at("NCCL_SOCKET_IFNAME") == "=eth1");
  CHECK(rankEnvironment(plan, 0).count("NCCL_IB_HCA") == 0);
}

TEST_CASE("Ranks are bound to the NICs behind their GPUs' PCIe switch, else to those of the NUMA node") {
  Diagnostics diagnostics;
  const std::optional<Cluster> machine = readCluster(R"({"schema": "streammap.cluster/1",
     "node_types": {"t": {"gpus": [{"model": "A100-SXM4-80GB", "count": 2, "numa": 0},
                                   {"model": "A100-SXM4-80GB", "count": 2, "numa": 1}],
        "nics": [{"name": "mlx5_0", "bandwidth": "200Gb/s", "gpus": [0]}, {"name": "mlx5_1", "bandwidth": "200Gb/s", "numa": 0},
                 {"name": "mlx5_2", "bandwidth": "200Gb/s", "gpus": [2, 3]}]},
        "plain": {"gpus": {"model": "A100-SXM4-80GB", "count": 2}, "nics": {"count": 2, "bandwidth": "200Gb/s"}}},
     "nodes": [{"names": "n1", "type": "t"}, {"names": "n2", "type": "plain"}]})",
                                                     "cluster.json", diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(machine);
  const LaunchPlan gpus = planRanks({{"n1", {0, 1, 2}}, {"n2", {0}}}, &*machine, RanksPer::gpu);
  CHECK(gpus.ranks[0].nics == Names{"mlx5_0"});
  CHECK(gpus.ranks[1].nics == Names{"mlx5_1"}); // no NIC behind its switch
  CHECK(gpus.ranks[2].nics == Names{"mlx5_2"});
  CHECK(gpus.ranks[3].nics.empty()); // nothing known
  CHECK(rankEnvironment(gpus, 2).at("NCCL_IB_HCA") == "=mlx5_2:1");
  CHECK(planRanks({{"n1", {0, 2}}}, &*machine, RanksPer::node).ranks[0].nics == Names{"mlx5_0", "mlx5_2"});
  CHECK(planRanks({{"n1", {0, 1, 3}}}, &*machine, RanksPer::node).ranks[0].nics ==
        Names{"mlx5_0", "mlx5_1", "mlx5_2"});
}

TEST_CASE("A placement uses the nodes and GPUs of its assignments") {
  const Cluster machine = cluster();
  Placement placement;

  for (DeviceId device : machine.devices.ids())
    if (deviceName(machine, device) == "n3:gpu2" || deviceName(machine, device) == "n1:cpu")
      placement.assignments.push_back({TaskId(0), device, {}, {}, Origin::unknown, ""});
  CHECK(nodesInUse(placement, machine) == std::vector<NodeUse>{{"n1", {}}, {"n3", {2}}});
}

TEST_CASE("Slurm gets one component where all nodes have as many GPUs, in any order of names") {
  const Cluster machine = cluster();
  const std::vector<SlurmComponent> one = slurmComponents(planRanks(allNodes, &machine, RanksPer::node));
  REQUIRE(one.size() == 1);
  CHECK(one[0].ranks == 5);
  CHECK(one[0].gpusPerNode == 4);
  CHECK(slurmRequest(one[0]) ==
        Names{"--nodes=5", "--ntasks=5", "--nodelist=n[1-4,10]", "--exclusive", "--gres=gpu:4"});
}

TEST_CASE("Nodes that Slurm would wait for are told from those it uses") {
  CHECK(unusableNodes("n001|idle|none\nn002|drained|bad, memory\nn003|mixed|none\nn004|down*|Not responding\n"
                      "n002|drained|bad, memory\nn005|idle~|none\n") ==
        std::vector<UnusableNode>{{"n002", "drained", "bad, memory"}, {"n004", "down", "Not responding"}});
  CHECK(unusableNodes("").empty());
}

TEST_CASE("Nodes of two kinds become a heterogeneous job whose components keep the rank order") {
  const Cluster machine = cluster();
  std::vector<NodeUse> uses = allNodes;
  uses.push_back({"m1", {0}});
  const LaunchPlan plan = planRanks(uses, &machine, RanksPer::node);
  REQUIRE(nodesOf(plan) == Names{"m1", "n2", "n4", "n1", "n3", "n10"});
  const std::vector<SlurmComponent> components = slurmComponents(plan);
  REQUIRE(components.size() == 3); // n1 comes after n4: Slurm would sort it before
  CHECK(components[0].nodes == Names{"m1"});
  CHECK(components[0].gpusPerNode == 2);
  CHECK(components[1].nodes == Names{"n2", "n4"});
  CHECK(components[2].nodes == Names{"n1", "n3", "n10"});
  CHECK(components[2].firstRank == 3);
}
