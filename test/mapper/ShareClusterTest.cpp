#include "mapper/ShareCluster.h"
#include "mapper/MapTasks.h"
#include "model/ClusterJson.h"
#include "support/Catch.h"
#include "support/GraphText.h"
#include <random>

using namespace streammap;

namespace {

using Units = std::vector<std::size_t>;

Cluster cluster(const std::string &nodes, const std::string &switches = "") {
  Diagnostics diagnostics;
  std::optional<Cluster> cluster = readCluster(R"({"schema": "streammap.cluster/1",
     "node_types": {"a": {"gpus": {"model": "A100-SXM4-80GB", "count": 4}, "cpu_cores": 8},
                    "v": {"gpus": {"model": "V100-SXM2-16GB", "count": 4}}},
     "nodes": [)" + nodes + "]" + switches + "}",
                                               "cluster.json", diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(cluster);
  return *cluster;
}

/// `count` tasks of a second each that may run on `models` ("" any GPU).
TaskGraph tasks(int count, const std::string &models = "") {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += "t" + std::to_string(i) + ": 1s" + (models.empty() ? "" : " models=" + models) + "\n";
  return graphFromText(text);
}

ClusterShares share(const Cluster &machine, std::vector<const TaskGraph *> programs,
                    std::vector<double> weights = {}) {
  weights.resize(programs.size(), 1);
  const Expected<ClusterShares> shares = shareCluster(machine, programs, weights);
  INFO((shares ? "" : shares.error().message));
  REQUIRE(shares);
  return *shares;
}

std::vector<std::string> names(const Cluster &machine, const ProgramShare &program) {
  std::vector<std::string> result;
  for (DeviceId device : program.devices)
    result.push_back(deviceName(machine, device));
  return result;
}

using Names = std::vector<std::string>;

} // namespace

// Section 4.1 of the paper: 9 CPUs and 18 GB; a task of A takes <1 CPU, 4 GB>, one of B <3 CPUs, 1 GB>. A
// ends with 3 tasks <3, 12>, B with 2 tasks <6, 2>: both have 2/3 of their dominant resource (12/18 and 6/9).
TEST_CASE("The paper's example: two users of different dominant resources get two thirds of them") {
  const std::vector<double> capacities{9, 18}, equal{1, 1};
  const std::vector<std::vector<double>> demands{{1, 4}, {3, 1}};
  CHECK(dominantResourceUnits(capacities, demands, equal) == Units{3, 2});
}

// By hand: shares per unit are A 4/18 = 2/9 and B 3/9 = 1/3; with weights 3 and 1 A's count 2/27 against 1/3.
// A 1 (2/27) .. B first? Both start at 0, so A; then B (0 < 2/27) to 1/3; then A until its share exceeds 1/3:
// A 2 (4/27), A 3 (2/9), A 4 (8/27): 4 CPUs and 16 GB of A with 3 and 1 of B are 7 and 17. Next A (8/27)
// needs 4 GB of 1: done. Next B: 3 CPUs of 2: done.
TEST_CASE("A weight of three lets a user go on until its share is three times the other's") {
  const std::vector<double> capacities{9, 18}, weights{3, 1};
  const std::vector<std::vector<double>> demands{{1, 4}, {3, 1}};
  CHECK(dominantResourceUnits(capacities, demands, weights) == Units{4, 1});
}

TEST_CASE("With one resource it is max-min fairness") {
  const std::vector<double> capacities{12}, equal{1, 1, 1};
  const std::vector<std::vector<double>> demands{{1}, {1}, {1}};
  CHECK(dominantResourceUnits(capacities, demands, equal) == Units{4, 4, 4});
}

TEST_CASE("Two like programs get half of the devices each, on nodes of their own") {
  const Cluster machine = cluster(R"({"names": "n[1-4]", "type": "a"})");
  const TaskGraph a = tasks(100), b = tasks(100);
  const ClusterShares shares = share(machine, {&a, &b});
  CHECK(names(machine, shares.programs[0]) ==
        Names{"n1:gpu0", "n1:gpu1", "n1:gpu2", "n1:gpu3", "n2:gpu0", "n2:gpu1", "n2:gpu2", "n2:gpu3"});
  CHECK(names(machine, shares.programs[1]) ==
        Names{"n3:gpu0", "n3:gpu1", "n3:gpu2", "n3:gpu3", "n4:gpu0", "n4:gpu1", "n4:gpu2", "n4:gpu3"});
  CHECK(shares.programs[0].dominantShare == Approx(0.5));
  CHECK(shares.programs[0].dominantModel == "A100-SXM4-80GB");
}

TEST_CASE("A weight of three gets three quarters") {
  const Cluster machine = cluster(R"({"names": "n[1-4]", "type": "a"})");
  const TaskGraph a = tasks(100), b = tasks(100);
  const ClusterShares shares = share(machine, {&a, &b}, {3, 1});
  CHECK(shares.programs[0].devices.size() == 12);
  CHECK(shares.programs[1].devices.size() == 4);
}

// A may use all 16 GPUs, B the 8 A100s only. In the paper's terms a unit of A takes one of each model, one of
// B an A100: shares grow alike until the A100s are used up at 4 and 4, A then has 4 V100s. The other 4 V100s
// are of use to A alone.
TEST_CASE("What one program cannot use goes to the other") {
  const Cluster machine = cluster(R"({"names": "n[1-2]", "type": "a"}, {"names": "m[1-2]", "type": "v"})");
  const TaskGraph any = tasks(100), picky = tasks(100, "A100");
  const ClusterShares shares = share(machine, {&any, &picky});
  CHECK(shares.programs[0].devices.size() == 12);
  CHECK(names(machine, shares.programs[1]) == Names{"n2:gpu0", "n2:gpu1", "n2:gpu2", "n2:gpu3"});
}

TEST_CASE("No program gets more devices than it has tasks") {
  const Cluster machine = cluster(R"({"names": "n[1-4]", "type": "a"})");
  const TaskGraph small = tasks(3), large = tasks(100);
  const ClusterShares shares = share(machine, {&small, &large});
  CHECK(shares.programs[0].devices.size() == 3);
  CHECK(shares.programs[1].devices.size() == 13);
}

TEST_CASE("A model that a task cannot do without is there, however little it is needed") {
  const Cluster machine = cluster(R"({"names": "n[1-2]", "type": "a"})");
  const TaskGraph a = graphFromText("x: 1000s\ny: 0.001s device=cpu"), b = tasks(50);
  const ClusterShares shares = share(machine, {&a, &b});
  const Names mine = names(machine, shares.programs[0]);
  CHECK(std::ranges::count_if(mine, [](const std::string &name) { return name.ends_with(":cpu"); }) >= 1);
}

TEST_CASE("A program that is small has its devices on one node, the others keep whole nodes") {
  const Cluster machine = cluster(
      R"({"names": "n[1,3]", "type": "a", "switch": "s1"}, {"names": "n[2,4]", "type": "a", "switch": "s2"})",
      R"(, "network": {"switches": [{"name": "s1"}, {"name": "s2"}]})");
  const TaskGraph large = tasks(8), small = tasks(4);
  const ClusterShares shares = share(machine, {&large, &small});
  CHECK(names(machine, shares.programs[0]) == Names{"n1:gpu0", "n1:gpu1", "n1:gpu2", "n1:gpu3", "n3:gpu0",
                                                    "n3:gpu1", "n3:gpu2", "n3:gpu3"}); // one leaf
  CHECK(names(machine, shares.programs[1]).size() == 4);
  CHECK(names(machine, shares.programs[1]).front() == "n2:gpu0");
}

TEST_CASE("A task's own node is among the devices of its program") {
  const Cluster machine = cluster(R"({"names": "n[1-3]", "type": "a"})");
  const TaskGraph a = tasks(2), b = graphFromText("x: 1s node=n1\ny: 1s");
  const ClusterShares shares = share(machine, {&a, &b});
  CHECK(names(machine, shares.programs[1]) == Names{"n1:gpu0", "n1:gpu1"});
  CHECK(mapTasks(*makeProblem(b, onlyDevices(machine, shares.programs[1].devices)), {.strategy = "heft"})
            .has_value());
}

TEST_CASE("More programs than devices, or a program that runs nowhere, are refused by name") {
  const Cluster machine = cluster(R"({"names": "m1", "type": "v"})");
  const TaskGraph one = tasks(1), picky = tasks(1, "A100");
  const std::vector<double> equal(5, 1);
  const std::vector<const TaskGraph *> five(5, &one), two{&one, &picky};
  CHECK(shareCluster(machine, five, equal).error().message.find("V100-SXM2-16GB than the 4 that are up") !=
        std::string::npos);
  CHECK(shareCluster(machine, two, std::span(equal).first(2)).error().message.starts_with("program 2: "));
}

TEST_CASE("Devices of any programs are up, theirs alone, and enough to map each") {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    Cluster machine = cluster(R"({"names": "n[1-3]", "type": "a"}, {"names": "m[1-2]", "type": "v"})");
    machine.devices[DeviceId(random() % machine.devices.size())].state = State::busy;
    std::vector<TaskGraph> graphs;
    for (unsigned i = 0; i < 2 + random() % 3; ++i)
      graphs.push_back(tasks(1 + static_cast<int>(random() % 20), random() % 3 == 0 ? "V100" : ""));
    std::vector<const TaskGraph *> programs;
    for (const TaskGraph &graph : graphs)
      programs.push_back(&graph);
    const ClusterShares shares = share(machine, programs);
    std::vector<DeviceId> all;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      all.insert(all.end(), shares.programs[i].devices.begin(), shares.programs[i].devices.end());
      const Cluster own = onlyDevices(machine, shares.programs[i].devices);
      const Expected<Problem> problem = makeProblem(graphs[i], own);
      REQUIRE(problem);
      REQUIRE(mapTasks(*problem, {.strategy = "heft"}));
    }
    std::ranges::sort(all);
    CHECK(std::ranges::adjacent_find(all) == all.end());
    for (DeviceId device : all)
      CHECK(machine.devices[device].state == State::up);
  }
}
