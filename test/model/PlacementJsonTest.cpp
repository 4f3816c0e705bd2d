#include "model/PlacementJson.h"
#include "model/ClusterJson.h"
#include "support/Catch.h"
#include "support/GraphText.h"
#include "support/KeepForSchemaTest.h"

using namespace streammap;

namespace {

TaskGraph graph() {
  TaskGraph graph = graphFromText("a -> b 4MiB\nb -> c");
  graph.program.arguments = {"-n", "8"};
  graph.program.parameters["n"] = 8;
  return graph;
}

Cluster cluster() {
  Diagnostics diagnostics;
  return readCluster(R"({"schema": "streammap.cluster/1",
     "node_types": {"t": {"gpus": {"model": "T4", "count": 2}, "cpu_cores": 4}}, "nodes": [{"names": "n[1-2]", "type": "t"}]})",
                     "cluster.json", diagnostics)
      .value();
}

Placement sample() {
  Placement placement;
  placement.tasksFile = "a.tasks.json";
  placement.clusterFile = "cluster.json";
  placement.tasksDigest = "fnv1a64:0000000000000001";
  placement.clusterDigest = "fnv1a64:0000000000000002";
  placement.predicted = {seconds(3.25), seconds(3), 0.25 / 3, "critical path"};
  placement.solver = {"heft", 18446744073709551615u, 12};
  placement.assignments = {{TaskId(0), DeviceId(0), seconds(0), seconds(1), Origin::stat, "dram"},
                           {TaskId(1), DeviceId(4), seconds(1.25), seconds(2.25), Origin::pragma, "given"},
                           {TaskId(2), DeviceId(5), seconds(2.25), seconds(3.25), Origin::unknown, ""}};
  placement.transfers = {
      {0,
       std::nullopt,
       DeviceId(0),
       DeviceId(4),
       mebibytes(4),
       {"n1:nic.up", "n2:nic.down"},
       seconds(1),
       seconds(1.25)},
      {std::nullopt, std::nullopt, DeviceId(), DeviceId(5), bytes(8), {}, seconds(2), seconds(2.25)}};
  placement.devices = {{DeviceId(0), seconds(1), bytes(5)}};
  placement.links = {{"n1:nic.up", mebibytes(4), seconds(0.25)}};
  return placement;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  std::size_t at = text.find(from);
  INFO(from << " in " << text);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// What is wrong with the sample once `from` is `to` in its text.
std::string reported(std::string_view from, std::string_view to) {
  Diagnostics diagnostics;
  std::string text = replaced(writePlacement(sample(), graph(), cluster()), from, to);
  std::optional<Placement> placement = readPlacement(text, "in.json", graph(), cluster(), diagnostics);
  CHECK(placement.has_value() == !diagnostics.hasErrors());
  return toText(diagnostics);
}

} // namespace

TEST_CASE("a placement is written and read as the same") {
  Diagnostics diagnostics;
  std::string once = writePlacement(sample(), graph(), cluster());
  std::optional<Placement> again = readPlacement(once, "in.json", graph(), cluster(), diagnostics);
  INFO(toText(diagnostics) << once);
  REQUIRE(again);
  CHECK(writePlacement(*again, graph(), cluster()) == once);
  keepForSchemaTest("sample.placement.json", once);
  CHECK(again->assignments.at(2).device == DeviceId(5));
  CHECK(again->assignments.at(0).origin == Origin::stat);
  CHECK(again->transfers.at(0).dependency == std::size_t{0});
  CHECK_FALSE(again->transfers.at(1).from.valid());
  CHECK(again->solver.seed == 18446744073709551615u);
  CHECK(once.find(R"({"task":"c","name":"c","node":"n2","gpu":null,)") != std::string::npos);
  CHECK(once.find(R"("from":"n2:host","to":"n2:cpu")") != std::string::npos);
}

TEST_CASE("the inputs of a placement are read without them") {
  Diagnostics diagnostics;
  std::optional<PlacementInputs> inputs =
      readPlacementInputs(writePlacement(sample(), graph(), cluster()), "in.json", diagnostics);
  REQUIRE(inputs);
  CHECK(inputs->tasksFile == "a.tasks.json");
  CHECK(inputs->clusterDigest == "fnv1a64:0000000000000002");
  CHECK(inputs->arguments == std::vector<std::string>{"-n", "8"});
  CHECK(inputs->parameters.at("n") == 8);
}

TEST_CASE("what the graph or the cluster does not have is an error") {
  CHECK(reported(R"("task":"a","name")", R"("task":"zz","name")") ==
        "in.json:/assignments/0/task: error: unknown task 'zz'\n1 error\n");
  CHECK(reported(R"("node":"n1","gpu":0)", R"("node":"n9","gpu":0)") ==
        "in.json:/assignments/0/node: error: unknown node 'n9'\n1 error\n");
  CHECK(reported(R"("node":"n1","gpu":0)", R"("node":"n1","gpu":7)") ==
        "in.json:/assignments/0/gpu: error: the cluster has no device 'n1:gpu7'\n1 error\n");
  CHECK(reported(R"("from":"n1:gpu0")", R"("from":"n1:disk")") ==
        "in.json:/transfers/0/from: error: unknown device 'n1:disk'; expected NODE:gpuN, NODE:cpu or "
        "NODE:host\n1 error\n");
  CHECK(reported(R"({"from":"a","to":"b"})", R"({"from":"a","to":"c"})") ==
        "in.json:/transfers/0/dependency: error: the task graph has no such dependency: the placement was "
        "made for "
        "another version of the task graph; map again\n1 error\n");
}

TEST_CASE("a placement of another graph is told by names and arguments") {
  CHECK(reported(R"("name":"a")", R"("name":"gemm[0]")") ==
        "in.json:/assignments/0/name: error: task 'a' is called 'a' in the task graph: the placement was "
        "made for another "
        "version of the task graph; map again\n1 error\n");
  CHECK(
      reported(R"({"n":8})", R"({"n":9})") ==
      "in.json:/program: error: arguments or parameters differ from the task graph's; map again\n1 error\n");
}

TEST_CASE("missing and wrong values are errors") {
  CHECK(reported(R"("makespan_seconds":3.25,)", "") ==
        "in.json:/predicted: error: missing key 'makespan_seconds'\n1 error\n");
  CHECK(reported(R"("start_seconds":0,)", R"("start_seconds":-1,)") ==
        "in.json:/assignments/0/start_seconds: error: expected a number, 0 or more, found the number -1\n1 "
        "error\n");
}

TEST_CASE("optimal is true or false, and true only where the bound is the makespan") {
  CHECK(reported(R"("lower_bound_seconds":3,)", R"("lower_bound_seconds":3.25,"optimal":true,)") == "");
  CHECK(reported(R"("lower_bound_seconds":3,)", R"("lower_bound_seconds":3,"optimal":true,)") ==
        "in.json:/predicted/optimal: error: expected false, or nothing: the lower bound is below the "
        "makespan\n1 error\n");
  CHECK(reported(R"("lower_bound_seconds":3,)", R"("lower_bound_seconds":3,"optimal":"yes",)") ==
        "in.json:/predicted/optimal: error: expected true or false, found the text 'yes'\n1 error\n");
}
