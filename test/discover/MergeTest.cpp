// Several sources, one cluster: what agrees, what does not, what nobody says; its check and its states.
#include "discover/Merge.h"
#include "ReadInput.h"
#include "discover/CheckCluster.h"
#include "discover/State.h"
#include "model/ClusterJson.h"
#include "sim/Fabric.h"

using namespace streammap;
using namespace streammap::test;

namespace {

Discovery merged(const std::vector<Findings> &sources, const MergeOptions &options = {}) {
  Diagnostics diagnostics;
  std::optional<Discovery> found = merge(sources, options, diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(found);
  return std::move(*found);
}

bool mentions(const std::vector<std::string> &texts, const std::string &part) {
  for (const std::string &text : texts)
    if (text.find(part) != std::string::npos)
      return true;
  return false;
}

std::string checked(const std::string &text) {
  Diagnostics diagnostics;
  const std::optional<Cluster> cluster = readCluster(text, "c.json", diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(cluster);
  checkCluster(*cluster, "c.json", diagnostics);
  return toText(diagnostics);
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// One node type of four A100 with the given links.
std::string clusterWithLinks(const std::string &links) {
  return R"({"schema": "streammap.cluster/1", "node_types": {"t": {"gpus": {"model": "A100-SXM4-80GB", "count": 4},
    "host_link": {"bandwidth": "25GB/s"}, "gpu_links": )" +
         links + R"(, "nics": {"bandwidth": "200Gb/s"}}}, "nodes": [{"names": "n1", "type": "t"}]})";
}

std::string pair(int a, int b, const char *bandwidth) {
  return "{\"between\": [" + std::to_string(a) + ", " + std::to_string(b) + "], \"bandwidth\": \"" +
         bandwidth + "\"}";
}

} // namespace

TEST_CASE("Slurm names the nodes, topo and nvidia-smi the inside, ibnetdiscover the rails") {
  const Discovery found =
      merged({readInput("slurm-nodes", "slurm-nodes.txt"), readInput("nvidia-smi-topo", "topo-nvswitch.txt"),
              readInput("nvidia-smi-list", "list-h100.txt"), readInput("ibnetdiscover", "fabric-rails.txt")});
  const Cluster &cluster = found.cluster;
  REQUIRE(cluster.nodes.size() == 3);
  const NodeType &type = cluster.nodeTypes[cluster.nodes[NodeId(0)].type];
  CHECK(type.gpus.size() == 4);
  CHECK(cluster.models[type.gpus[0]].name == "H100-SXM5-80GB");
  CHECK(type.gpuLinkKind == GpuLinkKind::nvswitch); // 3 x 18 links are more than a GPU has
  CHECK(type.gpuLink.bandwidth == gigabytesPerSecond(450));
  CHECK(type.gpuNuma == std::vector<std::optional<unsigned>>{0U, 0U, 1U, 1U});
  REQUIRE(type.nics.size() == 2);
  CHECK(type.nics[0].name == "mlx5_0");
  CHECK(type.nics[0].speed.bandwidth == gigabitsPerSecond(400));
  CHECK(type.nics[1].gpus == std::vector<unsigned>{2, 3});
  const Node &n1 = cluster.nodes[NodeId(0)];
  REQUIRE(n1.nicLeaves.size() == 2);
  CHECK(cluster.network.switches[n1.nicLeaves[1]].name == "RAIL-1");
  CHECK(cluster.devices[DeviceId(0)].state == State::busy);
  CHECK(cluster.devices[DeviceId(1)].state == State::up);
  CHECK(cluster.nodes[NodeId(1)].state == State::down);
  CHECK(found.conflicts.empty());
  CHECK(mentions(found.assumed, "topo-nvswitch.txt names no node"));
  CHECK(mentions(found.unknown, "n003: which 1 GPUs are in use"));
  CHECK(mentions(found.unknown, "host links"));
}

TEST_CASE("the same sources give the same bytes, and the file reads back to itself") {
  const std::vector<Findings> sources{readInput("slurm-nodes", "slurm-nodes.txt"),
                                      readInput("nvidia-smi-topo", "topo-nvswitch.txt"),
                                      readInput("ibnetdiscover", "fabric-rails.txt")};
  const std::string text = writeCluster(merged(sources).cluster);
  CHECK(writeCluster(merged(sources).cluster) == text);
  Diagnostics diagnostics;
  const std::optional<Cluster> read = readCluster(text, "c.json", diagnostics);
  REQUIRE(read);
  CHECK(writeCluster(*read) == text);
}

TEST_CASE("a conflict names both sources, and the hardware is believed") {
  const Findings slurm = readAs(
      "slurm-nodes", "NodeName=n1 Sockets=1 CoresPerSocket=8 Gres=gpu:v100:8 State=IDLE\n", "slurm.txt");
  Findings list = readInput("nvidia-smi-list", "list-h100.txt");
  nameNodes(list, std::vector<std::string>{"n1"});
  const Discovery found = merged({slurm, list});
  CHECK(found.cluster.nodeTypes[NodeTypeId(0)].gpus.size() == 4);
  CHECK(mentions(found.conflicts, "n1: slurm.txt:1 says 8 GPUs, list-h100.txt:1 says 4; taken: 4"));
}

TEST_CASE("two models for one GPU are a conflict") {
  const Findings slurm = readAs(
      "slurm-nodes", "NodeName=n1 Sockets=1 CoresPerSocket=8 Gres=gpu:v100:4 State=IDLE\n", "slurm.txt");
  Findings list = readInput("nvidia-smi-list", "list-h100.txt");
  nameNodes(list, std::vector<std::string>{"n1"});
  CHECK(mentions(merged({slurm, list}).conflicts,
                 "slurm.txt:1 says 'v100', list-h100.txt:1 says 'NVIDIA H100 80GB HBM3'"));
}

TEST_CASE("leaves that two sources draw differently are a conflict") {
  const Findings topology = readAs(
      "slurm-topology", "SwitchName=a Nodes=n[001-002]\nSwitchName=b Nodes=n003\nSwitchName=s Switches=a,b\n",
      "topology.conf");
  const Findings slurm = readInput("slurm-nodes", "slurm-nodes.txt");
  const Findings fabric = readAs("ibnetdiscover",
                                 "SW  1 1 0xa1 4x EDR - CA  11  1 0x1 ( 'leafA' - 'n001 HCA-1' )\n"
                                 "SW  2 1 0xa2 4x EDR - CA  12  1 0x2 ( 'leafB' - 'n002 HCA-1' )\n"
                                 "SW  2 2 0xa2 4x EDR - CA  13  1 0x3 ( 'leafB' - 'n003 HCA-1' )\n",
                                 "fabric.out");
  const Discovery found = merged({slurm, topology, fabric});
  CHECK(mentions(found.conflicts,
                 "topology.conf:1 has it under the leaf of n001 ('a'), fabric.out under another"));
  CHECK(found.cluster.network.switches.size() == 2);
}

TEST_CASE("a description that fits no node asks whose it is") {
  Diagnostics diagnostics;
  const std::vector<Findings> sources{
      readAs("slurm-nodes", "NodeName=n1 Sockets=1 CoresPerSocket=8 Gres=gpu:v100:8 State=IDLE\n",
             "slurm.txt"),
      readInput("nvidia-smi-list", "list-h100.txt")};
  CHECK_FALSE(merge(sources, {}, diagnostics));
  CHECK(contains(toText(diagnostics),
                 "list-h100.txt:1: error: describes a node with 4 GPUs without naming it"));
}

TEST_CASE("nodes nobody describes are left out, or hold what --gpus says") {
  const std::vector<Findings> sources{readInput("slurm-topology", "topology.conf")};
  Diagnostics diagnostics;
  CHECK_FALSE(merge(sources, {}, diagnostics));
  CHECK(contains(toText(diagnostics), "no source says what the nodes hold"));
  MergeOptions options;
  options.assumedGpus = AssumedGpus{8, "H100-SXM5-80GB"};
  const Discovery found = merged(sources, options);
  CHECK(found.cluster.nodes.size() == 3);
  CHECK(found.cluster.network.switches.size() == 5);
  CHECK(mentions(found.assumed, "n[001-003]: 8 x H100-SXM5-80GB (--gpus)"));
}

TEST_CASE("MIG devices are devices with their share of the GPU") {
  const Discovery found = merged({readInput("nvidia-smi-xml", "nvidia-smi.xml")});
  REQUIRE(found.cluster.devices.size() == 3);
  const GpuModel &slice = found.cluster.models[found.cluster.devices[DeviceId(1)].model];
  CHECK(slice.name == "A100-SXM4-40GB-MIG-42sm.20gb");
  CHECK(slice.memory == mebibytes(19968));
  CHECK(slice.multiprocessors == 42);
  CHECK(slice.peak[static_cast<std::size_t>(FlopType::fp64)].value() == Approx(9.7e12 * 42 / 108));
  CHECK(found.cluster.devices[DeviceId(0)].state == State::drained); // three uncorrectable errors
  CHECK(found.cluster.devices[DeviceId(1)].state == State::busy);
}

TEST_CASE("Slurm's general names are made precise by whoever knows more, else reported") {
  const Findings slurm = readAs(
      "slurm-nodes", "NodeName=n1 Sockets=1 CoresPerSocket=8 Gres=gpu:a100:1 State=IDLE\n", "slurm.txt");
  CHECK(mentions(merged({slurm}).assumed, "'a100' of slurm.txt may be A100-SXM4-80GB, A100-SXM4-40GB"));
  Findings list = readAs("nvidia-smi-list", "GPU 0: NVIDIA A100-PCIE-40GB (UUID: GPU-1)\n", "list.txt");
  nameNodes(list, std::vector<std::string>{"n1"});
  const Discovery precise = merged({slurm, list});
  CHECK(precise.cluster.models[GpuModelId(0)].name == "A100-PCIe-40GB");
  CHECK(precise.assumed.empty());
}

TEST_CASE("check: a GPU taken for host memory, as in the link table of starpu-runtime/starpu#33") {
  // GPU 0's row is NUMA node 0's: PCIe speed to all, while the others see each other over NVSwitch.
  const std::string text = checked(clusterWithLinks(
      "[" + pair(0, 1, "25GB/s") + "," + pair(0, 2, "25GB/s") + "," + pair(0, 3, "25GB/s") + "," +
      pair(1, 2, "240GB/s") + "," + pair(1, 3, "240GB/s") + "," + pair(2, 3, "240GB/s") + "]"));
  CHECK(contains(text, "c.json:/node_types/t/gpu_links: warning: GPU 0 is linked at 25.0 GB/s, the others to "
                       "each other at 240 GB/s"));
  CHECK(contains(checked(clusterWithLinks("[" + pair(1, 2, "240GB/s") + "," + pair(1, 3, "240GB/s") + "," +
                                          pair(2, 3, "240GB/s") + "]")),
                 "GPU 0 is linked to no other, all others are"));
  CHECK_FALSE(
      contains(checked(clusterWithLinks("[" + pair(0, 1, "100GB/s") + "," + pair(2, 3, "100GB/s") + "]")),
               "wrong link table"));
}

TEST_CASE("check: a direct link slower than none, and rates no hardware has") {
  CHECK(contains(checked(clusterWithLinks("{\"kind\": \"nvlink\", \"bandwidth\": \"10GB/s\"}")),
                 "slower than none"));
  CHECK(contains(checked(clusterWithLinks("{\"kind\": \"nvswitch\", \"bandwidth\": \"600GB/s\"}")),
                 "sum of both directions"));
  CHECK_FALSE(contains(checked(clusterWithLinks("{\"kind\": \"nvswitch\", \"bandwidth\": \"300GB/s\"}")),
                       "gpu_links"));
  CHECK(contains(
      checked(
          R"({"schema": "streammap.cluster/1", "node_types": {"t": {"cpu_cores": 4, "nics": {"bandwidth": "400GB/s"}}},
                             "nodes": [{"names": "n1", "type": "t"}]})"),
      "is it in bits per second"));
}

TEST_CASE("check: islands, idle switches, oversubscription, NUMA") {
  const std::string text = checked(R"({"schema": "streammap.cluster/1",
    "node_types": {"t": {"gpus": [{"model": "A100-SXM4-80GB", "count": 1, "numa": 0}, {"model": "A100-SXM4-80GB", "count": 1, "numa": 1}],
      "nics": [{"name": "mlx5_0", "bandwidth": "200Gb/s", "numa": 1, "gpus": [0]}]}},
    "nodes": [{"names": "n[1-4]", "type": "t", "switch": "l1"}, {"names": "n[5-8]", "type": "t", "switch": "l2"}],
    "network": {"switches": [{"name": "l1", "uplinks": [{"to": "s1", "count": 2, "bandwidth": "200Gb/s"}]},
      {"name": "l2", "uplinks": [{"to": "s2", "count": 4, "bandwidth": "200Gb/s"}]}, {"name": "s1"}, {"name": "s2"}, {"name": "l3"}]}})");
  CHECK(contains(text, "no way from 'l2' to 'l1'"));
  CHECK(contains(text, "l3: no node and no switch hangs on it"));
  CHECK(contains(text, "l1: 100 GB/s of NICs below, 50.0 GB/s of uplinks: oversubscribed 2 to 1"));
  CHECK_FALSE(contains(text, "l2: 100 GB/s"));
  CHECK(contains(text, "near GPU 0 of NUMA node 0, but itself at NUMA node 1"));
  CHECK(contains(text, "GPU 1 is near no NIC"));
}

TEST_CASE("state: what changes is told, what nobody mentions stays") {
  Cluster cluster = merged({readInput("slurm-nodes", "slurm-nodes.txt")}).cluster;
  const Findings later = readAs("slurm-nodes",
                                "NodeName=n001 Gres=gpu:h100:4 GresUsed=gpu:h100:1(IDX:1) State=IDLE\n"
                                "NodeName=n002 Gres=gpu:h100:4 GresUsed=gpu:h100:0(IDX:N/A) State=IDLE\n"
                                "NodeName=n009 State=IDLE\n",
                                "later.txt");
  Diagnostics diagnostics;
  const StateRefresh refresh = refreshState(cluster, std::vector<Findings>{later}, diagnostics);
  std::vector<std::string> texts;
  for (const StateChange &change : refresh.changes)
    texts.push_back(toText(change));
  CHECK(texts == std::vector<std::string>{"n001:gpu0: busy -> up",
                                          "n001:gpu1: up -> busy (allocated by Slurm)",
                                          "n001:gpu3: busy -> up", "n002: down -> up"});
  CHECK(contains(toText(diagnostics), "later.txt:3: warning: node 'n009' is not in the cluster file"));
  CHECK(cluster.devices[DeviceId(1)].state == State::busy);
  CHECK(cluster.devices[DeviceId(0)].state == State::up);
  for (const Device &device : cluster.devices)
    if (device.node == NodeId(1))
      CHECK(device.state == State::up);
  Diagnostics again;
  CHECK(refreshState(cluster, std::vector<Findings>{later}, again).changes.empty());
}

TEST_CASE("state: a drained node takes its devices with it and gives them back") {
  Cluster cluster = merged({readInput("slurm-nodes", "slurm-nodes.txt")}).cluster;
  Diagnostics diagnostics;
  const auto set = [&](const std::string &state) {
    return refreshState(cluster,
                        std::vector<Findings>{
                            readAs("slurm-nodes", "NodeName=n003 State=" + state + " Reason=fan\n", "s.txt")},
                        diagnostics);
  };
  CHECK(set("IDLE+DRAIN").changes.size() == 1);
  for (const Device &device : cluster.devices)
    if (device.node == NodeId(2))
      CHECK(device.state == State::drained);
  CHECK(set("IDLE").changes.size() == 1);
  for (const Device &device : cluster.devices)
    if (device.node == NodeId(2))
      CHECK(device.state == State::up);
}

TEST_CASE("state: readings and what they mean") {
  Cluster cluster = merged({readInput("dcgm", "dcgm.prom")}).cluster;
  CHECK(cluster.devices[DeviceId(0)].state == State::busy); // 19.5 GiB that no pod owns up to
  CHECK(cluster.devices[DeviceId(1)].state == State::drained);
  const std::string text = writeCluster(cluster);
  CHECK(contains(text, "\"temperature_celsius\":61"));
  CHECK(contains(text, "\"throttle\":\"hw_thermal_slowdown\""));
  Diagnostics diagnostics;
  const std::optional<Cluster> read = readCluster(text, "c.json", diagnostics);
  REQUIRE(read);
  CHECK(writeCluster(*read) == text);
}

TEST_CASE("rails: data goes through the NIC near its GPU, over a spine only between rails") {
  const Discovery found =
      merged({readInput("slurm-nodes", "slurm-nodes.txt"), readInput("nvidia-smi-topo", "topo-nvswitch.txt"),
              readInput("ibnetdiscover", "fabric-rails.txt")});
  const Fabric fabric(found.cluster);
  const auto names = [&](std::size_t fromGpu, std::size_t toGpu) {
    std::string text; // four GPUs and the cores are the devices of a node
    for (LinkId link :
         fabric.route(fabric.placeOf(DeviceId(fromGpu)), fabric.placeOf(DeviceId(5 + toGpu))).links)
      text += (text.empty() ? "" : " ") + fabric.links()[link].name;
    return text;
  };
  CHECK(names(0, 1) == "n001:mlx5_0.up n002:mlx5_0.down");
  CHECK(names(2, 3) == "n001:mlx5_3.up n002:mlx5_3.down");
  CHECK(names(0, 2) == "n001:mlx5_0.up RAIL-0>SPINE-0 SPINE-0>RAIL-1 n002:mlx5_3.down");
}
