// Files with random damage: whatever is wrong, the answer is a problem or a list of errors, and the problem
// is one that the product's own readers accept.
#include "interchange/Import.h"
#include "mapper/Random.h"
#include "model/ClusterJson.h"
#include "model/TaskGraphJson.h"
#include "support/Catch.h"

using namespace streammap;

namespace {

const std::string samples[] = {
    "2\n0 0 0\n1 9 1 0\n2 4 1 0\n3 0 2 1 2\n# end\n",
    "#critical\n7\n#tasks\n0: 1, 2\n1: 3, 4.5\n2: 1, 1\n#edges\n0: 0, 1, 18\n1: 1, 2, 3\n#end",
    "2 3 1.5\n2 1 1 5 2 2 7 3 6\n1 2 1 4 3 4\n",
    "digraph \"g\" { graph [\"Number of processors\"=2]; node [Weight=1]; a -> b:x -> {c d} [Weight=3]; /* c "
    "*/ }",
    "- renewable : 2 R\n***\nPRECEDENCE RELATIONS:\nh\n1 1 1 2\n2 1 0\n***\nREQUESTS/DURATIONS:\nh\n---\n1 1 "
    "4 1 0\n2 1 5 2 "
    "1\n***\nRESOURCEAVAILABILITIES:\n R 1 R 2\n 2 3\n***\n",
    R"({"schemaVersion": "1.5", "workflow": {"specification": {"tasks": [{"id": "a", "outputFiles": ["f"]},
        {"id": "b", "parents": ["a"], "inputFiles": ["f"]}], "files": [{"id": "f", "sizeInBytes": 5}]},
        "execution": {"tasks": [{"id": "a", "runtimeInSeconds": 1}, {"id": "b", "runtimeInSeconds": 2}],
        "machines": [{"nodeName": "m", "cpu": {"coreCount": 2}}]}}})",
};

/// One to three bytes replaced, removed or doubled.
std::string spoilt(std::string text, Random &random) {
  static constexpr std::string_view bytes = "0123456789.-eE:,;#[]{}\"\\ \n\tax<>*/\xff";
  for (std::size_t times = 1 + random.below(3); times > 0 && !text.empty(); --times) {
    const std::size_t at = random.below(text.size());
    switch (random.below(3)) {
    case 0:
      text[at] = bytes[random.below(bytes.size())];
      break;
    case 1:
      text.erase(at, 1 + random.below(4));
      break;
    default:
      text.insert(at, text.substr(at, 1 + random.below(8)));
    }
  }
  return text;
}

} // namespace

TEST_CASE("damaged files are judged, and what is imported from them is valid") {
  Random random(1);
  std::size_t imported = 0;
  for (const std::string &sample : samples)
    for (int round = 0; round < 500; ++round) {
      const std::string text = spoilt(sample, random);
      INFO(text);
      Diagnostics diagnostics;
      const std::optional<ImportedProblem> problem = importProblem(text, "in", {}, diagnostics);
      REQUIRE(problem.has_value() == !diagnostics.hasErrors());
      if (!problem)
        continue;
      ++imported;
      Diagnostics ours;
      const bool graphIsValid = readTaskGraph(writeTaskGraph(problem->graph), "tasks", ours).has_value();
      const bool clusterIsValid =
          !problem->cluster || readCluster(writeCluster(*problem->cluster), "cluster", ours).has_value();
      INFO(toText(ours));
      REQUIRE(graphIsValid);
      REQUIRE(clusterIsValid);
    }
  CHECK(imported > 150); // some damage does not matter, or all of this would say little
}
