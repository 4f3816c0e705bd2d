// Recorded outputs of real machines and clusters: each parses to what its content says. Skipped, and said so,
// where the data is not there.
#include "ReadInput.h"
#include "discover/Merge.h"
#include "model/ClusterJson.h"
#include "model/GpuCatalogue.h"
#include "support/ForeignGraphs.h"
#include <chrono>
#include <filesystem>
#include <set>

using namespace streammap;
using namespace streammap::test;

namespace {

bool haveData() {
  if (!sharedData().empty() && std::filesystem::is_directory(sharedData() + "/discover"))
    return true;
  WARN("skipped: no discover data; set STREAMMAP_SHARED_DATA to its folder");
  return false;
}

Findings readShared(const std::string &kind, const std::string &name) {
  const Expected<std::string> text = readFile(sharedData() + "/discover/" + name);
  REQUIRE(text);
  return readAs(kind, *text, name);
}

Discovery merged(const std::vector<Findings> &sources, const MergeOptions &options = {}) {
  Diagnostics diagnostics;
  std::optional<Discovery> found = merge(sources, options, diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(found);
  return std::move(*found);
}

const NodeType &onlyType(const Discovery &found) {
  REQUIRE(found.cluster.nodeTypes.size() == 1);
  return found.cluster.nodeTypes[NodeTypeId(0)];
}

std::string firstModel(const Discovery &found) {
  return found.cluster.models[found.cluster.nodeTypes[NodeTypeId(0)].gpus.at(0)].name;
}

std::size_t count(const Cluster &cluster, State state) {
  std::size_t number = 0;
  for (const Node &node : cluster.nodes)
    number += node.state == state;
  return number;
}

} // namespace

TEST_CASE("nvidia-smi topo of seven machines") {
  if (!haveData())
    return;
  struct Case {
    const char *file;
    std::size_t gpus, nics, nvlinks, pcie;
    unsigned lanes;
  };
  for (const Case &each :
       {Case{"4gpu_pxb_pix_no_legend.txt", 4, 0, 0, 2, 0}, Case{"a800_8gpu_17nic_bond.txt", 8, 17, 28, 0, 12},
        Case{"dgx1_p100_soc_glued_header.txt", 8, 4, 16, 0, 1},
        Case{"dgx_a100_8gpu_12mlx5.txt", 8, 12, 28, 0, 12}, Case{"esc8000a_4gpu_4nic.txt", 4, 4, 0, 0, 0},
        Case{"gb200_4gpu_8nic.txt", 4, 8, 6, 0, 18}, Case{"h200_1gpu_ansi.txt", 1, 0, 0, 0, 0}}) {
    INFO(each.file);
    const Findings found = readShared("nvidia-smi-topo", std::string("nvsmi-topo/") + each.file);
    const NodeFindings &node = found.nodes.at(0);
    CHECK(node.gpus.size() == each.gpus);
    CHECK(node.nics.size() == each.nics);
    std::size_t nvlinks = 0;
    for (const GpuLinkFinding &link : node.links) {
      nvlinks += link.kind == GpuLinkKind::nvlink;
      CHECK((link.kind == GpuLinkKind::pcie || link.lanes == each.lanes));
    }
    CHECK(nvlinks == each.nvlinks);
    CHECK(node.links.size() - nvlinks == each.pcie);
  }
  const NodeFindings a800 = readShared("nvidia-smi-topo", "nvsmi-topo/a800_8gpu_17nic_bond.txt").nodes[0];
  CHECK(a800.nics[0].name == "mlx5_2");
  CHECK(a800.nics[16].name == "mlx5_bond_0");
  CHECK(a800.nics[4].nearGpus == std::vector<unsigned>{2, 3});
  const NodeFindings gb200 = readShared("nvidia-smi-topo", "nvsmi-topo/gb200_4gpu_8nic.txt").nodes[0];
  CHECK(gb200.gpus[0].numaNode->value == 0);
  CHECK(gb200.gpus[3].numaNode->value == 1);
  const NodeFindings dgx = readShared("nvidia-smi-topo", "nvsmi-topo/dgx_a100_8gpu_12mlx5.txt").nodes[0];
  CHECK(dgx.gpus[4].numaNode->value == 7);
  const NodeFindings p100 =
      readShared("nvidia-smi-topo", "nvsmi-topo/dgx1_p100_soc_glued_header.txt").nodes[0];
  CHECK(p100.nics[1].name == "mlx5_2"); // not in numeric order
  CHECK_FALSE(p100.gpus[0].numaNode);
}

TEST_CASE("nvidia-smi -L and -q -x of six machines") {
  if (!haveData())
    return;
  const Discovery mig = merged({readShared("nvidia-smi-list", "nvsmi-L/h100_mig_list.txt")});
  CHECK(onlyType(mig).gpus.size() == 4);
  CHECK(firstModel(mig) == "H100-SXM5-80GB-MIG-3g.40gb");
  const Discovery a100 = merged({readShared("nvidia-smi-xml", "nvsmi-xml/a100-sxm4-mig.xml")});
  CHECK(onlyType(a100).gpus.size() == 2);
  CHECK(a100.cluster.models[GpuModelId(0)].multiprocessors == 42);
  CHECK(a100.cluster.models[GpuModelId(0)].memory == mebibytes(19968));
  const Findings v12 = readShared("nvidia-smi-xml", "nvsmi-xml/a100-sxm4-v12.xml");
  CHECK(v12.nodes[0].gpus.size() == 1);
  CHECK(v12.nodes[0].gpus[0].product->value == "NVIDIA A100-SXM4-80GB");
  CHECK(v12.remarks.size() == 1); // four attached
  const NodeFindings dual = readShared("nvidia-smi-xml", "nvsmi-xml/dual_2070-v13.xml").nodes[0];
  REQUIRE(dual.gpus.size() == 2);
  CHECK(dual.gpus[0].readings.powerDraw == watts(9.23));
  CHECK(dual.gpus[0].powerLimit->value == watts(175));
  CHECK(dual.gpus[0].readings.temperatureCelsius == 14);
  CHECK(dual.gpus[0].hostLink->value.value() == Approx(15.75e9).epsilon(0.01));
  CHECK(merged({readShared("nvidia-smi-xml", "nvsmi-xml/dual_2070-v13.xml")}).cluster.models.size() == 1);
  CHECK(readShared("nvidia-smi-xml", "nvsmi-xml/gtx-1070-ti.xml").nodes[0].gpus[0].product->value ==
        "GeForce GTX 1070 Ti");
  CHECK(firstModel(merged({readShared("nvidia-smi-xml", "nvsmi-xml/tesla-t4.xml")})) == "T4");
}

TEST_CASE("NCCL: two hint files and a dump with NVSwitches") {
  if (!haveData())
    return;
  const Discovery aws = merged({readShared("nccl", "nccl-topo/aws_p4d.24xl.xml")});
  CHECK(onlyType(aws).gpus.size() == 8);
  CHECK(onlyType(aws).nics.size() == 4);
  CHECK(firstModel(aws) == "A100-SXM4-40GB");
  CHECK(onlyType(aws).gpuLinkKind == GpuLinkKind::none);
  const NodeFindings azure = readShared("nccl", "nccl-topo/azure_ndv4.xml").nodes[0];
  CHECK(azure.gpus.size() == 8);
  CHECK(azure.nics.size() == 8);
  CHECK(azure.gpus[0].busId == "0001:00:00.0"); // by address, not by NUMA node
  CHECK(azure.gpus[0].numaNode->value == 1);
  const Discovery oci = merged({readShared("nccl", "nccl-topo/oci_h100_dump.xml")});
  const NodeType &type = onlyType(oci);
  CHECK(firstModel(oci) == "H100-SXM5-80GB");
  CHECK(type.gpus.size() == 8);
  CHECK(type.gpuLinkKind == GpuLinkKind::nvswitch);
  CHECK(type.gpuLink.bandwidth == gigabytesPerSecond(450)); // 5 + 5 + 4 + 4 links
  CHECK(type.nics.size() == 16);
  CHECK(type.nics[0].speed.bandwidth == gigabitsPerSecond(180));
}

TEST_CASE("hwloc 2 and 3 of a DGX-2, and a POWER8 with NVLinks to its processors") {
  if (!haveData())
    return;
  for (const char *file : {"hwloc/nvidiaDGX2.v2.xml", "hwloc/nvidiaDGX2.v3.xml"}) {
    INFO(file);
    const Discovery dgx = merged({readShared("hwloc", file)});
    const NodeType &type = onlyType(dgx);
    CHECK(type.gpus.size() == 16);
    CHECK(type.gpuLinkKind == GpuLinkKind::nvswitch);
    CHECK(type.gpuLink.bandwidth == gigabytesPerSecond(150)); // six NVLinks
    CHECK(type.cpuCores == 4);
    CHECK(type.gpuNuma[0] == 0U);
    CHECK(type.gpuNuma[15] == 1U);
  }
  const Discovery power = merged({readShared("hwloc", "hwloc/power8gpudistances.v2.xml")});
  CHECK(onlyType(power).gpus.size() == 4);
  CHECK(firstModel(power) == "P100-SXM2-16GB");
  CHECK(onlyType(power).hostLink.bandwidth == gigabytesPerSecond(40));
  CHECK(onlyType(power).gpuPairs.size() == 2);
}

TEST_CASE("a fabric of 40 switches: cables are symmetric, four rails, under a second") {
  if (!haveData())
    return;
  const auto begin = std::chrono::steady_clock::now();
  const Findings found = readShared("ibnetdiscover", "ibnetdiscover/ndr_leafspine_full.out");
  MergeOptions options;
  options.assumedGpus = AssumedGpus{8, "H100-SXM5-80GB"};
  const Discovery fabric = merged({found}, options);
  CHECK(std::chrono::steady_clock::now() - begin <
        std::chrono::seconds(5)); // under load; bench/discover prints it
  CHECK(found.switches.size() == 40);
  unsigned cables = 0, leaves = 0;
  for (const SwitchFindings &each : found.switches) {
    leaves += !each.uplinks.empty();
    for (const UplinkFinding &uplink : each.uplinks) {
      cables += uplink.count;
      CHECK(uplink.to.find("SPINE") == 0);
      CHECK(uplink.bandwidth->value == gigabitsPerSecond(400));
    }
  }
  CHECK(cables == 532);
  CHECK(leaves == 31);
  std::size_t rails = 0;
  for (const NodeFindings &node : found.nodes) {
    std::set<std::string> leavesOfNode;
    for (const NicFindings &nic : node.nics)
      leavesOfNode.insert(nic.leaf);
    if (node.nics.size() == 4) {
      ++rails;
      CHECK(leavesOfNode.size() == 4);
    }
  }
  CHECK(rails == 109);
  CHECK(found.remarks.size() == 2); // 69 + 3 adapters without host, 40 aggregation nodes
}

TEST_CASE("ibnetdiscover of one switch, and a ports report") {
  if (!haveData())
    return;
  const Findings one = readShared("ibnetdiscover", "ibnetdiscover/qdr_1switch_5hosts.out");
  CHECK(one.switches.size() == 1);
  CHECK(one.nodes.size() == 5);
  CHECK(one.nodes[0].nics[0].bandwidth->value == gigabitsPerSecond(32));
  const Expected<std::string> text = readFile(sharedData() + "/discover/ibnetdiscover/ports_report_test.out");
  REQUIRE(text);
  Diagnostics diagnostics;
  const std::optional<Findings> ports = readSource(*text, "ports", nullptr, diagnostics);
  REQUIRE(ports);
  CHECK(ports->kind == "ibnetdiscover");
  CHECK(ports->nodes.size() == 3);
  CHECK(ports->switches.size() == 3); // ports without a cable name no other end
}

TEST_CASE("Slurm 22.05: a busy cluster of 16 nodes, as text and as JSON") {
  if (!haveData())
    return;
  for (const auto &[kind, file] :
       {std::pair("slurm-nodes", "scontrol_d_show_node.txt"), std::pair("slurm-json", "sinfo.json")}) {
    INFO(file);
    const Discovery found =
        merged({readShared(kind, std::string("slurm/debian-22.05.8-mixed/") + file),
                readShared("slurm-topology", "slurm/debian-22.05.8-mixed/topology.conf")});
    const Cluster &cluster = found.cluster;
    REQUIRE(cluster.nodes.size() == 16);
    CHECK(cluster.nodeTypes.size() == 2);
    CHECK(cluster.network.switches.size() == 5);
    CHECK(count(cluster, State::busy) == 1);
    CHECK(count(cluster, State::drained) == 3); // IDLE+DRAIN, MIXED+DRAIN, IDLE+FAIL
    CHECK(count(cluster, State::down) == 1);
    CHECK(count(cluster, State::reserved) == 2);
    CHECK(cluster.nodes[NodeId(2)].reason == "GPU 3 fell off the bus, Xid 79");
    std::size_t busy = 0; // n005 and n006: GPUs 0 to 3
    for (const Device &device : cluster.devices)
      busy += (device.node == NodeId(4) || device.node == NodeId(5)) && device.state == State::busy;
    CHECK(busy == 8);
    CHECK(cluster.network.switches[*cluster.nodes[NodeId(8)].leaf].name == "leaf3");
  }
  CHECK(readShared("slurm-nodes", "slurm/debian-22.05.8-mixed/scontrol_o_show_node.txt").nodes.size() == 16);
  CHECK(readShared("slurm-gres", "slurm/debian-22.05.8-mixed/gres.conf").nodes.size() == 16);
  CHECK(readShared("slurm-topology", "slurm/debian-22.05.8-mixed/scontrol_show_topology.txt").nodes.size() ==
        16);
}

TEST_CASE("Slurm: invalid registrations, power saving, mixed GPUs, no topology") {
  if (!haveData())
    return;
  const Discovery invalid =
      merged({readShared("slurm-nodes", "slurm/debian-22.05.8-gres-inval/scontrol_d_show_node.txt")});
  CHECK(count(invalid.cluster, State::down) == 4);
  const Discovery power = merged({readShared("slurm-json", "slurm/debian-22.05.8-gres-power/sinfo.json")});
  CHECK(count(power.cluster, State::down) == 2);
  CHECK(power.cluster.nodeTypes[power.cluster.nodes[NodeId(3)].type].gpus.size() == 10);
  CHECK(readShared("slurm-topology", "slurm/debian-22.05.8-gres-inval/scontrol_show_topology.txt")
            .remarks.size() == 1);
  const Findings three =
      readShared("slurm-topology", "slurm/debian-22.05.8-200n-3level/scontrol_show_topology.txt");
  CHECK(three.nodes.size() == 200);
  CHECK(three.switches.size() == 13);
  CHECK(readShared("slurm-gres", "slurm/debian-22.05.8-200n-3level/gres.conf").nodes[199].gpus.size() == 8);
}

TEST_CASE("Slurm of other sites and versions") {
  if (!haveData())
    return;
  const Discovery rtx = merged({readShared("slurm-nodes", "slurm-public/scontrol_node_20.11_rtx8000.txt")});
  CHECK(firstModel(rtx) == "Quadro-RTX-8000");
  CHECK(onlyType(rtx).cpuCores == 40);
  const Findings h100 = readShared("slurm-nodes", "slurm-public/scontrol_node_23.11_h100.txt");
  CHECK(h100.nodes[0].gpus.size() == 8);
  CHECK(h100.nodes[0].gpusInUse->value == 2);
  CHECK(h100.nodes[0].cores->value == 112);
  CHECK(readShared("slurm-topology", "slurm-public/show_topology_block_gb300.txt").nodes.size() == 36);
  CHECK(readShared("slurm-gres", "slurm-public/gres_1.conf").nodes[0].gpus.size() == 8);
  CHECK(readShared("slurm-json", "slurm-public/sinfo_21.08.json").nodes.size() == 4);
}

TEST_CASE("a topology.conf of 10,000 nodes") {
  if (!haveData())
    return;
  const auto begin = std::chrono::steady_clock::now();
  MergeOptions options;
  options.assumedGpus = AssumedGpus{8, "H100-SXM5-80GB"};
  const Discovery found =
      merged({readShared("slurm-topology", "slurm-public/topology_tree_10k_nodes_testcase1.conf")}, options);
  CHECK(std::chrono::steady_clock::now() - begin <
        std::chrono::seconds(10)); // under load; bench/discover prints it
  CHECK(found.cluster.nodes.size() == 10000);
  CHECK(found.cluster.network.switches.size() == 529);
  CHECK(found.cluster.network.switches[*found.cluster.nodes[NodeId(21)].leaf].name == "leaf101");
}

TEST_CASE("Kubernetes and DCGM of MIG and vGPU hosts") {
  if (!haveData())
    return;
  const Discovery single = merged({readShared("kubernetes", "k8s/labels_a100_mig_single.json")});
  CHECK(onlyType(single).gpus.size() == 7);
  const GpuModel &slice = single.cluster.models[GpuModelId(0)];
  CHECK(slice.name == "A100-PCIe-40GB-MIG-1g.5gb");
  CHECK(slice.memory == mebibytes(4864));
  CHECK(slice.multiprocessors == 14);
  const Discovery vgpu = merged({readShared("kubernetes", "k8s/node_list_a16_vgpu.json")});
  CHECK(vgpu.cluster.nodes[NodeId(0)].state == State::up);
  CHECK(firstModel(vgpu) == "A16-4Q");
  CHECK(vgpu.cluster.models[GpuModelId(0)].memory == mebibytes(4096));
  const Discovery h100 = merged({readShared("kubernetes-labels", "k8s/describe_labels_h100_8gpu.txt")});
  CHECK(onlyType(h100).gpus.size() == 8);
  CHECK(firstModel(h100) == "H100-SXM5-80GB");
  const NodeFindings mixed = readShared("dcgm", "dcgm/mixed_a30mig_rtx2000ada.prom").nodes.at(0);
  CHECK(mixed.name == "n001");
  CHECK(mixed.gpus.size() == 3);
  CHECK(mixed.gpus[0].slices.size() == 2);
  CHECK(mixed.gpus[0].state->state == State::busy);
  CHECK_FALSE(mixed.gpus[1].state);
  const NodeFindings shared = readShared("dcgm", "dcgm/vgpu_a100-8c.prom").nodes.at(0);
  CHECK(shared.gpus[0].memory->value == mebibytes(7531));
}
