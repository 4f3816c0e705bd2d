#include "whatif/ClusterEdit.h"
#include "model/ClusterJson.h"
#include "support/Catch.h"

using namespace streammap;

namespace {

constexpr const char *text = R"({"schema": "streammap.cluster/1", "name": "pod",
 "node_types": {"big.box": {"gpus": {"model": "T4", "count": 2}, "nics": {"count": 2, "bandwidth": "100Gb/s"}},
                "small": {"gpus": {"model": "A100-SXM4-80GB", "count": 1},
                          "host_link": {"bandwidth_bytes_per_second": 25000000000}}},
 "nodes": [{"names": "n[1-4]", "type": "big.box", "switch": "leaf1"}, {"names": "s1", "type": "small"}],
 "network": {"latency": "2us", "switches": [
   {"name": "leaf1", "uplinks": [{"to": "spine1", "count": 2, "bandwidth": "200Gb/s"}]}, {"name": "spine1"}]}})";

/// The cluster with "PATH=VALUE" of each setting; nothing, and the errors in `errors`, where one is wrong.
std::optional<Cluster> edit(const std::vector<std::string> &settings, std::string *errors = nullptr) {
  std::vector<Setting> parsed;
  for (const std::string &setting : settings) {
    const Expected<Axis> axis = parseAxis(setting);
    REQUIRE(axis);
    REQUIRE(axis->values.size() == 1);
    parsed.push_back({axis->path, axis->values.front()});
  }
  Diagnostics diagnostics;
  std::optional<Cluster> cluster = editedCluster(text, "pod.json", parsed, diagnostics);
  if (errors)
    *errors = toText(diagnostics);
  else
    INFO(toText(diagnostics));
  return cluster;
}

std::string errorsOf(const std::string &setting) {
  std::string errors;
  CHECK(!edit({setting}, &errors));
  return errors;
}

} // namespace

TEST_CASE("values of --set are separated by commas outside brackets") {
  const Expected<Axis> axis = parseAxis("fail=n[1,3],n2, none");
  REQUIRE(axis);
  CHECK(axis->path == "fail");
  CHECK(axis->values == std::vector<std::string>{"n[1,3]", "n2", "none"});
  CHECK(!parseAxis("nodes"));
  CHECK(!parseAxis("=3"));
  CHECK(!parseAxis("nodes=3,,4"));
}

TEST_CASE("a path sets a value of the file, also through names with dots") {
  const std::optional<Cluster> cluster = edit({"node_types.big.box.nics.bandwidth=400Gb/s"});
  REQUIRE(cluster);
  CHECK(cluster->nodeTypes[NodeTypeId(0)].nic.bandwidth == gigabitsPerSecond(400));
}

TEST_CASE("numbers are numbers; a star is every node type") {
  const std::optional<Cluster> cluster = edit({"node_types.*.gpus.count=3"});
  REQUIRE(cluster);
  CHECK(cluster->devices.size() == 15);
}

TEST_CASE("what the file leaves out may be set, whichever way a quantity is spelt") {
  const std::optional<Cluster> cluster =
      edit({"node_types.small.host_link.bandwidth=50GB/s", "node_types.small.nics.bandwidth=10Gb/s"});
  REQUIRE(cluster);
  CHECK(cluster->nodeTypes[NodeTypeId(1)].hostLink.bandwidth == gigabytesPerSecond(50));
  CHECK(cluster->nodeTypes[NodeTypeId(1)].nic.bandwidth == gigabitsPerSecond(10));
}

TEST_CASE("elements of lists go by name, number or star") {
  for (const char *path : {"network.switches.leaf1.uplinks.spine1.count=8",
                           "network.switches.0.uplinks.0.count=8", "network.switches.*.uplinks.*.count=8"}) {
    const std::optional<Cluster> cluster = edit({path});
    REQUIRE(cluster);
    CHECK(cluster->network.switches[SwitchId(0)].uplinks[0].count == 8);
  }
}

TEST_CASE("oversubscription is NICs over uplinks: 4 nodes of 2 x 100 Gb/s over 2 uplinks") {
  // 800 Gb/s below; at 4:1 the two uplinks carry 200 Gb/s together, 100 each
  const std::optional<Cluster> cluster = edit({"network.oversubscription=4"});
  REQUIRE(cluster);
  CHECK(cluster->network.switches[SwitchId(0)].uplinks[0].bandwidth.value() ==
        Approx(gigabitsPerSecond(100).value()));
  // It goes by the nodes there are then: 6 at the leaf once there are two more of that type.
  const std::optional<Cluster> fewer = edit({"network.oversubscription=4", "nodes=2"});
  REQUIRE(fewer);
  CHECK(fewer->network.switches[SwitchId(0)].uplinks[0].bandwidth.value() ==
        Approx(gigabitsPerSecond(50).value()));
}

TEST_CASE("nodes more and fewer") {
  CHECK(edit({"nodes=+2"})->nodes.size() == 7);
  CHECK(edit({"nodes=+2"})->nodes[NodeId(6)].name == "s3");
  CHECK(edit({"nodes.count=3"})->nodes.size() == 3);
  const std::optional<Cluster> fewer = edit({"nodes=-2"});
  REQUIRE(fewer);
  CHECK(fewer->nodes.size() == 3);
  CHECK(fewer->devices.size() == 6);
}

TEST_CASE("failures take nodes and GPUs down") {
  const std::optional<Cluster> cluster = edit({"fail=n[1,3]"});
  REQUIRE(cluster);
  CHECK(cluster->nodes[NodeId(0)].state == State::down);
  CHECK(cluster->nodes[NodeId(1)].state == State::up);
  CHECK(cluster->nodes[NodeId(2)].state == State::down);
  CHECK(cluster->devices[DeviceId(1)].state == State::down);
  CHECK(edit({"fail=n2:gpu1"})->devices[DeviceId(3)].state == State::down);
  CHECK(edit({"fail=none"})->nodes[NodeId(0)].state == State::up);
}

TEST_CASE("no setting leaves the cluster as the file has it") {
  Diagnostics diagnostics;
  CHECK(writeCluster(*edit({})) == writeCluster(*readCluster(text, "pod.json", diagnostics)));
}

TEST_CASE("mistakes name the path and the nearest right one") {
  CHECK(errorsOf("node_types.small.nics.bandwith=1Gb/s") ==
        "pod.json: error: --set node_types.small.nics.bandwith=1Gb/s: no value has the path "
        "'node_types.small.nics.bandwith'; did you mean 'node_types.small.nics.bandwidth'?\n1 error\n");
  CHECK(errorsOf("network.oversubscripton=2").find("did you mean 'network.oversubscription'?") !=
        std::string::npos);
  CHECK(errorsOf("node_types.small=3").find("no value has the path") != std::string::npos);
  CHECK(errorsOf("node_types.*.nics.bandwidth=fast").find("pod.json with node_types.*.nics.bandwidth=fast") !=
        std::string::npos);
  CHECK(errorsOf("node_types.*.gpus.model=H100-SMX5").find("unknown GPU model") != std::string::npos);
  CHECK(errorsOf("nodes=-5").find("at least one of the 5 nodes must be left") != std::string::npos);
  CHECK(errorsOf("nodes=many").find("expected a number of nodes") != std::string::npos);
  CHECK(errorsOf("fail=n9").find("unknown node 'n9'; did you mean 'n1'?") != std::string::npos);
  CHECK(errorsOf("network.oversubscription=0").find("expected a number above 0") != std::string::npos);
}
