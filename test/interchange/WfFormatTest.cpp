// Recorded workflows: WfFormat 1.5.
#include "interchange/ImportText.h"
#include "mapper/MapTasks.h"

using namespace streammap;
using namespace streammap::test;

namespace {

const std::string workflow = R"({"name": "w", "schemaVersion": "1.5", "workflow": {
 "specification": {
  "tasks": [
   {"id": "split", "name": "split", "parents": [], "children": ["a", "b"], "inputFiles": ["in"], "outputFiles": ["x", "y"]},
   {"id": "a", "name": "work", "parents": ["split"], "children": ["join"], "inputFiles": ["x", "in"], "outputFiles": ["r"]},
   {"id": "b", "name": "work", "parents": ["split"], "children": ["join"], "inputFiles": ["x", "y"], "outputFiles": []},
   {"id": "join", "name": "join", "parents": ["a", "b"], "children": [], "inputFiles": ["r"], "outputFiles": []}],
  "files": [{"id": "in", "sizeInBytes": 1000}, {"id": "x", "sizeInBytes": 50}, {"id": "y", "sizeInBytes": 7},
            {"id": "r", "sizeInBytes": 0}]},
 "execution": {"makespanInSeconds": 9,
  "tasks": [{"id": "split", "runtimeInSeconds": 1}, {"id": "a", "runtimeInSeconds": 2.5, "memoryInBytes": 4096},
            {"id": "b", "runtimeInSeconds": 2, "coreCount": 2}, {"id": "join", "runtimeInSeconds": 1}],
  "machines": [{"nodeName": "w1", "cpu": {"coreCount": 4}}, {"nodeName": "w2"}]}}})";

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

} // namespace

TEST_CASE("times, files that pass between tasks, and machines") {
  const ImportedProblem problem = imported(workflow);
  CHECK(timesOf(problem.graph) == "split=1 a=2 b=2 join=1");
  CHECK(edgesOf(problem.graph) == "split>a:50 split>b:50 split>b:7 a>join:0 b>join:0");
  CHECK(problem.graph.tasks[TaskId(1)].name == "work");
  CHECK(problem.graph.tasks[TaskId(1)].secondsOrigin == Origin::profile);
  CHECK(problem.graph.tasks[TaskId(1)].deviceMemory == bytes(4096));
  // Four cores run two of the widest task, which takes two; a machine of unknown size runs one.
  CHECK(problem.cluster->nodes.size() == 2);
  CHECK(problem.cluster->devices.size() == 3);
  REQUIRE(problem.notes.size() == 1);
  CHECK(problem.notes[0].find("--bandwidth") != std::string::npos);
}

TEST_CASE("a file is sent at the bandwidth given, once to a node") {
  // split on one node, a and b need x (50 bytes) there or elsewhere at 10 B/s: staying is quicker.
  const ImportedProblem problem = imported(workflow, {.processors = 2, .bandwidth = bytesPerSecond(10)});
  CHECK(problem.notes.empty());
  const Expected<Problem> compiled = makeProblem(problem.graph, *problem.cluster);
  REQUIRE(compiled);
  CHECK(mapTasks(*compiled, {})->predicted.makespan == seconds(6.5));
}

TEST_CASE("what is wrong is named with its pointer") {
  CHECK(errorsIn(replaced(workflow, "\"1.5\"", "\"1.4\"")) ==
        "in:/schemaVersion: error: expected version '1.5' of WfFormat, found '1.4'\n");
  CHECK(errorsIn(replaced(workflow, "\"parents\": [\"split\"]", "\"parents\": [\"splat\"]")) ==
        "in:/workflow/specification/tasks/1/parents/0: error: no task has the id 'splat'\n");
  CHECK(errorsIn(replaced(workflow, "\"inputFiles\": [\"x\", \"in\"]", "\"inputFiles\": [\"z\"]")) ==
        "in:/workflow/specification/tasks/1/inputFiles/0: error: file 'z' is not among the files\n");
  CHECK(errorsIn(replaced(workflow, "\"runtimeInSeconds\": 2.5", "\"runtimeInSecond\": 2.5")) ==
        "in:/workflow/execution/tasks/1: error: missing key 'runtimeInSeconds', a number; did you mean "
        "'runtimeInSecond'?\n");
  CHECK(errorsIn(replaced(workflow, "{\"id\": \"join\", \"runtimeInSeconds\": 1}",
                          "{\"id\": \"split\", \"runtimeInSeconds\": 1}")) ==
        "in:/workflow/execution/tasks: error: task 'join' has no run with its time\n");
  CHECK(errorsIn(replaced(workflow, "\"nodeName\": \"w2\"", "\"nodeName\": \"w1\"")) ==
        "in:/workflow/execution/machines/1/nodeName: error: machine 'w1' is there already\n");
  CHECK(errorsIn(replaced(workflow, "\"sizeInBytes\": 50", "\"sizeInBytes\": -50"))
            .find("/files/1/sizeInBytes") != std::string::npos);
  CHECK(errorsIn("{\"schemaVersion\": \"1.5\"}") == "in: error: missing key 'workflow', an object\n");
  CHECK(errorsIn(workflow.substr(0, 300)).find("in:") == 0);
}
