// The mini program through `streammap run`: real ranks, the CPU device, random placements; results are the
// serial program's. Then everything that can go wrong: the job ends within seconds and says where.
#include "build/RunTool.h"
#include "model/TaskGraphJson.h"
#include "support/Catch.h"
#include "support/Files.h"
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

namespace streammap {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string program = STREAMMAP_BINARY_DIR "/bin/streammap_mini_program";
const std::string streammapCommand = STREAMMAP_BINARY_DIR "/bin/streammap";

struct Ran {
  int exitCode;
  std::string output; ///< both streams
  double seconds;
};

/// With `variables` ("NAME=value") set for this run only.
Ran run(Words command, const Words &variables = {}) {
  Words words{"/usr/bin/env"};
  words.insert(words.end(), variables.begin(), variables.end());
  words.insert(words.end(), command.begin(), command.end());
  const auto start = std::chrono::steady_clock::now();
  const Expected<ToolRun> ran = runTool(words);
  REQUIRE(ran);
  return {ran->exitCode, ran->output,
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

class Folder {
public:
  Folder() {
    std::string name = fs::temp_directory_path() / "streammap-run-test-XXXXXX";
    REQUIRE(mkdtemp(name.data()));
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  std::string operator/(const std::string &name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

struct World {
  int nodes, gpus;
};

/// The tasks of a scenario, as the program itself records them.
TaskGraph record(const Folder &folder, const Words &arguments) {
  const std::string file = folder / "tasks.json";
  Words command{streammapCommand, "run", program, "--record", file, "--"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  run(command); // ends in 1: without kernels the results are wrong
  const Expected<std::string> text = readFile(file);
  REQUIRE(text);
  Diagnostics diagnostics;
  std::optional<TaskGraph> graph = readTaskGraph(*text, file, diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(graph);
  return *graph;
}

/// Every task somewhere, every node used.
std::string placeAtRandom(const Folder &folder, const TaskGraph &graph, World world, unsigned seed) {
  std::mt19937 random(seed);
  Json assignments = Json::array();
  int index = 0;
  for (const Task &task : graph.tasks) {
    const int node = index < world.nodes ? index : static_cast<int>(random() % world.nodes);
    assignments.push_back({{"task", task.id},
                           {"name", task.name},
                           {"node", "n" + std::to_string(node)},
                           {"gpu", random() % world.gpus},
                           {"start_seconds", index},
                           {"end_seconds", index + 1}});
    ++index;
  }
  const std::string file = folder / "placement.json";
  const Json placement = {
      {"schema", "streammap.placement/1"},
      {"program", {{"arguments", graph.program.arguments}, {"parameters", Json::object()}}},
      {"assignments", assignments}};
  REQUIRE(writeFileWhole(file, placement.dump()));
  return file;
}

Words runCommand(const std::string &placement, const Words &arguments, const Words &flags = {}) {
  Words command{streammapCommand, "run", program, "--placement", placement, "--timeout", "60", "-q"};
  command.insert(command.end(), flags.begin(), flags.end());
  command.push_back("--");
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// "... verified" of the scenario on one device.
std::string serialOutput(const Words &arguments) {
  Words command{program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Ran ran = run(command, {"STREAMMAP_CPU_DEVICES=1"});
  REQUIRE(ran.exitCode == 0);
  REQUIRE(contains(ran.output, "verified"));
  return ran.output;
}

void checkScenario(const std::string &scenario, const Words &variables = {}) {
  const Words arguments{scenario, "24", "4"};
  const Folder folder;
  const std::string expected = serialOutput(arguments);
  const TaskGraph graph = record(folder, arguments);
  unsigned seed = 1;
  for (World world : {World{1, 3}, World{2, 2}, World{4, 1}}) {
    if (graph.tasks.size() < static_cast<std::size_t>(world.nodes))
      continue;
    CAPTURE(scenario, world.nodes, world.gpus, seed);
    const Ran ran = run(runCommand(placeAtRandom(folder, graph, world, seed++), arguments), variables);
    INFO(ran.output);
    CHECK(ran.exitCode == 0);
    CHECK(ran.output == expected);
  }
}

/// A run of a scenario that goes wrong, on two nodes of two GPUs.
Ran runMisuse(const std::string &scenario, const Words &variables = {}) {
  const Words arguments{scenario, "16", "4"};
  const Folder folder;
  TaskGraph graph = record(folder, {"none", "16", "4"});
  graph.program.arguments = arguments; // the same tasks, but for what goes wrong
  return run(runCommand(placeAtRandom(folder, graph, {2, 2}, 1), arguments), variables);
}

} // namespace

TEST_CASE("sections between neighbours, and buffers that are swapped") {
  checkScenario("stencil");
}
TEST_CASE("strided tiles of one matrix, pointers inside structs") {
  checkScenario("tiles");
}
TEST_CASE("objects and host arrays in clauses; copies, fills and scratch memory in tasks; wait on sections") {
  checkScenario("objects");
}
TEST_CASE("managed and pinned memory that host and tasks write in turn") {
  checkScenario("managed");
}
TEST_CASE("device variables set from the host") {
  checkScenario("symbols");
}
TEST_CASE("launches outside tasks, and tasks switched off by when") {
  checkScenario("untasked");
}
TEST_CASE("devices too small to hold everything give the same results") {
  checkScenario(
      "stencil",
      {"STREAMMAP_CPU_MEMORY=256KiB"}); // 4 of 8 buffers, each a granule of 64 KiB: what a task uses
}

TEST_CASE("the trace of a run has every task once, from all ranks") {
  const Folder folder;
  const Words arguments{"stencil", "24", "4"};
  const TaskGraph graph = record(folder, arguments);
  const std::string trace = folder / "trace.json";
  const Ran ran = run(runCommand(placeAtRandom(folder, graph, {2, 2}, 5), arguments, {"--trace", trace}));
  REQUIRE(ran.exitCode == 0);
  const Expected<std::string> text = readFile(trace);
  REQUIRE(text);
  const Json json = Json::parse(*text, nullptr, false);
  REQUIRE_FALSE(json.is_discarded());
  std::map<std::string, int> seen;
  bool sent = false, received = false;
  int labels = 0;
  for (const Json &event : json["traceEvents"]) {
    if (event.value("cat", "") == "task")
      ++seen[event["name"]];
    labels +=
        event.value("name", "") == "process_labels" && event["args"]["labels"] == "StreamMAP CPU device";
    const std::string path = event.contains("args") ? event["args"].value("path", "") : "";
    sent = sent || path == "to rank 1";
    received = received || path == "from rank 0";
  }
  CHECK(seen.size() == graph.tasks.size());
  for (const auto &[name, count] : seen)
    CHECK(count == 1);
  CHECK(sent);
  CHECK(received);
  CHECK(labels == 2); // both ranks say what their devices are
}

TEST_CASE("a recorded graph has the program's dependencies and launches") {
  const Folder folder;
  const TaskGraph graph = record(folder, {"tiles", "8", "2"});
  REQUIRE(graph.tasks.size() == 8);
  REQUIRE(graph.kernels.size() == 1);
  CHECK(graph.kernels[KernelId(0)].name == "multiply");
  // c[i][j] += ...: of the two products of each tile the second follows the first.
  REQUIRE(graph.dependencies.size() == 4);
  for (const Dependency &dependency : graph.dependencies) {
    CHECK(dependency.to.index() == dependency.from.index() + 1);
    CHECK(dependency.size.value() == 8 * 8 * sizeof(long));
  }
  CHECK(graph.tasks[TaskId(3)].name == "multiply#3");
  CHECK(graph.tasks[TaskId(0)].launches.size() == 1);
}

TEST_CASE("a run says what ran, unless asked not to; and what it was given that it cannot use") {
  const Folder folder;
  const Words arguments{"stencil", "8", "2"};
  const std::string placement = placeAtRandom(folder, record(folder, arguments), {2, 1}, 1);
  const Ran ran =
      run({streammapCommand, "run", program, "--placement", placement, "--", "stencil", "8", "2"});
  CHECK(ran.exitCode == 0);
  CHECK(contains(ran.output, " tasks in "));
  Ran refused = run({streammapCommand, "run", program, "--placement", placement, "stencil", "8"});
  CHECK(refused.exitCode == 2);
  CHECK(contains(refused.output, "unexpected argument 'stencil'; the program's arguments follow after --"));
  refused = run({streammapCommand, "run", program, "--placment", placement});
  CHECK(refused.exitCode == 2);
  CHECK(contains(refused.output, "unknown option '--placment'"));
  refused = run({streammapCommand, "run", "/bin/true", "--placement", placement});
  CHECK(refused.exitCode == 1);
  CHECK(contains(refused.output, "was not made by 'streammap build'"));
}

TEST_CASE("output of ranks other than 0 is shown on demand") {
  const Folder folder;
  const Words arguments{"stencil", "8", "2"};
  const std::string placement = placeAtRandom(folder, record(folder, arguments), {2, 1}, 1);
  CHECK(run(runCommand(placement, arguments, {"--all-output"})).exitCode == 0);
}

TEST_CASE("a program that is run with other arguments than the placement's stops before its first task") {
  const Folder folder;
  const std::string placement = placeAtRandom(folder, record(folder, {"stencil", "16", "4"}), {2, 2}, 1);
  const Ran ran = run(runCommand(placement, {"stencil", "24", "4"}));
  CHECK(ran.exitCode == 1);
  CHECK(contains(ran.output, "was made for other arguments: stencil 16 4"));
  CHECK(contains(ran.output, "this run has arguments: stencil 24 4"));
}

TEST_CASE("a program whose tasks differ from the placement stops before the first that differs") {
  const Folder folder;
  TaskGraph graph = record(folder, {"stencil", "16", "4"});
  graph.program.arguments.clear(); // as where --param stands for them: only the tasks can tell
  const std::string placement = placeAtRandom(folder, graph, {2, 2}, 1);
  Ran ran = run(runCommand(placement, {"tiles", "16", "4"}));
  CHECK(ran.exitCode == 1);
  CHECK(contains(ran.output, "task 0 is multiply#0 here"));
  CHECK(contains(ran.output, "and stencil[0,0] in the placement"));
  CHECK(contains(ran.output, "this run has arguments: tiles 16 4"));
  ran = run(runCommand(placement, {"stencil", "16", "2"}));
  CHECK(ran.exitCode == 1);
  CHECK(contains(ran.output, "the program ended after 8 tasks"));
  ran = run(runCommand(placement, {"stencil", "16", "5"}));
  CHECK(ran.exitCode == 1);
  CHECK(contains(ran.output, "the placement ends after 16 tasks"));
}

TEST_CASE("a killed rank ends the job within seconds, and is named with its task") {
  const Ran ran = runMisuse("killed");
  CHECK(ran.exitCode == 4);
  CHECK(ran.seconds < 20); // 3 s on an idle machine
  CHECK(contains(ran.output, "was killed by signal 9 (Killed) while running task scale[3] on device"));
}

TEST_CASE("a buffer that a kernel uses and no clause names is an error that says which") {
  const Ran ran = runMisuse("unnamed");
  CHECK(ran.exitCode == 1);
  CHECK(contains(ran.output, "argument 1 of kernel scale points into buffer 1"));
  CHECK(contains(ran.output, "add it to in, out or inout"));
}

TEST_CASE("a section beyond its allocation is an error") {
  const Ran ran = runMisuse("beyond");
  CHECK(ran.exitCode == 1);
  CHECK(contains(ran.output, "beyond its 128 bytes"));
}

TEST_CASE("exit inside a task ends all ranks with its code") {
  const Ran ran = runMisuse("exit");
  CHECK(ran.exitCode == 7);
  CHECK(contains(ran.output, "called exit(7) inside a task"));
}

TEST_CASE("a rank that leaves alone takes the others with it") {
  const Ran ran = runMisuse("alone");
  CHECK(ran.exitCode != 0);
  CHECK(ran.seconds < 20);
}

TEST_CASE("a device that fails is named with rank, task and call") {
  const Ran ran = run({program, "stencil", "16", "3"}, {"STREAMMAP_CPU_FAULT=launch:3@0"});
  CHECK(ran.exitCode == 4);
  CHECK(contains(ran.output, "rank 0 (node "));
  CHECK(contains(ran.output, "device 0, task stencil["));
  CHECK(contains(ran.output, "unspecified launch failure (719)"));
}

TEST_CASE("a task that does not fit on its device is an error that says what fills it") {
  const Ran ran = run({program, "stencil", "8192", "3"}, {"STREAMMAP_CPU_MEMORY=64KiB"});
  CHECK(ran.exitCode == 4);
  CHECK(contains(ran.output, "task stencil[0,0]: out of device memory"));
  CHECK(contains(ran.output, "needed: 64.0 KiB of buffer 1 (cudaMalloc of 65536 bytes)"));
}

TEST_CASE("a run that takes too long is ended") {
  const Folder folder;
  const std::string placement = placeAtRandom(folder, record(folder, {"slow", "8", "600"}), {2, 1}, 1);
  const Ran ran = run({streammapCommand, "run", program, "--placement", placement, "--timeout", "1", "--",
                       "slow", "8", "600"});
  CHECK(ran.exitCode == 4);
  CHECK(contains(ran.output, "had not finished within 1"));
}

TEST_CASE("a program that is not there, a placement that is none") {
  const Folder folder;
  CHECK(run({streammapCommand, "run", "/nowhere/app"}).exitCode == 4);
  CHECK(run({streammapCommand, "run", program, "--placement", folder / "absent.json"}).exitCode == 4);
  const std::string bad = folder / "bad.json";
  REQUIRE(writeFileWhole(bad, R"({"schema": "streammap.placement/1", "assignments": [{"task": "t0"}]})"));
  const Ran ran = run({streammapCommand, "run", program, "--placement", bad});
  CHECK(ran.exitCode == 1);
  CHECK(contains(ran.output, "missing key 'name'"));
}

TEST_CASE("ranks may come in any order of nodes, if they are told which") {
  const Words arguments{"stencil", "24", "4"};
  const Folder folder;
  const std::string placement = placeAtRandom(folder, record(folder, arguments), {3, 1}, 5);
  const Ran ran = run(runCommand(placement, arguments), {"STREAMMAP_NODES=n[2,0,1]"});
  INFO(ran.output);
  CHECK(ran.exitCode == 0);
  CHECK(ran.output == serialOutput(arguments));
  const Ran other = run(runCommand(placement, arguments), {"STREAMMAP_NODES=n[0-3]"});
  CHECK(other.exitCode == 4);
  CHECK(contains(other.output, "STREAMMAP_NODES is 'n[0-3]', and these are not the nodes of"));
}

TEST_CASE("a rank that wakes up on another rank's node stops the job") {
  const Words arguments{"stencil", "24", "4"};
  const Folder folder;
  const std::string placement = placeAtRandom(folder, record(folder, arguments), {2, 1}, 5);
  const Ran ran = run(runCommand(placement, arguments), {"STREAMMAP_CHECK_NODES=1", "SLURMD_NODENAME=n1"});
  CHECK(ran.exitCode == 4);
  CHECK(contains(ran.output, "this process was started on n1, but rank 0 of"));
}

TEST_CASE("processes that a launcher of another MPI started do not compute everything twice") {
  const Words arguments{"stencil", "24", "4"};
  const Folder folder;
  const std::string placement = placeAtRandom(folder, record(folder, arguments), {1, 1}, 5);
  const Ran ran =
      run({program, "stencil", "24", "4"}, {"STREAMMAP_PLACEMENT=" + placement, "PMI_SIZE=2", "PMI_RANK=0"});
  CHECK(ran.exitCode == 4);
  CHECK(contains(ran.output, "the launcher started 2 processes, but this one is in an MPI world of 1"));
}

TEST_CASE("a placement for more ranks than were started is refused") {
  const Folder folder;
  const std::string placement = placeAtRandom(folder, record(folder, {"stencil", "16", "2"}), {2, 1}, 1);
  const Ran ran = run({program, "stencil", "16", "2"}, {"STREAMMAP_PLACEMENT=" + placement});
  CHECK(ran.exitCode == 4);
  CHECK(contains(ran.output, "places tasks on 2 nodes and 1 ranks were started"));
}

} // namespace streammap
