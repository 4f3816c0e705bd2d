#include "whatif/WhatIf.h"
#include "support/Catch.h"
#include "support/GraphText.h"

using namespace streammap;

namespace {

/// Two nodes of one GPU; a NIC carries 1 GB/s.
constexpr const char *text = R"({"schema": "streammap.cluster/1", "name": "pair",
 "node_types": {"box": {"gpus": {"model": "T4", "count": 1}, "nics": {"bandwidth": "1GB/s"}}},
 "nodes": [{"names": "n[1-2]", "type": "box"}]})";

std::optional<WhatIf> study(const TaskGraph &graph, const std::vector<std::string> &settings,
                            unsigned threads = 0) {
  std::vector<Axis> axes;
  for (const std::string &setting : settings)
    axes.push_back(*parseAxis(setting));
  WhatIfOptions options;
  options.map.strategy = "heft";
  options.threads = threads;
  Diagnostics diagnostics;
  return whatIf(graph, text, "pair.json", axes, options, diagnostics);
}

/// Two chains that meet: a -> c, b -> c, where b's 2 GB go to the other node.
TaskGraph meeting() {
  return graphFromText("a -> c 1kB\nb -> c 2GB\na: 4s\nb: 4s\nc: 1s");
}

} // namespace

TEST_CASE("a faster NIC shortens what waits for it by as much as the arithmetic says") {
  // a and b 0-4 side by side. 1 GB/s: c waits to 6 or runs beside b and waits for 1 kB only
  const std::optional<WhatIf> found = study(graphFromText("a -> c 2GB\nb -> c 2GB\na: 4s\nb: 4s\nc: 1s"),
                                            {"node_types.box.nics.bandwidth=2GB/s,4GB/s"});
  REQUIRE(found);
  REQUIRE(found->rows.size() == 3);
  CHECK(found->rows[0].predicted.makespan.value() == Approx(7)); // 4 + 2 + 1
  CHECK(found->rows[0].ratio == 1);
  CHECK(found->rows[1].predicted.makespan.value() == Approx(6));
  CHECK(found->rows[2].predicted.makespan.value() == Approx(5.5));
  CHECK(found->rows[2].ratio == Approx(5.5 / 7));
  CHECK(found->rows[0].energy.value() == Approx(9 * 70)); // nine seconds of a 70 W board
}

TEST_CASE("a grid has every combination, the last axis fastest, after the cluster as it is") {
  const std::optional<WhatIf> found = study(meeting(), {"nodes=+1,+2", "fail=none,n1,n2"});
  REQUIRE(found);
  REQUIRE(found->rows.size() == 7);
  CHECK(found->rows[0].settings.empty());
  CHECK(found->rows[1].settings[0].value == "+1");
  CHECK(found->rows[1].settings[1].value == "none");
  CHECK(found->rows[3].settings[1].value == "n2");
  CHECK(found->rows[4].settings[0].value == "+2");
  CHECK(found->rows[4].devices == 4);
  CHECK(found->rows[5].devices == 3); // n1 is down
}

TEST_CASE("the same bytes however many rows are mapped at a time") {
  const std::optional<WhatIf> one = study(meeting(), {"nodes=+1,+2,+3", "node_types.*.gpus.count=1,2,4"}, 1),
                              four = study(meeting(), {"nodes=+1,+2,+3", "node_types.*.gpus.count=1,2,4"}, 4);
  REQUIRE(one);
  REQUIRE(four);
  CHECK(toJson(*one) == toJson(*four));
  CHECK(toText(*one) == toText(*four));
}

TEST_CASE("a cluster on which nothing fits is a row that says why") {
  TaskGraph graph = meeting();
  graph.tasks[TaskId(0)].constraints.node = "n1";
  const std::optional<WhatIf> found = study(graph, {"fail=n1,n2"});
  REQUIRE(found);
  REQUIRE(found->rows[1].whyNot);
  CHECK(found->rows[1].whyNot->find("'a'") != std::string::npos);
  CHECK(!found->rows[2].whyNot);
  CHECK(toText(*found).find("no placement: ") != std::string::npos);
}

TEST_CASE("a better cluster is never told to be worse for an unlucky search") {
  // Round-robin is a poor strategy that a node more makes poorer: the old decisions are kept.
  std::vector<Axis> axes{*parseAxis("nodes=+1,+2,+5")};
  WhatIfOptions options;
  options.map.strategy = "round-robin";
  Diagnostics diagnostics;
  const TaskGraph graph = graphFromText("a -> b -> c -> d 3GB\na -> e 1GB\ne -> d 2GB");
  const std::optional<WhatIf> found = whatIf(graph, text, "pair.json", axes, options, diagnostics);
  REQUIRE(found);
  for (const WhatIfRow &row : found->rows)
    CHECK(row.ratio <= 1 + 1e-9);
}

TEST_CASE("graphs without tasks and tasks without time have rows too") {
  for (const TaskGraph &graph : {TaskGraph(), graphFromText("a\na: 0s")}) {
    const std::optional<WhatIf> found = study(graph, {"nodes=+1"});
    REQUIRE(found);
    CHECK(found->rows[1].predicted.makespan == Seconds());
    CHECK(toText(*found).find("as it is") != std::string::npos);
    CHECK(!toJson(*found).empty());
  }
}

TEST_CASE("a grid of more than 4096 rows is refused") {
  std::string many = "nodes=1";
  for (int i = 2; i <= 70; ++i)
    many += "," + std::to_string(i);
  CHECK(!study(meeting(), {many, many}));
}

TEST_CASE("a table fits 80 columns") {
  const std::optional<WhatIf> found =
      study(meeting(), {"node_types.box.nics.bandwidth=2GB/s,4000000000B/s", "nodes=+1", "fail=none,n[1,2]"});
  REQUIRE(found);
  const std::string table = toText(*found);
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = table.find('\n', at);
    CHECK(end - at <= 80);
    at = end + 1;
  }
}
