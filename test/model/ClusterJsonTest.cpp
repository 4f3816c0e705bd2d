#include "model/ClusterJson.h"
#include "support/Catch.h"
#include "support/Files.h"
#include "support/KeepForSchemaTest.h"

using namespace streammap;

namespace {

Cluster readFine(std::string_view text) {
  Diagnostics diagnostics;
  std::optional<Cluster> cluster = readCluster(text, "in.json", diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(cluster);
  return std::move(*cluster);
}

std::string whole(std::string_view body) {
  return "{\"schema\": \"streammap.cluster/1\", " + std::string(body) + "}";
}

std::string reported(std::string_view body) {
  Diagnostics diagnostics;
  std::optional<Cluster> cluster = readCluster(whole(body), "in.json", diagnostics);
  CHECK(cluster.has_value() == !diagnostics.hasErrors());
  return toText(diagnostics);
}

/// A right node type and one node, to be wrong about something else.
constexpr std::string_view oneNode =
    R"("node_types": {"t": {"gpus": {"model": "T4", "count": 2}}}, "nodes": [{"names": "n1", "type": "t"}], )";

/// The example of design.md, section 4, and then some.
constexpr std::string_view rich = R"({"schema": "streammap.cluster/1", "name": "pod",
  "gpu_models": {"my-gpu": {"like": "H100-SXM5-80GB", "memory": "96GiB"},
                 "bare": {"throughput": {"fp64": "1TFLOP/s"}},
                 "H100-SXM5-80GB": {"like": "H100-SXM5-80GB", "power": "650W"}},
  "node_types": {
    "dgx": {"cpu_cores": 112, "memory": "2TiB", "gpus": {"model": "H100-SXM5-80GB", "count": 8},
       "gpu_links": {"kind": "nvswitch", "bandwidth": "450GB/s", "latency": "1us"},
       "host_link": {"bandwidth": "55GB/s", "latency": "2us"},
       "nics": {"count": 8, "bandwidth": "400Gb/s"}, "power_limit": "10.2kW"},
    "mixed": {"gpus": [{"model": "my-gpu"}, {"model": "bare", "count": 2}],
       "gpu_links": [{"between": [1, 0], "kind": "nvlink", "bandwidth": "50GB/s"}, {"between": [1, 2], "kind": "pcie"}]},
    "login": {"cpu_cores": 16, "memory_bytes": 1024}},
  "nodes": [{"names": "n[001-003]", "type": "dgx", "switch": "leaf1", "rack": "r1"},
            {"names": "m1,login", "type": "mixed", "switch": "leaf2"},
            {"names": "l[7-8]", "type": "login"}],
  "network": {"latency": "2us", "model": "uncontended",
    "switches": [{"name": "leaf1", "uplinks": [{"to": "spine1", "count": 4, "bandwidth": "400Gb/s"}]},
                 {"name": "leaf2", "uplinks": [{"to": "spine1"}]}, {"name": "spine1"}]},
  "state": {"n003": {"state": "drained", "reason": "ECC"}, "n[001-002]": {"gpus": {"2": {"state": "busy", "reason": "job 7"}}}}})";

} // namespace

TEST_CASE("a cluster is read with models, links, network and state") {
  Cluster cluster = readFine(rich);
  CHECK(cluster.nodes.size() == 7);
  CHECK(cluster.devices.size() == 3 * 9 + 2 * 3 + 2);
  const NodeType &dgx = cluster.nodeTypes[NodeTypeId(0)];
  CHECK(dgx.memory == gibibytes(2048));
  CHECK(dgx.gpuLink.bandwidth == gigabytesPerSecond(450));
  CHECK(dgx.nic.bandwidth == gigabitsPerSecond(400));
  CHECK(dgx.powerLimit == watts(10200));
  CHECK(cluster.models[dgx.gpus[0]].power == watts(650));
  const NodeType &mixed = cluster.nodeTypes[NodeTypeId(1)];
  CHECK(cluster.models[mixed.gpus[0]].memory == gibibytes(96));
  CHECK(cluster.models[mixed.gpus[0]].capability == "9.0");
  CHECK(cluster.models[mixed.gpus[2]].peak[0] == teraflopsPerSecond(1));
  CHECK(mixed.gpuPairs.at(0).a == 0);
  CHECK(mixed.gpuPairs.at(0).b == 1);
  CHECK(mixed.gpuPairs.at(1).kind == GpuLinkKind::pcie);
  CHECK(cluster.network.model == NetworkModel::uncontended);
  CHECK(cluster.network.switches[SwitchId(0)].uplinks.at(0).count == 4);
  CHECK(cluster.nodes[NodeId(2)].state == State::drained);
}

TEST_CASE("devices are each node's GPUs, then its cores, with the state of both") {
  Cluster cluster = readFine(rich);
  CHECK(deviceName(cluster, DeviceId(2)) == "n001:gpu2");
  CHECK(deviceName(cluster, DeviceId(8)) == "n001:cpu");
  CHECK(cluster.devices[DeviceId(2)].state == State::busy);
  CHECK(cluster.devices[DeviceId(2)].reason == "job 7");
  CHECK(cluster.devices[DeviceId(1)].state == State::up);
  CHECK(cluster.devices[DeviceId(18)].state == State::drained);
  CHECK(cluster.devices[DeviceId(18)].reason == "ECC");
}

TEST_CASE("what is not described is listed as free") {
  Cluster cluster = readFine(rich);
  CHECK(cluster.takenAsFree ==
        std::vector<std::string>{
            "node_types.mixed.host_link: not described, taken as free",
            "node_types.mixed.gpu_links: the bandwidth between GPUs 1 and 2 is not described, taken as free",
            "node_types.mixed.gpus: the memory of 'bare' is not described, taken as unlimited",
            "node_types.mixed.nics: not described, taken as free",
            "node_types.login.nics: not described, taken as free",
            "nodes: l[7-8] at no switch, the way to them is taken as free",
            "network.switches.leaf2: the bandwidth to spine1 is not described, taken as free"});
}

TEST_CASE("switches that nothing joins are listed: the way between them is taken as free") {
  const Cluster cluster =
      readFine(R"({"schema": "streammap.cluster/1", "node_types": {"t": {"gpus": {"model": "T4",
      "count": 1}, "nics": {"count": 1, "bandwidth": "100Gb/s"}, "host_link": {"bandwidth": "12GB/s"}}},
    "nodes": [{"names": "a", "type": "t", "switch": "s1"}, {"names": "b", "type": "t", "switch": "s2"},
              {"names": "c", "type": "t", "switch": "s3"}],
    "network": {"latency": "2us", "switches": [{"name": "s1", "uplinks": [{"to": "top", "bandwidth": "100Gb/s"}]},
      {"name": "s2"}, {"name": "s3", "uplinks": [{"to": "top", "bandwidth": "100Gb/s"}]}, {"name": "top"}]}})");
  CHECK(cluster.takenAsFree ==
        std::vector<std::string>{
            "network.switches: no path from s1 to s2, the way between them is taken as free"});
}

TEST_CASE("writing a cluster is canonical") {
  std::string once = writeCluster(readFine(rich));
  INFO(once);
  CHECK(writeCluster(readFine(once)) == once);
  keepForSchemaTest("rich-as-given.cluster.json", rich);
  keepForSchemaTest("rich.cluster.json", once);
  CHECK(once.find("\"n[001-003]\"") != std::string::npos);
}

TEST_CASE("the example clusters are read and written again") {
  for (const char *name : {"one-node", "two-nodes", "four-nodes", "pod"}) {
    INFO(name);
    Expected<std::string> text =
        readFile(std::string(STREAMMAP_SOURCE_DIR "/examples/clusters/") + name + ".json");
    REQUIRE(text);
    std::string once = writeCluster(readFine(*text));
    CHECK(writeCluster(readFine(once)) == once);
  }
}

TEST_CASE("the host's cores are a device where the file counts them") {
  Cluster cluster = readFine(
      whole(R"("node_types": {"a": {"cpu_cores": 8}, "b": {"cpu_cores": 16}, "c": {"cpu": "cpu-own"}},
     "gpu_models": {"cpu-own": {"throughput": {"fp64": "3TFLOP/s"}}},
     "nodes": [{"names": "x", "type": "a"}, {"names": "y", "type": "b"}, {"names": "z", "type": "c"}])"));
  REQUIRE(cluster.devices.size() == 3);
  auto fp64 = [&](std::size_t device) {
    return cluster.models[cluster.devices[DeviceId(device)].model].peak[0].value();
  };
  CHECK(fp64(1) == 2 * fp64(0));
  CHECK(fp64(2) == 3e12);
  CHECK(cluster.models[cluster.devices[DeviceId(0)].model].isCpu());
}

TEST_CASE("unknown models suggest the catalogue's nearest") {
  CHECK(reported(R"("node_types": {"t": {"gpus": {"model": "H100", "count": 8}}}, "nodes": [])") ==
        "in.json:/node_types/t/gpus/model: error: unknown GPU model 'H100'; did you mean H100-SXM5-80GB or "
        "H100-PCIe-80GB or H100-NVL-94GB?\n"
        "in.json:/node_types/t: error: node type 't' has neither 'gpus' nor 'cpu_cores': nothing can run on "
        "it\n2 errors\n");
  CHECK(reported(std::string(oneNode) + R"("gpu_models": {"mine": {"like": "T5"}})") ==
        "in.json:/gpu_models/mine/like: error: unknown GPU model 'T5'; did you mean 'T4'?\n1 error\n");
  CHECK(reported(std::string(oneNode) +
                 R"("gpu_models": {"a": {"like": "b"}, "b": {"like": "c"}, "c": {"like": "a"}})")
            .find("models are like each other in a circle") != std::string::npos);
}

TEST_CASE("hostlist mistakes are told at their place") {
  CHECK(reported(R"("node_types": {"t": {"cpu_cores": 1}}, "nodes": [{"names": "n[1-", "type": "t"}])") ==
        "in.json:/nodes/0/names: error: hostlist 'n[1-': character 2: '[' is never closed\n1 error\n");
}

TEST_CASE("names that nobody declared suggest the nearest") {
  CHECK(
      reported(
          R"("node_types": {"dgx": {"cpu_cores": 1}}, "nodes": [{"names": "n1", "type": "dgy", "switch": "leaf"}],
        "network": {"switches": [{"name": "leaf1", "uplinks": [{"to": "spine"}]}]}, "state": {"n2": {"state": "down"}})") ==
      "in.json:/network/switches/0/uplinks/0/to: error: unknown switch 'spine'\n"
      "in.json:/nodes/0/type: error: unknown node type 'dgy'; did you mean 'dgx'?\n"
      "in.json:/nodes/0/switch: error: unknown switch 'leaf'; did you mean 'leaf1'?\n"
      "in.json:/state/n2: error: unknown node 'n2'; did you mean 'n1'?\n4 errors\n");
  CHECK(
      reported(
          R"("node_types": {"t": {"cpu_cores": 1}}, "nodes": [{"names": "n1", "type": "t", "switch": "leaf"}])") ==
      "in.json:/nodes/0/switch: error: unknown switch 'leaf'; network.switches lists none\n1 error\n");
}

TEST_CASE("things listed twice are errors") {
  CHECK(
      reported(
          R"("node_types": {"t": {"cpu_cores": 1}}, "nodes": [{"names": "n[1-3]", "type": "t"}, {"names": "n2", "type": "t"}],
        "network": {"switches": [{"name": "a"}, {"name": "a"}]})") ==
      "in.json:/network/switches/1/name: error: the switch 'a' is listed twice\n"
      "in.json:/nodes/1/names: error: node 'n2' is listed twice\n2 errors\n");
}

TEST_CASE("uplinks in a circle are errors") {
  CHECK(reported(std::string(oneNode) + R"("network": {"switches": [{"name": "x", "uplinks": [{"to": "a"}]},
        {"name": "a", "uplinks": [{"to": "b"}]}, {"name": "b", "uplinks": [{"to": "a"}]}]})") ==
        "in.json:/network/switches: error: uplinks form a circle: a -> b -> a\n1 error\n");
}

TEST_CASE("the state of a GPU that is not there is an error") {
  CHECK(reported(std::string(oneNode) +
                 R"("state": {"n1": {"gpus": {"2": {"state": "busy"}, "x": {"state": "up"}}}})") ==
        "in.json:/state/n1/gpus/2: error: node 'n1' has no GPU '2'; its GPUs are 0 to 1\n"
        "in.json:/state/n1/gpus/x: error: node 'n1' has no GPU 'x'; its GPUs are 0 to 1\n2 errors\n");
  CHECK(reported(std::string(oneNode) + R"("state": {"n1": {"state": "drain"}})") ==
        "in.json:/state/n1/state: error: expected one of up, drained, down, busy, reserved, found the text "
        "'drain'; did "
        "you mean 'drained'?\n1 error\n");
}

TEST_CASE("links between GPUs that are not there, twice, or without bandwidth are errors") {
  CHECK(
      reported(
          R"("node_types": {"t": {"gpus": {"model": "T4", "count": 2}, "host_link": {"bandwidth": "0GB/s"},
        "gpu_links": [{"between": [0, 2]}, {"between": [0, 1]}, {"between": [1, 0]}, {"between": [0, 0]}, {"between": [0]}]}},
        "nodes": [{"names": "n1", "type": "t"}])") ==
      "in.json:/node_types/t/gpu_links/0/between/1: error: expected a whole number from 0 to 1, found the "
      "number 2\n"
      "in.json:/node_types/t/gpu_links/2/between: error: GPUs 0 and 1 are linked twice; add their bandwidths "
      "up in one "
      "link\n"
      "in.json:/node_types/t/gpu_links/3/between: error: a link needs two different GPUs\n"
      "in.json:/node_types/t/gpu_links/4/between: error: expected the indices of two GPUs, found 1 elements\n"
      "in.json:/node_types/t/host_link/bandwidth: error: a link without bandwidth carries nothing; leave it "
      "out if it "
      "does not exist\n5 errors\n");
}

TEST_CASE("unknown units come with an example") {
  CHECK(
      reported(
          R"("node_types": {"t": {"cpu_cores": 1, "memory": "2TX", "power_limit": "3hp"}}, "nodes": [{"names": "n1", "type": "t"}])") ==
      "in.json:/node_types/t/memory: error: unknown unit 'TX' in '2TX'; write a size like \"80GiB\"\n"
      "in.json:/node_types/t/power_limit: error: unknown unit 'hp' in '3hp'; write a power like "
      "\"10.2kW\"\n2 errors\n");
}

TEST_CASE("a cluster without nodes is an error") {
  CHECK(reported(R"("node_types": {"t": {"cpu_cores": 1}}, "nodes": [])") ==
        "in.json:/nodes: error: expected at least one node\n1 error\n");
}

TEST_CASE("NICs one by one, their leaves, NUMA nodes and readings read back as written") {
  const std::string text = R"({"schema": "streammap.cluster/1",
    "node_types": {"t": {"gpus": [{"model": "A100-SXM4-80GB", "count": 1, "numa": 0}, {"model": "A100-SXM4-80GB", "count": 1, "numa": 1}],
      "nics": [{"name": "mlx5_0", "bandwidth": "200Gb/s", "numa": 0, "gpus": [0]}, {"name": "mlx5_1", "bandwidth": "400Gb/s", "gpus": [1]}]}},
    "nodes": [{"names": "n[1-2]", "type": "t", "switches": ["r0", "r1"]}],
    "network": {"switches": [{"name": "r0"}, {"name": "r1"}]},
    "state": {"n2": {"gpus": {"1": {"state": "up", "memory_used": "2GiB", "temperature_celsius": 70.5, "power": "300W",
      "throttle": "hw_slowdown", "uncorrectable_errors": 2}}}}})";
  Diagnostics diagnostics;
  const std::optional<Cluster> cluster = readCluster(text, "c.json", diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(cluster);
  const NodeType &type = cluster->nodeTypes[NodeTypeId(0)];
  CHECK(type.nicCount == 2);
  CHECK(type.nic.bandwidth == gigabitsPerSecond(400)); // the fastest
  CHECK(type.nics[0].gpus == std::vector<unsigned>{0});
  CHECK(type.gpuNuma == std::vector<std::optional<unsigned>>{0U, 1U});
  CHECK(cluster->nodes[NodeId(0)].nicLeaves == std::vector<SwitchId>{SwitchId(0), SwitchId(1)});
  const GpuReadings &readings = cluster->devices[DeviceId(3)].readings;
  CHECK(readings.memoryUsed == gibibytes(2));
  CHECK(readings.uncorrectableErrors == 2);
  const std::string written = writeCluster(*cluster);
  const std::optional<Cluster> again = readCluster(written, "c.json", diagnostics);
  REQUIRE(again);
  CHECK(again->devices[DeviceId(3)].readings == readings);
  CHECK(writeCluster(*again) == written);
}

TEST_CASE("leaves of NICs need a list of NICs, one leaf for each") {
  Diagnostics diagnostics;
  CHECK_FALSE(readCluster(
      R"({"schema": "streammap.cluster/1", "node_types": {"t": {"cpu_cores": 1, "nics": [{"gpus": [1]}]}},
    "nodes": [{"names": "n1", "type": "t", "switch": "r0", "switches": ["r0", "r9"]}], "network": {"switches": [{"name": "r0"}]}})",
      "c.json", diagnostics));
  const std::string text = toText(diagnostics);
  CHECK(text.find("c.json:/node_types/t/nics/0/gpus/0: error: the node type has 0 GPUs, no GPU 1") !=
        std::string::npos);
  CHECK(text.find("unknown switch 'r9'") != std::string::npos);
  CHECK(text.find("either 'switch' or 'switches'") != std::string::npos);
  CHECK(text.find("of each of the 1 NICs listed by 't', found 2") != std::string::npos);
}
