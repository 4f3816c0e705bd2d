#include "mapper/Sensitivity.h"
#include "model/PlacementJson.h"
#include "support/Catch.h"
#include "support/Processors.h"

using namespace streammap;
using namespace streammap::test;

namespace {

/// A fork: one task of 2 s feeds two of 4 s and 3 s by edges of 3 s, on two processors. All on one takes 9 s;
/// with the shorter one elsewhere 2 + 3 + 3 = 8 s. With computing f times as long: 9 f against 5 f + 3, so
/// that one device wins below f = 3/4.
ProcessorGraph forkOfTwo() {
  return identicalProcessors({2, 4, 3}, {{0, 1, 3}, {0, 2, 3}}, 2);
}

} // namespace

TEST_CASE("the factor on all computing at which one device wins is the one worked out by hand") {
  const ProcessorGraph made = forkOfTwo();
  const Problem problem = *makeProblem(made.graph, made.cluster);
  const Placement placement = *mapTasks(problem, {.strategy = "heft"});
  REQUIRE(placement.predicted.makespan.value() == Approx(8));
  const Sensitivity found = sensitivityOf(problem, placement, {.seed = 1});
  REQUIRE(found.faster);
  CHECK(found.faster->factor == Approx(0.75).epsilon(0.012));
  CHECK(found.faster->factor <= 0.75);
  CHECK(found.faster->strategy == "one-device");
  CHECK(!found.slower); // more computing only speaks for two devices
  REQUIRE(!found.rivals.empty());
  CHECK(found.rivals.back().makespan.value() == Approx(9));
}

TEST_CASE("noise keeps the placement while it is small and costs more as it grows") {
  const ProcessorGraph made = forkOfTwo();
  const Problem problem = *makeProblem(made.graph, made.cluster);
  const Placement placement = *mapTasks(problem, {.strategy = "heft"});
  const Sensitivity found = sensitivityOf(problem, placement, {.seed = 1, .draws = 40});
  REQUIRE(found.noise.size() == 8);
  // A margin of 8 s to 9 s: tasks and links off by 5 % do not close it, some by a factor of 5 do.
  CHECK(found.noise.front().kept == 40);
  CHECK(found.noise.front().regret == 0);
  CHECK(found.noise.back().kept < 40);
  CHECK(found.noise.back().kept > 0);
  CHECK(found.noise.back().regret > 0);
}

TEST_CASE("the same seed finds the same; a placement keeps it through its file") {
  const ProcessorGraph made = peftExample();
  const Problem problem = *makeProblem(made.graph, made.cluster);
  Placement placement = *mapTasks(problem, {.strategy = "peft"});
  placement.sensitivity = sensitivityOf(problem, placement, {.seed = 3});
  placement.tasksFile = "t.json";
  placement.clusterFile = "c.json";
  const std::string text = writePlacement(placement, made.graph, made.cluster);
  placement.sensitivity = sensitivityOf(problem, placement, {.seed = 3});
  CHECK(writePlacement(placement, made.graph, made.cluster) == text);
  Diagnostics diagnostics;
  const std::optional<Placement> again = readPlacement(text, "p.json", made.graph, made.cluster, diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(again);
  CHECK(writePlacement(*again, made.graph, made.cluster) == text);
  CHECK(text.find("\"sensitivity\"") != std::string::npos);
}

TEST_CASE("a single task on alike devices has no rival") {
  const ProcessorGraph made = identicalProcessors({1}, {}, 3);
  const Problem problem = *makeProblem(made.graph, made.cluster);
  const Placement placement = *mapTasks(problem, {.strategy = "heft"});
  const Sensitivity found = sensitivityOf(problem, placement, {.seed = 1});
  CHECK(!found.slower);
  CHECK(!found.faster);
  for (const Sensitivity::Noise &level : found.noise)
    CHECK(level.kept == level.draws);
  CHECK(toText(found, placement).starts_with("How wrong the estimates may be"));
}
