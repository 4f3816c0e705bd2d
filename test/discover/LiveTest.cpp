// Asking machines and schedulers, with commands that are not there: a fake that logs what was asked.
#include "discover/Live.h"
#include "ReadInput.h"
#include "discover/HostReport.h"
#include "discover/Merge.h"
#include <chrono>
#include <map>
#include <mutex>

using namespace streammap;
using namespace streammap::test;

namespace {

/// Answers by the beginning of the command line.
class FakeCommands : public CommandRunner {
public:
  Expected<CommandResult> run(const Command &command) override {
    const std::lock_guard lock(mutex_);
    std::string line;
    for (const std::string &argument : command.arguments)
      line += (line.empty() ? "" : " ") + argument;
    asked.push_back(line);
    for (const auto &[start, result] : answers)
      if (line.starts_with(start))
        return result;
    return failure("cannot start " + command.arguments[0] + ": No such file or directory");
  }
  std::map<std::string, Expected<CommandResult>> answers;
  std::vector<std::string> asked;

private:
  std::mutex mutex_;
};

class FakeEnvironment : public Environment {
public:
  std::string variable(const std::string &name) const override {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  }
  bool isFile(const std::string &path) const override { return files.contains(path); }
  std::map<std::string, std::string> variables;
  std::map<std::string, bool> files;
};

constexpr const char *report =
    "== streammap-host-report 1\n== hostname\nn001\n== cores\n8\n== memory-kib\n1048576\n== nics\n"
    "mlx5_0 0000:0c:00.0 0 400 up\neno1 0000:01:00.0 -1 1 up\nmlx5_1 0000:0d:00.0 0 400 down\n== end\n";

struct Fixture {
  FakeCommands commands;
  FakeEnvironment environment;
  Asking asking{commands, environment, seconds(9)};
};

} // namespace

TEST_CASE_METHOD(Fixture, "Slurm is not asked where its configuration is missing") {
  environment.variables["SLURM_CONF"] = "/nowhere/slurm.conf";
  const Collected texts = collectSlurm(asking);
  REQUIRE_FALSE(texts);
  CHECK(texts.error().message == "SLURM_CONF names /nowhere/slurm.conf, which is not there");
  CHECK(commands.asked.empty());
}

TEST_CASE_METHOD(Fixture, "Slurm: nodes, and a topology where there is one") {
  environment.files["/etc/slurm/slurm.conf"] = true;
  commands.answers["scontrol show node -d"] = CommandResult{0, "NodeName=a State=IDLE\n", ""};
  commands.answers["scontrol show topology"] =
      CommandResult{1, "", "scontrol: error: No topology information available\n"};
  const Collected texts = collectSlurm(asking);
  REQUIRE(texts);
  CHECK(texts->size() == 1);
  commands.answers["scontrol show node -d"] =
      CommandResult{1, "", "slurm_load_node error: Unable to contact slurm controller\n"};
  CHECK(collectSlurm(asking).error().message ==
        "'scontrol show node -d' ended with 1: slurm_load_node error: Unable to contact slurm controller");
}

TEST_CASE_METHOD(Fixture, "Kubernetes: without the right to list pods, nodes alone") {
  environment.variables["KUBECONFIG"] = "/k";
  commands.answers["kubectl get nodes,pods"] = CommandResult{1, "", "forbidden"};
  commands.answers["kubectl get nodes -o"] = CommandResult{0, "{}", ""};
  const Collected texts = collectKubernetes(asking);
  REQUIRE(texts);
  CHECK(texts->at(0).name == "kubectl get nodes");
}

TEST_CASE_METHOD(Fixture, "hosts over ssh: in order, those that do not answer are told") {
  commands.answers["ssh -o BatchMode=yes -o ConnectTimeout=4 -- n001"] = CommandResult{0, report, ""};
  commands.answers["ssh -o BatchMode=yes -o ConnectTimeout=4 -- n003"] = CommandResult{0, report, ""};
  commands.answers["ssh -o BatchMode=yes -o ConnectTimeout=4 -- n002"] =
      CommandResult{255, "", "ssh: connect: No route to host\n"};
  std::vector<std::string> failed;
  const Collected texts = collectOverSsh(asking, std::vector<std::string>{"n001", "n002", "n003"}, failed);
  REQUIRE(texts);
  REQUIRE(texts->size() == 2);
  CHECK(texts->at(1).nodeName == "n003");
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].find("n002: ") == 0);
  CHECK(failed[0].find("No route to host") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "hosts over srun: the labelled lines of all tasks, sorted apart") {
  std::string output;
  for (const char *line : {"== streammap-host-report 1", "== hostname", "n001", "== cores", "8"})
    output += std::string("0: ") + line + "\n1: " + line + "\n";
  commands.answers["srun --nodelist=n[001-002] --nodes=2"] =
      CommandResult{0, "1: srun-node n002\n0: srun-node n001\n" + output, ""};
  std::vector<std::string> failed;
  const Collected texts = collectOverSrun(asking, std::vector<std::string>{"n001", "n002"}, failed);
  REQUIRE(texts);
  REQUIRE(texts->size() == 2);
  CHECK(texts->at(0).nodeName == "n001");
  CHECK(readAs("host-report", texts->at(1).text, "n002").nodes[0].cores->value == 8);
  CHECK(failed.empty());
}

TEST_CASE("a host's report: ports that are down and management ports are no network") {
  const Findings found = readAs("host-report", report, "report");
  CHECK(found.nodes[0].name == "n001");
  CHECK(found.nodes[0].nics.size() == 2);
  Diagnostics diagnostics;
  const std::optional<Discovery> cluster = merge(std::vector<Findings>{found}, {}, diagnostics);
  REQUIRE(cluster);
  const NodeType &type = cluster->cluster.nodeTypes[NodeTypeId(0)];
  REQUIRE(type.nics.size() == 1);
  CHECK(type.nics[0].name == "mlx5_0");
  CHECK(type.nics[0].speed.bandwidth == gigabitsPerSecond(400));
}

TEST_CASE("this machine describes itself") {
  SystemCommands commands;
  const SystemEnvironment environment;
  const Collected texts = collectThisMachine({commands, environment, seconds(30)});
  REQUIRE(texts);
  const Findings found = readAs("host-report", texts->at(0).text, "this machine");
  REQUIRE(found.nodes.size() == 1);
  CHECK_FALSE(found.nodes[0].name.empty());
  CHECK(found.nodes[0].cores->value >= 1);
  CHECK(found.nodes[0].memory->value > mebibytes(64));
}

TEST_CASE("commands: output, input, exit codes, and an end to those that hang") {
  SystemCommands commands;
  const Expected<CommandResult> echoed =
      commands.run({{"sh", "-c", "cat; echo problem >&2; exit 3"}, "hello", seconds(10)});
  REQUIRE(echoed);
  CHECK(echoed->output == "hello");
  CHECK(echoed->errors == "problem\n");
  CHECK(echoed->exitCode == 3);
  CHECK(commands.run({{"no-such-program-here"}, "", seconds(1)}).error().message ==
        "cannot start no-such-program-here: No such file or directory");
  const auto begin = std::chrono::steady_clock::now();
  const Expected<CommandResult> hung =
      commands.run({{"sh", "-c", "sleep 60 & sleep 60"}, "", milliseconds(300)});
  REQUIRE_FALSE(hung);
  CHECK(hung.error().message == "sh gave no answer within 300 ms");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}
