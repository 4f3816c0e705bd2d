#include "model/TaskGraphJson.h"
#include "model/TaskOrder.h"
#include "support/Catch.h"
#include "support/GraphText.h"
#include "support/KeepForSchemaTest.h"
#include <chrono>
#include <random>

using namespace streammap;

namespace {

/// Every key of the format once.
constexpr std::string_view complete = R"json({
  "schema": "streammap.tasks/1",
  "program": {"sources": ["cholesky.cu"], "arguments": ["-n", "8192"], "parameters": {"n": 8192, "x": 0.25}},
  "kernels": [{"id": "k0", "name": "gemm<float>", "symbol": "_Z4gemm", "location": "cholesky.cu:41:1",
    "resources": {"sm_90": {"registers_per_thread": 64, "static_shared_bytes": 8192, "spill_bytes": 0,
                            "local_bytes": 16, "constant_bytes": 380, "origin": "ptxas", "compiler": "nvcc 13.0"}},
    "costs": {"flops_fp32": "2*n*gridDim.x"},
    "unknowns": [{"metric": "atomics", "location": "cholesky.cu:44:3", "reason": "depends on data", "remedy": "trips(e)"}]}],
  "buffers": [{"id": "b0", "name": "A", "bytes": 536870912, "location": "cholesky.cu:88:10"}],
  "tasks": [{"id": "t3", "name": "potrf[0]", "seconds": {"*": 0.5}},
    {"id": "t17", "name": "gemm[2,1,0]", "site": 3, "location": "cholesky.cu:102:5",
    "launches": [{"kernel": "k0", "grid": [64,64,1], "block": [16,16], "dynamic_shared_bytes": 128}],
    "work": {"flops": {"fp32": 2.1e9}, "dram_bytes": 1.2e7, "origin": "static"},
    "seconds": {"H100-SXM5-80GB": 4.1e-4, "*": 1e-3}, "seconds_origin": "profile",
    "device_memory_bytes": 12582912,
    "accesses": [{"buffer": "b0", "mode": "inout", "offset": 0, "bytes": 4096, "stride": 32768, "count": 1024},
                 {"buffer": "b0", "mode": "in", "bytes": 8}],
    "constraints": {"capability": "8.0", "models": ["H100"], "together": ["x"], "apart": ["y"], "node": "n001", "device": "any"},
    "priority": -1.5}],
  "dependencies": [{"from": "t3", "to": "t17", "bytes": 4194304, "buffer": "b0"}]})json";

TaskGraph readFine(std::string_view text) {
  Diagnostics diagnostics;
  std::optional<TaskGraph> graph = readTaskGraph(text, "in.json", diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(graph);
  return std::move(*graph);
}

/// What is wrong with a file whose body (after the schema) is `body`.
std::string reported(std::string_view body) {
  Diagnostics diagnostics;
  std::optional<TaskGraph> graph =
      readTaskGraph("{\"schema\": \"streammap.tasks/1\", " + std::string(body) + "}", "in.json", diagnostics);
  CHECK(graph.has_value() == !diagnostics.hasErrors());
  return toText(diagnostics);
}

} // namespace

TEST_CASE("where a file gives no dependencies they follow from what its tasks access") {
  constexpr std::string_view text = R"json({"schema": "streammap.tasks/1",
    "buffers": [{"id": "x", "bytes": 200}],
    "tasks": [{"id": "p0", "accesses": [{"buffer": "x", "mode": "out", "bytes": 100}]},
              {"id": "p1", "accesses": [{"buffer": "x", "mode": "out", "offset": 100, "bytes": 100}]},
              {"id": "q", "accesses": [{"buffer": "x", "mode": "in", "bytes": 200}]}]})json";
  const TaskGraph quick = readFine(text);
  std::string escaped(text);
  escaped.replace(escaped.find("\"q\""), 3, "\"\\u0071\"");
  const TaskGraph thorough = readFine(escaped);
  for (const TaskGraph *graph : {&quick, &thorough}) {
    REQUIRE(graph->dependencies.size() == 2);
    for (std::size_t i : {0u, 1u}) {
      CHECK(graph->dependencies[i].from == TaskId(i));
      CHECK(graph->dependencies[i].to == TaskId(2));
      CHECK(graph->dependencies[i].size.value() == 100);
    }
  }
}

TEST_CASE("times whose sums would be no numbers are refused") {
  CHECK(reported(R"("tasks": [{"id": "a", "seconds": {"*": 1e308}}])")
            .find("expected a time of at most 1e+15 s, found the number 1e+308") != std::string::npos);
}

TEST_CASE("cost metrics are those that exist, and limits are named where they are passed") {
  CHECK(reported(R"("kernels": [{"id": "k", "costs": {"flops_fp23": "n"}}], "tasks": [])")
            .find("unknown cost metric 'flops_fp23'; did you mean 'flops_fp32'?") != std::string::npos);
  CHECK(reported(R"("kernels": [{"id": "k", "unknowns": [{"metric": "zzz"}]}], "tasks": [])")
            .find("expected a cost metric or \"all\", found the text 'zzz'") != std::string::npos);
  CHECK(reported(R"("buffers": [{"id": "x", "bytes": 4611686018427387904}], "tasks": [])")
            .find("expected a whole number from 0 to 9007199254740992 (2^53), found the number "
                  "4611686018427387904") != std::string::npos);
}

TEST_CASE("a file reads the same whether it takes the quick way or the thorough one") {
  // An escape sends a file the thorough way; a capability does, too.
  std::string quick(complete);
  quick.replace(quick.find("\"capability\": \"8.0\", "), 21, "");
  std::string thorough = quick;
  thorough.replace(thorough.find("potrf[0]"), 8, "\\u0070otrf[0]");
  CHECK(writeTaskGraph(readFine(quick)) == writeTaskGraph(readFine(thorough)));
  // Whatever is changed, both ways agree on what is right.
  std::mt19937 random(12);
  static constexpr std::string_view letters = "{}[]\",:0123456789-+.eE ";
  for (int round = 0; round < 3000; ++round) {
    std::string changed = quick;
    changed[random() % changed.size()] = letters[random() % letters.size()];
    std::string escaped = changed;
    const std::size_t at = escaped.find("cholesky.cu:102:5");
    if (at == std::string::npos)
      continue;
    escaped.replace(at, 1, "\\u0063");
    INFO(changed);
    Diagnostics first, second;
    const std::optional<TaskGraph> a = readTaskGraph(changed, "in.json", first);
    const std::optional<TaskGraph> b = readTaskGraph(escaped, "in.json", second);
    REQUIRE(a.has_value() == b.has_value());
    if (a)
      CHECK(writeTaskGraph(*a) == writeTaskGraph(*b));
  }
}

TEST_CASE("every key is read") {
  TaskGraph graph = readFine(complete);
  CHECK(graph.program.parameters.at("x") == 0.25);
  CHECK(graph.program.arguments == std::vector<std::string>{"-n", "8192"});
  const Kernel &kernel = graph.kernels[KernelId(0)];
  CHECK(kernel.resources.at("sm_90").registersPerThread == 64);
  CHECK(kernel.resources.at("sm_90").compiler == "nvcc 13.0");
  CHECK(kernel.unknowns.at(0).remedy == "trips(e)");
  CHECK(graph.buffers[BufferId(0)].size == mebibytes(512));
  const Task &task = graph.tasks[TaskId(1)];
  CHECK(task.site == 3u);
  CHECK(task.launches.at(0).block == std::array<std::uint64_t, 3>{16, 16, 1});
  CHECK((*task.work)[FlopType::fp32] == flops(2.1e9));
  CHECK(task.seconds.at("*") == milliseconds(1));
  CHECK(task.secondsOrigin == Origin::profile);
  CHECK(task.accesses.at(0).region == Region{0, 4096, 32768, 1024});
  CHECK(task.accesses.at(1).region == Region{0, 8, 0, 1});
  CHECK(task.constraints.device == DeviceKind::any);
  CHECK(task.priority == -1.5);
  CHECK(graph.dependencies.at(0).buffer == BufferId(0));
}

TEST_CASE("writing is canonical: what is written is read and written as the same bytes") {
  std::string once = writeTaskGraph(readFine(complete));
  CHECK(writeTaskGraph(readFine(once)) == once);
  keepForSchemaTest("complete.tasks.json", once);
  CHECK(once.find("\"seconds\":{\"*\":0.001,\"H100-SXM5-80GB\":0.00041}") != std::string::npos);
}

TEST_CASE("a plain weighted graph is a valid file") {
  TaskGraph graph = readFine(R"({"schema": "streammap.tasks/1",
      "tasks": [{"id": "a", "seconds": {"*": 1}}, {"id": "b", "seconds": {"*": 2}}],
      "dependencies": [{"from": "a", "to": "b", "bytes": 100}]})");
  CHECK(graph.tasks[TaskId(1)].name == "b");
  CHECK(graph.dependencies.at(0).size == bytes(100));
}

TEST_CASE("dependencies are sorted whatever the file's order") {
  TaskGraph graph =
      readFine(R"({"schema": "streammap.tasks/1", "tasks": [{"id": "a"}, {"id": "b"}, {"id": "c"}],
      "dependencies": [{"from": "b", "to": "c"}, {"from": "a", "to": "c"}, {"from": "a", "to": "b"}]})");
  CHECK(graph.dependencies.at(0).to == TaskId(1));
  CHECK(graph.dependencies.at(2).from == TaskId(1));
}

TEST_CASE("duplicate ids name their first use") {
  CHECK(reported(R"("tasks": [{"id": "a"}, {"id": "b"}, {"id": "a"}])") ==
        "in.json:/tasks/2/id: error: duplicate task id 'a', first used at /tasks/0/id\n1 error\n");
  CHECK(reported(R"("tasks": [], "buffers": [{"id": "a", "bytes": 1}, {"id": "a", "bytes": 1}])") ==
        "in.json:/buffers/1/id: error: duplicate buffer id 'a', first used at /buffers/0/id\n1 error\n");
  CHECK(reported(R"("tasks": [{"id": ""}])") ==
        "in.json:/tasks/0/id: error: the id of a task must not be empty\n1 error\n");
}

TEST_CASE("dangling references suggest the nearest id") {
  CHECK(
      reported(
          R"("tasks": [{"id": "potrf0"}, {"id": "trsm1"}], "dependencies": [{"from": "potrf", "to": "zzz"}])") ==
      "in.json:/dependencies/0/from: error: unknown task 'potrf'; did you mean 'potrf0'?\n"
      "in.json:/dependencies/0/to: error: unknown task 'zzz'\n2 errors\n");
  CHECK(
      reported(
          R"("tasks": [{"id": "t", "launches": [{"kernel": "k"}], "accesses": [{"buffer": "b", "mode": "in", "bytes": 1}]}])") ==
      "in.json:/tasks/0/launches/0/kernel: error: unknown kernel 'k'\n"
      "in.json:/tasks/0/accesses/0/buffer: error: unknown buffer 'b'\n2 errors\n");
}

TEST_CASE("a cycle is told as a path") {
  CHECK(reported(R"("tasks": [{"id": "x"}, {"id": "a", "name": "first"}, {"id": "b"}, {"id": "c"}],
        "dependencies": [{"from": "x", "to": "a"}, {"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "c", "to": "a"}])") ==
        "in.json:/dependencies/3: error: the dependencies form a cycle: a (first) -> b -> c -> a (first)\n1 "
        "error\n");
  CHECK(reported(R"("tasks": [{"id": "a"}], "dependencies": [{"from": "a", "to": "a"}])") ==
        "in.json:/dependencies/0/to: error: task 'a' depends on itself\n1 error\n");
}

TEST_CASE("a dependency given twice is an error") {
  CHECK(
      reported(
          R"("tasks": [{"id": "a"}, {"id": "b"}], "dependencies": [{"from": "a", "to": "b"}, {"from": "a", "to": "b", "bytes": 4}])") ==
      "in.json:/dependencies/1: error: the dependency from 'a' to 'b' is already given at /dependencies/0; "
      "add their "
      "bytes up in one\n1 error\n");
}

TEST_CASE("regions must lie in their buffer and not overlap themselves") {
  CHECK(reported(R"("buffers": [{"id": "b", "bytes": 100}], "tasks": [{"id": "t", "accesses": [
        {"buffer": "b", "mode": "in", "offset": 90, "bytes": 20},
        {"buffer": "b", "mode": "in", "bytes": 20, "stride": 10, "count": 2},
        {"buffer": "b", "mode": "in", "bytes": 4, "stride": 9007199254740992, "count": 9007199254740992}]}])") ==
        "in.json:/tasks/0/accesses/0: error: the region ends at byte 110, but buffer 'b' has 100 bytes\n"
        "in.json:/tasks/0/accesses/1/stride: error: expected a stride of at least 'bytes' (20) because "
        "'count' is 2, "
        "found 10\n"
        "in.json:/tasks/0/accesses/2: error: the region ends at byte 8.112963841460667e+31, but buffer 'b' "
        "has 100 "
        "bytes\n3 errors\n");
}

TEST_CASE("wrong numbers, words and shapes are errors") {
  CHECK(
      reported(
          R"("tasks": [{"id": "a", "seconds": {"*": -1}, "priority": "high", "device_memory_bytes": -5}])") ==
      "in.json:/tasks/0/seconds/*: error: expected a number, 0 or more, found the number -1\n"
      "in.json:/tasks/0/device_memory_bytes: error: expected a number, 0 or more, found the number -5\n"
      "in.json:/tasks/0/priority: error: expected a number, found the text 'high'\n3 errors\n");
  CHECK(reported(R"("tasks": [{"id": "a", "constraints": {"device": "gpus", "capability": "8"}}])") ==
        "in.json:/tasks/0/constraints/capability: error: expected a compute capability such as \"8.0\", "
        "found the text '8'\n"
        "in.json:/tasks/0/constraints/device: error: expected one of gpu, cpu, any, found the text 'gpus'; "
        "did you mean "
        "'gpu'?\n2 errors\n");
  CHECK(
      reported(
          R"("kernels": [{"id": "k"}], "tasks": [{"id": "a", "launches": [{"kernel": "k", "block": [2048], "grid": [1,1,1,1]}]}])") ==
      "in.json:/tasks/0/launches/0/grid: error: expected one to three whole numbers, found 4\n"
      "in.json:/tasks/0/launches/0/block/0: error: expected a whole number from 1 to 1024, found the number "
      "2048\n"
      "2 errors\n");
  CHECK(reported(R"("tasks": {})") == "in.json:/tasks: error: expected an array, found an object\n1 error\n");
  CHECK(reported(R"("taks": [])") == "in.json:/taks: error: unknown key 'taks'; did you mean 'tasks'?\n"
                                     "in.json: error: missing key 'tasks'\n2 errors\n");
}

TEST_CASE("a truncated file says where it ends") {
  Diagnostics diagnostics;
  CHECK_FALSE(readTaskGraph("{\"schema\": \"streammap.tasks/1\",\n\"tasks\": [{\"id\": \"a\"},", "in.json",
                            diagnostics));
  CHECK(toText(diagnostics)
            .starts_with("in.json:2:23: error: syntax error while parsing value - unexpected end of input"));
}

TEST_CASE("tasks can be put in an order, or a cycle is found") {
  TaskGraph graph = graphFromText("a -> b -> d\nc -> b");
  std::string order;
  for (TaskId task : topologicalOrder(graph))
    order += graph.tasks[task].id;
  CHECK(order == "acbd");
  CHECK(findCycle(graph).empty());
  CHECK(findCycle(graphFromText("a -> b -> c -> b")) == std::vector<TaskId>{TaskId(1), TaskId(2)});
}

TEST_CASE("20,000 tasks are written and read in a moment") {
  TaskGraph graph;
  graph.kernels.push({"k0", "gemm", "_Z4gemm", "a.cu:1:1", {}, {}, {}});
  graph.buffers.push({"b0", "A", gibibytes(32), "a.cu:2:2"});
  for (std::size_t i = 0; i < 20000; ++i) {
    Task task;
    task.id = "t" + std::to_string(i);
    task.name = "gemm[" + std::to_string(i) + "]";
    task.location = "a.cu:102:5";
    task.launches.push_back({KernelId(0), {64, 64, 1}, {16, 16, 1}, Bytes()});
    task.work.emplace().dram = bytes(1.25e7 + static_cast<double>(i) / 3);
    for (std::uint64_t access = 0; access < 3; ++access)
      task.accesses.push_back({BufferId(0), AccessMode::in, {(i + access) * 1024, 256, 8192, 256}});
    graph.tasks.push(std::move(task));
    for (std::size_t back = 1; back <= 3 && back <= i; ++back)
      graph.dependencies.push_back({TaskId(i - back), TaskId(i), bytes(65536), BufferId(0)});
  }
  std::ranges::sort(graph.dependencies, {}, [](const Dependency &d) { return std::pair(d.from, d.to); });
  auto secondsSince = [](auto start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  auto start = std::chrono::steady_clock::now();
  std::string text = writeTaskGraph(graph);
  double writing = secondsSince(start);
  start = std::chrono::steady_clock::now();
  TaskGraph again = readFine(text);
  double reading = secondsSince(start);
  WARN(text.size() / 1000000 << " MB written in " << writing << " s, read in " << reading << " s");
  CHECK(writeTaskGraph(again) == text);
  CHECK(reading < 10); // 0.2 s; a quadratic step would take minutes
}
