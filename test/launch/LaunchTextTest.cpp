#include "launch/ExplainLauncher.h"
#include "launch/LaunchFiles.h"
#include "launch/Shell.h"
#include "launch/Yaml.h"
#include "support/Catch.h"

using namespace streammap;

TEST_CASE("Words come out of a shell as they went in") {
  CHECK(shellQuoted("./app-1.2") == "./app-1.2");
  CHECK(shellQuoted("8 32") == "'8 32'");
  CHECK(shellQuoted("") == "''");
  CHECK(shellQuoted("it's $HOME") == "'it'\\''s $HOME'");
  const std::vector<std::string> words{"echo", "a b", "*"};
  CHECK(shellCommand(words) == "echo 'a b' '*'");
}

TEST_CASE("YAML is written in blocks, texts quoted, several lines as they are") {
  using Json = nlohmann::ordered_json;
  const Json value{{"kind", "Job"},
                   {"count", 2},
                   {"none", Json::array()},
                   {"list", Json::array({"no", Json{{"a", 1}, {"b", Json::array({"x"})}}})},
                   {"script", "one\n  two\n"}};
  CHECK(toYaml(value) == "kind: \"Job\"\n"
                         "count: 2\n"
                         "none: []\n"
                         "list:\n"
                         "  - \"no\"\n"
                         "  - a: 1\n"
                         "    b:\n"
                         "      - \"x\"\n"
                         "script: |\n"
                         "  one\n"
                         "    two\n");
}

TEST_CASE("A launcher's message is explained, with the node it names") {
  CHECK(explainLauncherOutput("srun: error: Node failure on n003\nsrun: error: x")
            ->starts_with("node n003 failed."));
  CHECK(explainLauncherOutput(
            "The application appears to have been direct launched using \"srun\", but OMPI was "
            "not built with SLURM's PMI support and therefore cannot execute.")
            ->find("--mpi pmix") != std::string::npos);
  CHECK(explainLauncherOutput("srun: error: More processors requested than permitted")->find("--exclusive") !=
        std::string::npos);
  CHECK(explainLauncherOutput("ORTE was unable to reliably start one or more daemons.").has_value());
  CHECK(!explainLauncherOutput("all is well\n"));
}

TEST_CASE("Names of Kubernetes objects are DNS labels") {
  LaunchPlan plan = planRanks({{"n1", {0}}}, nullptr, RanksPer::node);
  const std::vector<LaunchFile> files =
      kubernetesFiles(plan, {.program = {"./x"}, .jobName = "_My.App_", .image = "image"});
  CHECK(files.at(0).text.find("name: \"my-app\"") != std::string::npos);
}
