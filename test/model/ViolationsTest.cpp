// Each rule of the judge, broken once on its own: a right placement is spoilt in one way and the one
// violation told.
#include "model/Violations.h"
#include "model/ClusterJson.h"
#include "model/Footprint.h"
#include "support/Catch.h"
#include "support/GraphText.h"

using namespace streammap;

namespace {

Cluster cluster(std::string_view body) {
  Diagnostics diagnostics;
  std::optional<Cluster> cluster = readCluster(
      "{\"schema\": \"streammap.cluster/1\", " + std::string(body) + "}", "cluster.json", diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(cluster);
  return std::move(*cluster);
}

/// Two nodes of two T4 (16 GiB, 70 W) each: devices 0 1 on n1, 2 3 on n2.
Cluster twoNodes(std::string_view more = "") {
  return cluster(R"("node_types": {"t": {"gpus": {"model": "T4", "count": 2}, "power_limit": "100W"}},
                    "nodes": [{"names": "n[1-2]", "type": "t"}])" +
                 std::string(more));
}

/// "device start end" of each task in order.
struct Run {
  std::size_t device;
  double start, end;
};

Placement placementOf(std::vector<Run> runs) {
  Placement placement;
  for (std::size_t task = 0; task < runs.size(); ++task) {
    placement.assignments.push_back({TaskId(task),
                                     DeviceId(runs[task].device),
                                     seconds(runs[task].start),
                                     seconds(runs[task].end),
                                     {},
                                     {}});
    placement.predicted.makespan = seconds(std::max(placement.predicted.makespan.value(), runs[task].end));
  }
  return placement;
}

Transfer transfer(std::size_t dependency, std::optional<std::size_t> from, std::size_t to, Bytes size,
                  double start, double end) {
  Transfer transfer;
  transfer.dependency = dependency;
  transfer.from = from ? DeviceId(*from) : DeviceId();
  transfer.to = DeviceId(to);
  transfer.size = size;
  transfer.start = seconds(start);
  transfer.end = seconds(end);
  return transfer;
}

using Told = std::vector<std::pair<ViolationKind, std::string>>;

Told told(const TaskGraph &graph, const Cluster &cluster, const Placement &placement) {
  Told all;
  for (const Violation &violation : findViolations(graph, cluster, placement))
    all.emplace_back(violation.kind, violation.message);
  return all;
}

} // namespace

TEST_CASE("a right placement has no violations") {
  TaskGraph graph = graphFromText("a -> b 4MiB\na -> c");
  Placement placement = placementOf({{0, 0, 1}, {2, 1.5, 2.5}, {0, 1, 2}});
  placement.transfers.push_back(transfer(0, 0, 2, mebibytes(4), 1, 1.5));
  CHECK(told(graph, twoNodes(), placement).empty());
}

TEST_CASE("every task needs exactly one device") {
  TaskGraph graph = graphFromText("a\nb");
  CHECK(told(graph, twoNodes(), placementOf({{0, 0, 1}})) ==
        Told{{ViolationKind::unassignedTask, "task 'b' has no device"}});
  Placement twice = placementOf({{0, 0, 1}, {1, 0, 1}});
  twice.assignments.push_back(twice.assignments[0]);
  twice.assignments.back().device = DeviceId(3);
  CHECK(told(graph, twoNodes(), twice) ==
        Told{{ViolationKind::unassignedTask, "task 'a' is assigned more than once, also to n2:gpu1"}});
  CHECK(told(graph, twoNodes(), placementOf({{0, 0, 1}, {9, 0, 1}})).at(0) ==
        std::pair<ViolationKind, std::string>{ViolationKind::deviceUnavailable,
                                              "task 'b' is on a device the cluster does not have"});
}

TEST_CASE("devices and nodes that are not up take no task") {
  TaskGraph graph = graphFromText("a\nb\nc");
  Cluster cluster = twoNodes(
      R"(, "state": {"n1": {"gpus": {"1": {"state": "busy"}}}, "n2": {"state": "drained", "reason": "ECC"}})");
  CHECK(told(graph, cluster, placementOf({{0, 0, 1}, {1, 1, 2}, {2, 0, 1}})) ==
        Told{{ViolationKind::deviceUnavailable, "task 'b' is on n1:gpu1, which is busy"},
             {ViolationKind::deviceUnavailable, "task 'c' is on n2:gpu0, which is drained (ECC)"}});
}

TEST_CASE("constraints on the device hold") {
  Cluster cluster = twoNodes();
  auto of = [&](std::string_view text) {
    return told(graphFromText(text), cluster, placementOf({{0, 0, 1}}));
  };
  auto forbidden = [](std::string_view wish) {
    return Told{{ViolationKind::deviceNotAllowed, "task 'a' is on n1:gpu0 (T4), but " + std::string(wish)}};
  };
  CHECK(of("a: capability=7.5 models=T4 node=n1 device=any").empty());
  CHECK(of("a: device=cpu") == forbidden("needs the cores of a node"));
  CHECK(of("a: capability=8.0") == forbidden("needs compute capability 8.0 or above"));
  CHECK(of("a: models=H100,A100") == forbidden("needs one of the models it names, such as H100"));
  CHECK(of("a: node=n2") == forbidden("needs node n2"));
}

TEST_CASE("a task for GPUs may not run on a node's cores") {
  Cluster cores =
      cluster(R"("node_types": {"t": {"cpu_cores": 4}}, "nodes": [{"names": "n1", "type": "t"}])");
  CHECK(told(graphFromText("a"), cores, placementOf({{0, 0, 1}})) ==
        Told{{ViolationKind::deviceNotAllowed, "task 'a' is on n1:cpu (cpu), but needs a GPU"}});
  CHECK(told(graphFromText("a: device=cpu"), cores, placementOf({{0, 0, 1}})).empty());
}

TEST_CASE("together means one node and apart means different ones") {
  TaskGraph graph = graphFromText("a: together=x\nb: together=x\nc: apart=y\nd: apart=y");
  CHECK(told(graph, twoNodes(), placementOf({{0, 0, 1}, {2, 0, 1}, {0, 1, 2}, {0, 2, 3}})) ==
        Told{{ViolationKind::together, "task 'a' and task 'b' share together(x) but run on n1 and n2"},
             {ViolationKind::apart, "task 'c' and task 'd' share apart(y) but both run on n1"}});
  CHECK(told(graph, twoNodes(), placementOf({{0, 0, 1}, {0, 3, 4}, {0, 1, 2}, {2, 0, 1}})).empty());
}

TEST_CASE("a device runs one task at a time, also inside a long one") {
  TaskGraph graph = graphFromText("a: 10s\nb\nc");
  CHECK(told(graph, twoNodes(), placementOf({{0, 0, 10}, {0, 2, 3}, {0, 5, 6}})) ==
        Told{{ViolationKind::overlap,
              "task 'b' starts on n1:gpu0 at 2 s, while task 'a' runs there until 10 s"},
             {ViolationKind::overlap,
              "task 'c' starts on n1:gpu0 at 5 s, while task 'a' runs there until 10 s"}});
}

TEST_CASE("a task waits for its predecessors") {
  CHECK(told(graphFromText("a -> b"), twoNodes(), placementOf({{0, 0, 1}, {1, 0.5, 1.5}})).at(0) ==
        std::pair<ViolationKind, std::string>{
            ViolationKind::dependency,
            "task 'b' starts at 0.5 s, before task 'a', which it depends on, ends at 1 s"});
}

TEST_CASE("data must arrive on the device before the task starts") {
  TaskGraph graph = graphFromText("a -> b 4MiB");
  Placement placement = placementOf({{0, 0, 1}, {2, 2, 3}});
  auto missing = [](std::string_view arrived) {
    return Told{{ViolationKind::dependency, "task 'b' starts on n2:gpu0 at 2 s with " + std::string(arrived) +
                                                " of the 4.00 MiB it needs from task 'a' on n1:gpu0"}};
  };
  CHECK(told(graph, twoNodes(), placement) == missing("0 B"));
  placement.transfers = {transfer(0, 0, 2, mebibytes(4), 1, 2.5)};
  CHECK(told(graph, twoNodes(), placement) == missing("0 B"));
  placement.transfers = {transfer(0, 0, 2, mebibytes(1), 1, 2)};
  CHECK(told(graph, twoNodes(), placement) == missing("1.00 MiB"));
  placement.transfers.push_back(transfer(0, 0, 2, mebibytes(3), 1, 2));
  CHECK(told(graph, twoNodes(), placement).empty());
}

TEST_CASE("data leaves only after it was written and only from where it is") {
  TaskGraph graph = graphFromText("a -> b 4MiB");
  Placement placement = placementOf({{0, 0, 1}, {2, 2, 3}});
  placement.transfers = {transfer(0, 0, 2, mebibytes(4), 0.5, 2)};
  CHECK(told(graph, twoNodes(), placement) ==
        Told{{ViolationKind::dependency,
              "the data of task 'a' leaves for n2:gpu0 at 0.5 s, before the task ends at 1 s"}});
  placement.transfers = {transfer(0, 3, 2, mebibytes(4), 1, 2)};
  CHECK(
      told(graph, twoNodes(), placement) ==
      Told{{ViolationKind::dependency, "the data of task 'a' leaves n2:gpu1 at 1 s, where it has not been"}});
  placement.transfers = {transfer(0, std::nullopt, 2, mebibytes(4), 1, 2)};
  CHECK(told(graph, twoNodes(), placement) ==
        Told{{ViolationKind::dependency,
              "the data of task 'a' leaves the memory of n2 at 1 s, where it has not been"}});
  placement.transfers = {transfer(0, 0, 3, mebibytes(4), 1, 1.5), transfer(0, 3, 2, mebibytes(4), 1.5, 2)};
  CHECK(told(graph, twoNodes(), placement).empty());
}

TEST_CASE("data that came to a device for one task serves the next from the same source") {
  TaskGraph graph = graphFromText("a -> b 4MiB\na -> c 4MiB");
  Placement placement = placementOf({{0, 0, 1}, {2, 2, 3}, {2, 3, 4}});
  placement.transfers = {transfer(0, 0, 2, mebibytes(4), 1, 2)};
  CHECK(told(graph, twoNodes(), placement).empty());
  placement.assignments[2].device = DeviceId(3); // a neighbour of the GPU it came to has nothing yet
  CHECK(told(graph, twoNodes(), placement).size() == 1);
  placement.transfers.push_back(
      transfer(1, std::nullopt, 3, mebibytes(4), 2, 3)); // through the node's memory
  CHECK(told(graph, twoNodes(), placement).empty());
}

TEST_CASE("between GPUs of one node data is moved too") {
  TaskGraph graph = graphFromText("a -> b 4MiB");
  Placement placement = placementOf({{0, 0, 1}, {1, 2, 3}});
  CHECK(
      told(
          graph,
          cluster(
              R"("node_types": {"t": {"gpus": {"model": "T4", "count": 2}}}, "nodes": [{"names": "n1", "type": "t"}])"),
          placement)
          .size() == 1);
}

TEST_CASE("a task must fit in its device's memory") {
  CHECK(told(graphFromText("a: memory=17GiB"), twoNodes(), placementOf({{0, 0, 1}})) ==
        Told{{ViolationKind::memory, "task 'a' needs 17.0 GiB on n1:gpu0, which has 16.0 GiB, at 0 s"}});
  CHECK(told(graphFromText("a: memory=16GiB"), twoNodes(), placementOf({{0, 0, 1}})).empty());
}

namespace {

/// a on n1:gpu0 writes 10 GiB for c on n2:gpu0 (16 GiB), which b there writes or reads beside.
Placement dataWaitsBesideAnotherTask() {
  Placement placement = placementOf({{0, 0, 1}, {2, 2, 3}, {2, 4, 5}});
  placement.transfers = {transfer(0, 0, 2, gibibytes(10), 1, 2)};
  return placement;
}

} // namespace

TEST_CASE("data that wait for their reader take memory beside other tasks") {
  // b needs 7 GiB while the 10 GiB for c are there: 17 GiB of 16.
  TaskGraph graph = graphFromText("a\nb\nc\na -> c 10GiB\nb: memory=7GiB");
  Placement placement = dataWaitsBesideAnotherTask();
  CHECK(told(graph, twoNodes(), placement) ==
        Told{{ViolationKind::memory,
              "n2:gpu0 holds 17.0 GiB at 2 s, while task 'b' runs there, but has 16.0 GiB"}});
  // 6 GiB fit.
  CHECK(told(graphFromText("a\nb\nc\na -> c 10GiB\nb: memory=6GiB"), twoNodes(), placement).empty());
  // So does 7 GiB when the data come after b.
  placement.transfers = {transfer(0, 0, 2, gibibytes(10), 3, 4)};
  CHECK(told(graph, twoNodes(), placement).empty());
  // Or when they come before, are dropped, and are sent again.
  placement.transfers = {transfer(0, 0, 2, gibibytes(10), 1, 2), transfer(0, 0, 2, gibibytes(10), 3, 4)};
  CHECK(told(graph, twoNodes(), placement).empty());
}

TEST_CASE("what a task wrote stays until its readers on the device have ended") {
  // a, b and c on one GPU: a's 10 GiB for c and b's 7 GiB
  TaskGraph graph = graphFromText("a\nb\nc\na -> c 10GiB\nb: memory=7GiB");
  CHECK(told(graph, twoNodes(), placementOf({{0, 0, 1}, {0, 2, 3}, {0, 4, 5}})) ==
        Told{{ViolationKind::memory,
              "n1:gpu0 holds 17.0 GiB at 2 s, while task 'b' runs there, but has 16.0 GiB"}});
  // b after c, or what a wrote fetched again from the node's memory: nothing is held while b runs.
  CHECK(told(graph, twoNodes(), placementOf({{0, 0, 1}, {0, 4, 5}, {0, 2, 3}})).empty());
  Placement back = placementOf({{0, 0, 1}, {0, 2, 3}, {0, 4, 5}});
  back.transfers = {transfer(0, std::nullopt, 0, gibibytes(10), 3, 4)};
  CHECK(told(graph, twoNodes(), back).empty());
}

TEST_CASE("data as at the start take memory from their transfer on") {
  // Two regions of 9 GiB, read by two tasks; both transfers end before the first task starts.
  TaskGraph graph = graphFromText("a\nb");
  const BufferId buffer = graph.buffers.push({"x", "x", gibibytes(18), ""});
  for (std::uint64_t half = 0; half < 2; ++half)
    graph.tasks[TaskId(half)].accesses = {
        {buffer, AccessMode::in, {half * (std::uint64_t{9} << 30), std::uint64_t{9} << 30, 0, 1}}};
  Placement placement = placementOf({{0, 2, 3}, {0, 4, 5}});
  Transfer first = transfer(0, std::nullopt, 0, gibibytes(9), 0, 1);
  first.dependency.reset();
  first.buffer = buffer;
  Transfer second = first;
  second.start = seconds(1);
  second.end = seconds(2);
  placement.transfers = {first, second};
  CHECK(told(graph, twoNodes(), placement) ==
        Told{{ViolationKind::memory, "n1:gpu0 holds 18.0 GiB at 1 s, but has 16.0 GiB"}});
  placement.transfers[1].start = seconds(3);
  placement.transfers[1].end = seconds(4);
  CHECK(told(graph, twoNodes(), placement).empty());
}

TEST_CASE("a task's footprint counts every byte of its accesses once") {
  Task task;
  task.accesses = {{BufferId(0), AccessMode::in, {0, 100, 0, 1}},
                   {BufferId(1), AccessMode::in, {0, 100, 0, 1}},
                   {BufferId(0), AccessMode::out, {50, 10, 20, 4}}}; // 50-59 70-79 90-99 110-119
  CHECK(footprint(task) == bytes(210));
  task.deviceMemory = bytes(7);
  CHECK(footprint(task) == bytes(7));
}

TEST_CASE("a node draws no more than its limit") {
  TaskGraph graph = graphFromText("a\nb");
  CHECK(told(graph, twoNodes(), placementOf({{0, 0, 1}, {1, 0.5, 1.5}})) ==
        Told{{ViolationKind::power, "the GPUs of n1 draw 140 W at 0.5 s, above its limit of 100 W"}});
  CHECK(told(graph, twoNodes(), placementOf({{0, 0, 1}, {1, 1, 2}})).empty());
  CHECK(told(graph, twoNodes(), placementOf({{0, 0, 1}, {2, 0, 1}})).empty());
}

TEST_CASE("times are sane and the makespan is the last end") {
  TaskGraph graph = graphFromText("a");
  Placement placement = placementOf({{0, -1, 1}});
  CHECK(told(graph, twoNodes(), placement).at(0).second ==
        "task 'a' runs from -1 s to 1 s: expected two times from 0 on, the end not before the start");
  placement = placementOf({{0, 0, std::nan("")}});
  CHECK(told(graph, twoNodes(), placement).at(0).first == ViolationKind::time);
  placement = placementOf({{0, 0, 1}});
  placement.predicted.makespan = seconds(0.9);
  CHECK(told(graph, twoNodes(), placement) ==
        Told{{ViolationKind::time, "the makespan is given as 0.9 s, but the last task ends at 1 s"}});
  placement.predicted = {seconds(1), seconds(1.5), 0, ""};
  CHECK(told(graph, twoNodes(), placement) ==
        Told{{ViolationKind::time, "the lower bound 1.5 s is above the makespan 1 s"}});
}

TEST_CASE("a task is no quicker than the graph says") {
  CHECK(told(graphFromText("a: 3s T4=2s"), twoNodes(), placementOf({{0, 0, 1}})) ==
        Told{{ViolationKind::time, "task 'a' takes 1 s on n1:gpu0, but the graph says 2 s"}});
}
