// Each parser on a small text with the traits of real ones, and on texts that are wrong.
#include "ReadInput.h"
#include "discover/GpuNames.h"
#include "discover/LinkRates.h"

using namespace streammap;
using namespace streammap::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("nvidia-smi topo: an underlined header, a NIC legend, empty cells") {
  const Findings found = readInput("nvidia-smi-topo", "topo-nvswitch.txt");
  REQUIRE(found.nodes.size() == 1);
  const NodeFindings &node = found.nodes[0];
  CHECK(node.name.empty());
  CHECK(node.gpuCount->value == 4);
  REQUIRE(node.links.size() == 6);
  CHECK(node.links[0].lanes == 18);
  CHECK(node.gpus[0].numaNode->value == 0);
  CHECK(node.gpus[3].numaNode->value == 1);
  REQUIRE(node.nics.size() == 2);
  CHECK(node.nics[0].name == "mlx5_0");
  CHECK(node.nics[1].name == "mlx5_3");
  CHECK(node.nics[1].nearGpus == std::vector<unsigned>{2, 3});
}

TEST_CASE("nvidia-smi topo: what is no matrix is told by line") {
  CHECK(contains(mistakes("nvidia-smi-topo", "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tPIX\n"),
                 "in.txt:3: error: the row of GPU1 has 1 connections"));
  CHECK(contains(mistakes("nvidia-smi-topo", "\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tOK\tX\n"),
                 "in.txt:2:8: error: 'OK' is no connection"));
  CHECK(contains(mistakes("nvidia-smi-topo", "\tGPU0\tGPU1\nGPU0\tX\tPIX\n"), "GPU1, but it has no row"));
  CHECK(contains(mistakes("nvidia-smi-topo", "NVIDIA-SMI has failed\n"), "no matrix"));
  CHECK(contains(mistakes("nvidia-smi-topo", "\tGPU0\nGPU0\tX\nGPU0\tX\n"), "in.txt:3: error: a second row"));
}

TEST_CASE("nvidia-smi topo: rows that disagree are reported, the slower counts") {
  Diagnostics diagnostics;
  const std::optional<Findings> found = readSource("\tGPU0\tGPU1\nGPU0\tX\tNV4\nGPU1\tNV2\tX\n", "in.txt",
                                                   sourceKindNamed("nvidia-smi-topo"), diagnostics);
  REQUIRE(found);
  CHECK(contains(toText(diagnostics), "in.txt:3: warning: asymmetric"));
  CHECK(found->nodes[0].links.at(0).lanes == 2);
}

TEST_CASE("nvidia-smi -q -x: memory, link, MIG, states and readings of both DTDs") {
  const Findings found = readInput("nvidia-smi-xml", "nvidia-smi.xml");
  REQUIRE(found.nodes[0].gpus.size() == 2);
  const GpuFindings &h100 = found.nodes[0].gpus[0], &a100 = found.nodes[0].gpus[1];
  CHECK(h100.busId == "0000:0f:00.0");
  CHECK(h100.memory->value == mebibytes(81559));
  CHECK(h100.powerLimit->value == watts(700));
  CHECK(h100.readings.powerDraw == watts(99.5));
  CHECK(h100.readings.temperatureCelsius == 88);
  CHECK(h100.readings.throttle == "hw_thermal_slowdown");
  CHECK(h100.readings.uncorrectableErrors == 3);
  CHECK(h100.hostLink->value.value() == Approx(63.015e9).epsilon(1e-3)); // 32 GT/s x 16 x 128/130 / 8
  CHECK(h100.state->state == State::up);                                 // a display server computes nothing
  CHECK(a100.migEnabled);
  REQUIRE(a100.slices.size() == 2);
  CHECK(a100.slices[1].memory == mebibytes(4864));
  CHECK(a100.slices[1].multiprocessors == 14);
  CHECK_FALSE(a100.readings.memoryUsed);
  CHECK(a100.state->state == State::busy);
  CHECK(a100.state->reason == "2 processes");
  CHECK(found.remarks.size() == 1); // three attached, two described
  CHECK(contains(mistakes("nvidia-smi-xml", "<nvidia_smi_log>\n<gpu>\n</nvidia_smi_log>"),
                 "in.txt:3: error: not well-formed XML"));
}

TEST_CASE("nvidia-smi -L: names, MIG devices, and a line that is none") {
  const Findings found = readInput("nvidia-smi-list", "list-h100.txt");
  CHECK(found.nodes[0].gpuCount->value == 4);
  const Findings mig =
      readAs("nvidia-smi-list",
             "GPU 0: NVIDIA A30 (UUID: GPU-1)\n  MIG 1g.6gb      Device  0: (UUID: MIG-2)\n", "in.txt");
  CHECK(mig.nodes[0].gpus[0].slices.at(0).memory == gibibytes(6));
  CHECK(contains(mistakes("nvidia-smi-list", "GPU 0: A\nGPU 2: B\n"), "in.txt:2: error: expected 'GPU 1:"));
  CHECK(contains(mistakes("nvidia-smi-list", "No devices were found\n"), "in.txt:1: error"));
}

TEST_CASE("scontrol show node: indices in use, old and new states, free text with equals signs") {
  const Findings found = readInput("slurm-nodes", "slurm-nodes.txt");
  REQUIRE(found.nodes.size() == 3);
  const NodeFindings &n1 = found.nodes[0], &n2 = found.nodes[1], &n3 = found.nodes[2];
  CHECK(n1.cores->value == 96);
  CHECK(n1.memory->value == mebibytes(1024000));
  CHECK(n1.gpus.size() == 4);
  CHECK(n1.gpus[0].state->state == State::busy);
  CHECK(n1.gpus[1].state->state == State::up);
  CHECK(n1.gpus[3].state->state == State::busy);
  CHECK(n1.state->state == State::up);
  CHECK(n2.state->state == State::down);
  CHECK(n2.state->reason == "GPU 3 fell off the bus, Xid=79 (again)");
  CHECK(n3.state->state == State::up);
  CHECK(n3.gpusInUse->value == 1);
  CHECK(contains(mistakes("slurm-nodes", "NodeName=a Sockets=2 CoresPerSocket=many State=IDLE\n"),
                 "in.txt:1: error: CoresPerSocket is 'many'"));
  CHECK(
      contains(mistakes("slurm-nodes", "NodeName=a Gres=gpu:a100:4000 State=IDLE\n"), "more than 1024 GPUs"));
}

TEST_CASE("topology.conf: keys in any case, continued lines, a spine under two cores") {
  const Findings found = readInput("slurm-topology", "topology.conf");
  REQUIRE(found.switches.size() == 5);
  REQUIRE(found.nodes.size() == 3);
  CHECK(found.nodes[2].leaf->value == "leaf2");
  CHECK(found.switches[2].uplinks.size() == 2);
  CHECK(contains(mistakes("slurm-topology", "SwitchName=s Switches=leaf[1-2]\n"),
                 "in.txt:1: error: the switch 'leaf1' below 's'"));
  CHECK(contains(mistakes("slurm-topology", "SwitchName=s Nodes=n[1-\n"), "in.txt:1: error: Nodes='n[1-'"));
  CHECK(contains(mistakes("slurm-topology", "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1\n"),
                 "in.txt:2: error: node 'n1' hangs on a switch already, in line 1"));
  CHECK(readAs("slurm-topology", "scontrol: error: No topology information available\n", "in.txt")
            .remarks.size() == 1);
  const Findings blocks =
      readAs("slurm-topology", "# block001=nvl-1\nBlockName=b1 Nodes=w[0-17] BlockSize=16\nBlockSizes=16\n",
             "in.txt");
  CHECK(blocks.nodes.size() == 18);
  CHECK(blocks.nodes[3].rack->value == "b1");
}

TEST_CASE("gres.conf: several lines of a node, counts, MIG types") {
  const Findings found = readInput("slurm-gres", "gres.conf");
  REQUIRE(found.nodes.size() == 3);
  CHECK(found.nodes[0].gpus.size() == 4);
  CHECK(found.nodes[0].gpus[1].product->value == "a100");
  CHECK(found.nodes[0].gpus[2].product->value == "v100");
  CHECK(found.nodes[2].gpus.size() == 7);
  CHECK(contains(mistakes("slurm-gres", "Name=gpu Count=some\n"), "in.txt:1: error: Count='some'"));
}

TEST_CASE("sinfo --json of 24.11 and scontrol --json of 24.05") {
  const Findings grouped = readInput("slurm-json", "sinfo-24.11.json");
  REQUIRE(grouped.nodes.size() == 3);
  CHECK(grouped.nodes[1].name == "n002");
  CHECK(grouped.nodes[1].cores->value == 64);
  CHECK(grouped.nodes[1].gpus.at(2).state->state == State::busy);
  CHECK(grouped.nodes[2].state->state == State::drained);
  CHECK(grouped.nodes[2].state->reason == "fan failure");
  const Findings listed = readInput("slurm-json", "nodes-24.05.json");
  REQUIRE(listed.nodes.size() == 2);
  CHECK(listed.nodes[0].state->state == State::busy);
  CHECK(listed.nodes[0].memory->value == mebibytes(512000));
  CHECK_FALSE(listed.nodes[1].memory);
  CHECK(listed.nodes[1].state->state == State::reserved);
  CHECK(contains(mistakes("slurm-json", "{\"nodes\": [{\"gres\": \"\"}]}"),
                 "in.txt:/nodes/0: error: a node without 'name'"));
}

TEST_CASE("NCCL: PCIe nearness, direct NVLinks, empty speeds, a link to oneself") {
  const Findings found = readInput("nccl", "nccl-nvlink.xml");
  const NodeFindings &node = found.nodes[0];
  REQUIRE(node.gpus.size() == 4);
  CHECK(node.gpus[0].busId == "0000:02:00.0");
  CHECK(node.gpus[0].product->value == "A100-SXM4-40GB");
  CHECK(node.gpus[2].numaNode->value == 1);
  CHECK_FALSE(node.gpus[1].hostLink);
  CHECK(node.links.size() == 4); // the ring
  REQUIRE(node.nics.size() == 2);
  CHECK(node.nics[0].name == "mlx5_1");
  CHECK(node.nics[0].nearGpus == std::vector<unsigned>{2, 3});
  CHECK(node.nics[0].bandwidth->value == gigabitsPerSecond(200));
  CHECK(contains(mistakes("nccl", "<graphs version=\"1\"/>"), "NCCL_TOPO_DUMP_FILE"));
}

TEST_CASE("hwloc 1: NUMA nodes around their devices, no version, no NVLinks") {
  const Findings found = readInput("hwloc", "hwloc-v1.xml");
  const NodeFindings &node = found.nodes[0];
  CHECK(node.name == "old01");
  CHECK(node.cores->value == 4);
  CHECK(node.memory->value == gibibytes(128));
  REQUIRE(node.gpus.size() == 2);
  CHECK(node.gpus[1].numaNode->value == 1);
  CHECK(node.gpus[1].product->value == "P100-PCIe-16GB");
  CHECK_FALSE(node.linksWhere);
  REQUIRE(node.nics.size() == 1);
  CHECK(node.nics[0].name == "mlx5_0");
  CHECK(node.nics[0].nearGpus == std::vector<unsigned>{1});
}

TEST_CASE("ibnetdiscover: rails, several cables, adapters without host") {
  const Findings found = readInput("ibnetdiscover", "fabric-rails.txt");
  REQUIRE(found.nodes.size() == 2);
  CHECK(found.nodes[0].name == "n001");
  REQUIRE(found.nodes[0].nics.size() == 2);
  CHECK(found.nodes[0].nics[0].leaf == "RAIL-0");
  CHECK(found.nodes[0].nics[1].leaf == "RAIL-1");
  CHECK(found.nodes[0].nics[1].bandwidth->value == gigabitsPerSecond(400));
  CHECK(found.switches.size() == 3);
  for (const SwitchFindings &each : found.switches) {
    if (each.name == "SPINE-0") {
      CHECK(each.uplinks.empty());
      continue;
    }
    REQUIRE(each.uplinks.size() == 1);
    CHECK(each.uplinks[0].to == "SPINE-0");
    CHECK(each.uplinks[0].count == 2);
  }
  CHECK(found.remarks.size() == 2);
  CHECK(contains(mistakes("ibnetdiscover", "switchguid=0x1\n[1]\t\"S-1\"[1]\t# \"x\" lid 1 4xNDR\n"),
                 "in.txt:2: error: a port before any Switch"));
}

TEST_CASE("Kubernetes: sharing, MIG, taints, readiness, levels of the network, pods") {
  const Findings found = readInput("kubernetes", "kubernetes.json");
  REQUIRE(found.nodes.size() == 3);
  CHECK(found.nodes[0].state->state == State::up);
  CHECK(found.nodes[0].gpusInUse->value == 3);
  CHECK(found.nodes[0].rack->value == "c1.7");
  CHECK(found.nodes[0].leaf->value == "l1");
  CHECK(found.nodes[1].gpus.size() == 8);
  CHECK(found.nodes[1].gpus[0].product->value == "NVIDIA-H100-80GB-HBM3");
  CHECK(found.nodes[1].state->state == State::drained);
  CHECK(found.nodes[2].gpus.size() == 3);
  CHECK(found.nodes[2].gpus[2].product->value == "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb");
  CHECK(found.nodes[2].state->state == State::down);
  CHECK(found.switches.size() == 3);
  CHECK(contains(mistakes("kubernetes", "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\"}"),
                 "expected a list of nodes"));
}

TEST_CASE("DCGM: escapes, blanks, indentation, throttling and errors") {
  const Findings found = readInput("dcgm", "dcgm.prom");
  REQUIRE(found.nodes.size() == 1);
  const GpuFindings &first = found.nodes[0].gpus.at(0), &second = found.nodes[0].gpus.at(1);
  CHECK(first.readings.temperatureCelsius == 61);
  CHECK(first.readings.powerDraw == watts(381.5));
  CHECK(first.readings.throttle == "hw_thermal_slowdown");
  CHECK(first.memory->value == mebibytes(40955));
  CHECK_FALSE(first.state);
  CHECK(second.state->reason == "pod lab/train-\"0\"");
  CHECK(second.readings.uncorrectableErrors == 2);
  CHECK(contains(mistakes("dcgm", "DCGM_FI_DEV_FB_USED{gpu=\"0\" 3\n"), "in.txt:1: error: expected METRIC"));
}

TEST_CASE("an unknown text names what could be read instead") {
  CHECK(recognise("hello\n") == nullptr);
  Diagnostics diagnostics;
  CHECK_FALSE(readSource("hello\n", "in.txt", nullptr, diagnostics));
  CHECK(contains(toText(diagnostics),
                 "in.txt:1: error: nothing that is known as a source begins 'hello'; expected one of: "));
}

TEST_CASE("a GPU's many spellings") {
  const auto is = [](const char *product, const char *name) {
    const std::vector<std::string> found = catalogueCandidates(product, {});
    INFO(product);
    REQUIRE_FALSE(found.empty());
    CHECK(found.front() == name);
  };
  is("NVIDIA H100 80GB HBM3", "H100-SXM5-80GB");
  is("NVIDIA-H100-80GB-HBM3", "H100-SXM5-80GB");
  is("NVIDIA H100 PCIe", "H100-PCIe-80GB");
  is("NVIDIA H100 NVL", "H100-NVL-94GB");
  is("NVIDIA H200", "H200-SXM-141GB");
  is("A100-PCIE-40GB-MIG-1g.5gb", "A100-PCIe-40GB");
  is("a100_80gb_pcie", "A100-PCIe-80GB");
  is("Tesla V100-SXM3-32GB-H", "V100-SXM2-32GB");
  is("Tesla T4", "T4");
  is("NVIDIA RTX 6000 Ada Generation", "RTX-6000-Ada");
  is("rtx8000", "Quadro-RTX-8000");
  is("NVIDIA GeForce RTX 4090", "RTX-4090");
  is("NVIDIA L40S", "L40S");
  CHECK(catalogueCandidates("NVIDIA GeForce RTX 2070", {}).empty());
  CHECK(catalogueCandidates("GRID A100-8C", {}).empty());
  CHECK(catalogueCandidates("a100", {}).size() > 1);
  CHECK(catalogueCandidates("a100", mebibytes(81920)).front() == "A100-SXM4-80GB");
  CHECK(migProfileOf("3g.20gb") == "3g.20gb");
  CHECK(migProfileOf("NVIDIA A30").empty());
}

TEST_CASE("rates of links by what tools call them") {
  CHECK(infinibandBandwidth("4xNDR") == gigabitsPerSecond(400));
  CHECK(infinibandBandwidth("4x EDR") == gigabitsPerSecond(100));
  CHECK_FALSE(infinibandBandwidth("4x ???"));
  CHECK(nvlinkOf("9.0")->perLink * 18 == gigabytesPerSecond(450));
  CHECK_FALSE(nvlinkOf("8.9"));
  CHECK(pcieBandwidth(8, 16).value() == Approx(15.754e9).epsilon(1e-3));
  CHECK(pcieBandwidth(5, 16).value() == Approx(8e9));
}

TEST_CASE("bytes that are no UTF-8 do not get into cluster files") {
  Diagnostics diagnostics;
  const std::optional<Findings> found =
      readSource("NodeName=n1 Sockets=1 CoresPerSocket=1 State=DOWN\n   Reason=L\xfc"
                 "fter \xe2\x82\xac\n",
                 "in.txt", nullptr, diagnostics);
  REQUIRE(found);
  CHECK(found->nodes[0].state->reason == "L?fter \xe2\x82\xac");
}
