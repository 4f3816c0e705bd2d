// One infeasible problem for each kind of requirement, with the set that contradicts and what would help;
// then random ones, where every answer is checked by taking requirements away.
#include "mapper/Conflicts.h"
#include "mapper/MapTasks.h"
#include "mapper/Requirements.h"
#include "model/ClusterJson.h"
#include "support/Catch.h"
#include "support/GraphText.h"
#include <algorithm>
#include <random>

using namespace streammap;

namespace {

Cluster clusterOf(const std::string &body) {
  Diagnostics diagnostics;
  std::optional<Cluster> cluster =
      readCluster("{\"schema\": \"streammap.cluster/1\", " + body + "}", "cluster.json", diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(cluster);
  return std::move(*cluster);
}

/// Three nodes of two T4 (16 GiB, capability 7.5).
Cluster threeNodes(const std::string &state = "") {
  return clusterOf(R"("node_types": {"box": {"cpu_cores": 8, "gpus": {"model": "T4", "count": 2}}},
                      "nodes": [{"names": "n[1-3]", "type": "box"}])" +
                   (state.empty() ? "" : ", \"state\": " + state));
}

struct Found {
  std::vector<std::string> requirements, remedies;
  std::string nearest;
};

Found explain(const TaskGraph &graph, const Cluster &cluster) {
  const std::optional<Conflict> conflict = findConflict(graph, cluster);
  REQUIRE(conflict);
  Found found;
  for (const Requirement &one : conflict->requirements)
    found.requirements.push_back(toText(one, graph, cluster));
  std::ranges::sort(found.requirements);
  found.remedies = conflict->remedies;
  if (conflict->nearest)
    found.nearest = deviceName(cluster, conflict->nearest->device) + " lacks " + conflict->nearest->lacks;
  return found;
}

bool has(const std::vector<std::string> &texts, const std::string &wanted) {
  return std::ranges::find(texts, wanted) != texts.end();
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("memory: how much is lacking, what fills it, and the smallest GPU that has it") {
  TaskGraph graph = graphFromText("a\nb\nb: device=gpu");
  const BufferId x = graph.buffers.push({"x", "X", gibibytes(16), ""}),
                 y = graph.buffers.push({"y", "Y", gibibytes(2), ""});
  constexpr std::uint64_t gib = 1ull << 30;
  graph.tasks[TaskId(1)].accesses = {{y, AccessMode::in, {0, 2 * gib, 0, 1}},
                                     {x, AccessMode::inout, {0, 16 * gib, 0, 1}}};
  const Cluster cluster = threeNodes();
  const std::optional<Conflict> conflict = findConflict(graph, cluster);
  REQUIRE(conflict);
  const Found found = explain(graph, cluster);
  CHECK(has(found.requirements, "b needs 18.0 GiB of device memory"));
  CHECK(found.nearest == "n1:gpu0 lacks 2.00 GiB of memory (it has 16.0 GiB)");
  REQUIRE(conflict->nearest->buffers.size() == 2);
  CHECK(conflict->nearest->buffers[0].buffer == "X");
  CHECK(conflict->nearest->buffers[0].size == gibibytes(16));
  CHECK(has(found.remedies, "if b needed at most 16.0 GiB at a time"));
  const auto larger = std::ranges::find_if(found.remedies, [](const std::string &text) {
    return text.find("in place of T4") != std::string::npos;
  });
  REQUIRE(larger != found.remedies.end());
  CHECK(larger->find("20.0 GiB") != std::string::npos); // the smallest of the catalogue with 18 GiB and more
}

TEST_CASE("capability: what there is, and a model that has it") {
  const Found found = explain(graphFromText("a\na: 1s capability=9.0"), threeNodes());
  CHECK(has(found.requirements, "a needs compute capability 9.0"));
  CHECK(found.nearest.find("compute capability 9.0 (it has 7.5)") != std::string::npos);
  CHECK(has(found.remedies, "without capability(9.0) of a"));
}

TEST_CASE("model: the one that is named in place of the one there is") {
  const Found found = explain(graphFromText("a\na: 1s models=H100"), threeNodes());
  CHECK(has(found.requirements, "a runs on H100 only"));
  CHECK(std::ranges::any_of(found.remedies, [](const std::string &text) {
    return text.starts_with("with H100") && text.find("in place of T4") != std::string::npos;
  }));
}

TEST_CASE("node: one that the cluster does not have") {
  const Found found = explain(graphFromText("a\na: 1s node=n9"), threeNodes());
  CHECK(found.requirements == Texts{"a runs on node n9 only"});
  CHECK(found.remedies == Texts{"without node(n9) of a"});
}

TEST_CASE("node and state: the drained node is named with its reason and as the remedy") {
  const Found found = explain(graphFromText("a\na: 1s node=n2"),
                              threeNodes(R"({"n2": {"state": "drained", "reason": "ECC"}})"));
  CHECK(found.requirements == Texts{"a runs on node n2 only", "n2 is drained (ECC)"});
  CHECK(found.remedies == Texts{"when n2 is up again", "without node(n2) of a"});
}

TEST_CASE("state of a GPU: the one busy GPU of the only allowed node") {
  const Cluster cluster = clusterOf(R"("node_types": {"box": {"gpus": {"model": "T4", "count": 1}}},
      "nodes": [{"names": "n1", "type": "box"}], "state": {"n1": {"gpus": {"0": {"state": "busy"}}}})");
  const Found found = explain(graphFromText("a"), cluster);
  CHECK(has(found.requirements, "n1:gpu0 is busy"));
  CHECK(has(found.remedies, "when n1:gpu0 is up again"));
  CHECK(has(found.remedies, "with 1 box node more"));
}

TEST_CASE("device kind: cores where the nodes describe none") {
  const Cluster cluster = clusterOf(R"("node_types": {"box": {"gpus": {"model": "T4", "count": 1}}},
      "nodes": [{"names": "n1", "type": "box"}])");
  const Found found = explain(graphFromText("a\na: 1s device=cpu"), cluster);
  CHECK(found.requirements == Texts{"a needs the cores of a node"});
  CHECK(found.remedies == Texts{"with device(any) for a"});
}

TEST_CASE("together: two nodes cannot be one") {
  const Found found =
      explain(graphFromText("a\nb\nc\na: 1s together=x node=n1\nb: 1s together=x\nc: 1s together=x node=n2"),
              threeNodes());
  CHECK(found.requirements == Texts{"a runs on node n1 only", "a shares the node of all with together(x)",
                                    "c runs on node n2 only", "c shares the node of all with together(x)"});
  CHECK(has(found.remedies, "without a in together(x)"));
  CHECK(has(found.remedies, "without node(n2) of c"));
}

TEST_CASE("apart: one task more than nodes; a node more helps") {
  const Found found = explain(
      graphFromText("a\nb\nc\nd\na: 1s apart=x\nb: 1s apart=x\nc: 1s apart=x\nd: 1s apart=x"), threeNodes());
  CHECK(found.requirements.size() == 4);
  CHECK(has(found.requirements, "d shares no node with others of apart(x)"));
  CHECK(has(found.remedies, "with 1 box node more"));
  CHECK(has(found.remedies, "without a in apart(x)"));
}

TEST_CASE("apart, as many tasks as 40 nodes and one more, is found at once") {
  std::string text;
  for (int i = 0; i < 41; ++i)
    text += "t" + std::to_string(i) + "\nt" + std::to_string(i) + ": 1s apart=x\n";
  const Cluster cluster = clusterOf(R"("node_types": {"box": {"gpus": {"model": "T4", "count": 1}}},
      "nodes": [{"names": "n[01-40]", "type": "box"}])");
  const Found found = explain(graphFromText(text), cluster);
  CHECK(found.requirements.size() == 41);
  CHECK(has(found.remedies, "with 1 box node more"));
}

TEST_CASE("apart and together on the same tasks contradict each other on any cluster") {
  const Found found =
      explain(graphFromText("a\nb\na: 1s together=x apart=y\nb: 1s together=x apart=y"), threeNodes());
  CHECK(found.requirements.size() == 4);
  CHECK(std::ranges::none_of(found.remedies, [](const std::string &text) {
    return text.find("more") != std::string::npos; // no number of nodes helps
  }));
}

TEST_CASE("what fits has no conflict") {
  CHECK(!findConflict(graphFromText("a\nb\na: 1s together=x\nb: 1s together=x"), threeNodes()));
  CHECK(!findConflict(TaskGraph(), threeNodes()));
}

TEST_CASE("a conflict as a diagnostic names places in both files") {
  const TaskGraph graph = graphFromText("a\nb\nb: 1s node=n2");
  const Cluster cluster = threeNodes(R"({"n2": {"state": "drained", "reason": "ECC"}})");
  const std::optional<Conflict> conflict = findConflict(graph, cluster);
  REQUIRE(conflict);
  Diagnostics diagnostics;
  diagnostics.report(toDiagnostic(*conflict, graph, cluster, "t.json", "c.json", "no placement: because"));
  CHECK(toText(diagnostics) == "t.json:/tasks/1: error: no placement: because\n"
                               "c.json:/state/n2: note: n2 is drained (ECC)\n"
                               "t.json:/tasks/1/constraints/node: note: b runs on node n2 only\n"
                               "note: these 2 cannot hold together, any one of them can\n"
                               "note: n1:gpu0 (T4) comes nearest; it lacks to be on node n2\n"
                               "note: it would fit when n2 is up again\n"
                               "note: it would fit without node(n2) of b\n"
                               "1 error\n");
}

TEST_CASE("on random problems there is a conflict if and only if nothing fits, and it is minimal") {
  std::mt19937 random(7);
  std::size_t infeasible = 0, feasible = 0;
  for (int round = 0; round < 400; ++round) {
    INFO("round " << round);
    std::string text;
    for (int t = 0; t < 5; ++t) {
      const std::string name(1, static_cast<char>('a' + t));
      text += name + "\n" + name + ": 1s";
      if (random() % 3 == 0)
        text += " node=n" + std::to_string(1 + random() % 3);
      if (random() % 3 == 0)
        text += random() % 2 ? " together=x" : " together=y";
      if (random() % 3 == 0)
        text += random() % 2 ? " apart=p" : " apart=q";
      if (random() % 8 == 0)
        text += " memory=" + std::to_string(8 + random() % 20) + "GiB";
      text += "\n";
    }
    const TaskGraph graph = graphFromText(text);
    const Cluster cluster = threeNodes(
        random() % 2 ? R"({"n3": {"state": "down"}, "n1": {"gpus": {"1": {"state": "busy"}}}})" : "");
    const Expected<Problem> problem = makeProblem(graph, cluster);
    const bool fits = problem && mapTasks(*problem, {.strategy = "heft"}).has_value();
    const std::optional<Conflict> conflict = findConflict(graph, cluster);
    CHECK(fits == !conflict);
    ++(fits ? feasible : infeasible);
    if (!conflict)
      continue;
    const RequirementFacts facts(graph, cluster);
    std::vector<TaskId> all;
    std::ranges::copy(graph.tasks.ids(), std::back_inserter(all));
    std::vector<Requirement> set = conflict->requirements;
    CHECK(contradiction(facts, cluster, all, set));
    for (std::size_t i = 0; i < set.size(); ++i) {
      std::vector<Requirement> fewer = set;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      CHECK(!contradiction(facts, cluster, all, fewer));
    }
  }
  CHECK(infeasible > 50);
  CHECK(feasible > 50);
}
