// Formats made of lines of numbers: STG, hetero-dag, FJSPLib, PSPLIB.
#include "interchange/ImportText.h"
#include "mapper/MapTasks.h"
#include "model/ClusterJson.h"
#include "model/TaskGraphJson.h"

using namespace streammap;
using namespace streammap::test;

namespace {

const std::string stg = "  2\n"
                        "  0  0  0\n"
                        "  1  9  1  0\n"
                        "  2  4  1  0\n"
                        "  3  0  2  1  2\n"
                        "# a remark\n";

const std::string heteroDag = "#critical\n7\n#tasks\n0: 1, 2\n1: 3, 4.5 \n#edges\n0: 0, 1, 18\n#end";

const std::string jobShop = "2 3 1.5\n"
                            "2 1 1 5 2 2 7 3 6\n"
                            "1 2 1 4 3 4\n";

const std::string project = "****\n"
                            "  - renewable                 :  2   R\n"
                            "  - nonrenewable              :  0   N\n"
                            "****\n"
                            "PRECEDENCE RELATIONS:\n"
                            "jobnr.    #modes  #successors   successors\n"
                            "   1        1          2           2   3\n"
                            "   2        1          1           4\n"
                            "   3        1          1           4\n"
                            "   4        1          0\n"
                            "****\n"
                            "REQUESTS/DURATIONS:\n"
                            "jobnr. mode duration  R 1  R 2\n"
                            "------------------------\n"
                            "  1      1     0       0    0\n"
                            "  2      1     8       3    0\n"
                            "  3      1     4       2    1\n"
                            "  4      1     0       0    0\n"
                            "****\n"
                            "RESOURCEAVAILABILITIES:\n"
                            "  R 1  R 2\n"
                            "    4    9\n"
                            "****\n";

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

double makespanOf(const ImportedProblem &problem) {
  const Expected<Problem> compiled = makeProblem(problem.graph, *problem.cluster);
  REQUIRE(compiled);
  const Expected<Placement> placement = mapTasks(*compiled, {});
  REQUIRE(placement);
  return placement->predicted.makespan.value();
}

} // namespace

TEST_CASE("STG: tasks, predecessors, and as many processors as asked for") {
  const ImportedProblem problem = imported(stg, {.processors = 2});
  CHECK(timesOf(problem.graph) == "t0=0 t1=9 t2=4 t3=0");
  CHECK(edgesOf(problem.graph) == "t0>t1:0 t0>t2:0 t1>t3:0 t2>t3:0");
  CHECK(problem.cluster->nodes.size() == 2);
  CHECK(makespanOf(problem) == 9);
  CHECK(makespanOf(imported(stg, {.processors = 1})) == 13);
  CHECK_FALSE(imported(stg).cluster);
}

TEST_CASE("STG: what is wrong is named with its place") {
  CHECK(errorsIn(replaced(stg, "1  9", "1  x")) ==
        "in:3:6: error: expected the processing time, a number that is 0 or more, found 'x'\n");
  CHECK(errorsIn(replaced(stg, "2  4  1", "7  4  1")) == "in:4:3: error: expected task 2, found '7'\n");
  CHECK(errorsIn(replaced(stg, "2  1  2", "3  1  2")) ==
        "in:5:16: error: expected 3 predecessors, found the end of the line\n");
  CHECK(errorsIn(replaced(stg, "2  1  2", "1  1  2")) ==
        "in:5:15: error: expected no more than 1 predecessors, found '2'\n");
  CHECK(errorsIn(replaced(stg, "2  1  2", "2  1  9")) ==
        "in:5:15: error: expected a predecessor, a whole number from 0 to 3, found '9'\n");
  CHECK(errorsIn(replaced(stg, "  2\n", "  5\n")) ==
        "in: error: expected task 4 of 0 to 6, found the end of the file\n");
  CHECK(errorsIn(replaced(stg, "  2\n", "  1\n")) ==
        "in:5:3: error: expected nothing after task 2, found '3'\n");
  CHECK(errorsIn(replaced(stg, "1  9  1  0", "1  9  1  3")) ==
        "in: error: the tasks follow each other in a circle: t1 -> t3 -> t1\n");
  CHECK(errorsIn(replaced(stg, "2  1  2", "2  1  1")) ==
        "in:5:15: error: task 't3' follows 't1' a second time\n");
}

TEST_CASE("hetero-dag: a model for every processor, an edge's cost as seconds between nodes") {
  const ImportedProblem problem = imported(heteroDag);
  CHECK(timesOf(problem.graph, "m0") == "t0=1 t1=3");
  CHECK(problem.graph.tasks[TaskId(1)].seconds.at("m1") == seconds(4.5));
  CHECK(edgesOf(problem.graph) == "t0>t1:18");
  CHECK(makespanOf(problem) == 4); // both on processor 0
}

TEST_CASE("hetero-dag: an edge costs its weight when its ends are apart") {
  // Task 0 can only be fast on processor 0, task 1 on processor 1: 1 + 18 + 1 beats 1 + 100.
  CHECK(makespanOf(imported("#tasks\n0: 1, 100\n1: 100, 1\n#edges\n0: 0, 1, 18\n")) == 20);
}

TEST_CASE("hetero-dag: what is wrong is named with its place") {
  CHECK(errorsIn(replaced(heteroDag, "4.5", "-4")) ==
        "in:5:7: error: expected the time on processor 1, a number that is 0 or more, found '-4'\n");
  CHECK(errorsIn(replaced(heteroDag, ", 4.5", "")) ==
        "in:5:5: error: expected 2 times, as in the first task, found the end of the line\n");
  CHECK(errorsIn(replaced(heteroDag, "0, 1, 18", "0, 2, 18")) ==
        "in:7:7: error: expected a task, a whole number from 0 to 1, found '2'\n");
  CHECK(errorsIn(replaced(heteroDag, "#edges", "#egdes")) ==
        "in:6:1: error: expected #critical, #tasks, #edges or #end, found '#egdes'\n");
  CHECK(errorsIn(heteroDag, {.processors = 4}) ==
        "in: error: the file gives a time for each of its processors; leave out --processors\n");
  CHECK(errorsIn(heteroDag, {.bandwidth = bytesPerSecond(5)}) ==
        "in: error: the edges of this format are times, not bytes; leave out --bandwidth\n");
}

TEST_CASE("FJSPLib: chains of operations, each on its eligible machines") {
  const ImportedProblem problem = imported(jobShop);
  CHECK(timesOf(problem.graph, "machine1") == "j1.1=5 j2.1=4");
  CHECK(timesOf(problem.graph, "machine2") == "j1.2=7");
  CHECK(timesOf(problem.graph, "machine3") == "j1.2=6 j2.1=4");
  CHECK(edgesOf(problem.graph) == "j1.1>j1.2:0");
  CHECK(problem.cluster->nodes.size() == 3);
  CHECK(makespanOf(problem) == 11); // j1.1 on 1, then j1.2 on 3 after j2.1
}

TEST_CASE("FJSPLib: what is wrong is named with its place") {
  CHECK(errorsIn(replaced(jobShop, "2 1 4 3 4", "2 1 4 4 4")) ==
        "in:3:9: error: expected a machine, a whole number from 1 to 3, found '4'\n");
  CHECK(errorsIn(replaced(jobShop, "2 1 4 3 4", "2 1 4 1 4")) ==
        "in:3:9: error: machine 1 is there already\n");
  CHECK(errorsIn(replaced(jobShop, "3 4\n", "3 4 9\n")) ==
        "in:3:13: error: expected the end of the line after 1 operations, found '9'\n");
  CHECK(errorsIn(replaced(jobShop, " 3 6\n", " 3\n")) ==
        "in:2:16: error: expected the time, a number that is 0 or more, found the end of the line\n");
  CHECK(errorsIn(replaced(jobShop, "2 3 1.5", "3 3 1.5")) ==
        "in: error: expected job 3 of 3, found the end of the file\n");
}

TEST_CASE("PSPLIB: the binding resource becomes the node's power limit") {
  const ImportedProblem problem = imported(project);
  CHECK(edgesOf(problem.graph) == "job1>job2:0 job1>job3:0 job2>job4:0 job3>job4:0");
  CHECK(timesOf(problem.graph, "demand3") == "job2=8");
  CHECK(timesOf(problem.graph, "demand2") == "job3=4");
  CHECK(problem.cluster->nodeTypes[NodeTypeId(0)].powerLimit == watts(4));
  REQUIRE(problem.notes.size() == 1);
  CHECK(problem.notes[0].find("left out: R2") != std::string::npos);
  // 3 + 2 units of 4: one after the other.
  CHECK(makespanOf(problem) == 12);
  // With 5 units they run side by side.
  CHECK(makespanOf(imported(replaced(project, "    4    9", "    5    9"))) == 8);
}

TEST_CASE("PSPLIB: what is wrong is named with its place") {
  CHECK(errorsIn(replaced(project, "    4    9", "    2    9")) ==
        "in:8:4: error: job 2 needs 3 of R1, which holds 2\n");
  CHECK(errorsIn(replaced(project, "   2        1          1           4",
                          "   2        2          1           4")) ==
        "in:8:13: error: expected 1 mode: a job of several cannot be imported, found '2'\n");
  CHECK(errorsIn(replaced(project, "   2        1          1           4",
                          "   2        1          1           5")) ==
        "in:8:36: error: expected a successor from 1 to 4, found '5'\n");
  CHECK(errorsIn(replaced(project, ":  0   N", ":  1   N")) ==
        "in:3:34: error: expected 0 resources of this kind, found '1'\n");
  CHECK(
      errorsIn(replaced(project, "  4      1     0       0    0\n", "")) ==
      "in: error: expected a line under REQUESTS/DURATIONS: for each of 4 jobs, found the end of the file\n");
}

TEST_CASE("what was imported can be written, read again, and is the same") {
  for (const std::string &text : {heteroDag, jobShop, project}) {
    const ImportedProblem problem = imported(text);
    Diagnostics diagnostics;
    const std::string tasks = writeTaskGraph(problem.graph), cluster = writeCluster(*problem.cluster);
    const std::optional<TaskGraph> graphAgain = readTaskGraph(tasks, "tasks", diagnostics);
    const std::optional<Cluster> clusterAgain = readCluster(cluster, "cluster", diagnostics);
    INFO(toText(diagnostics));
    REQUIRE(graphAgain);
    REQUIRE(clusterAgain);
    CHECK(writeTaskGraph(*graphAgain) == tasks);
    CHECK(writeCluster(*clusterAgain) == cluster);
    CHECK(makespanOf({*graphAgain, *clusterAgain, {}, {}}) == makespanOf(problem));
  }
}

TEST_CASE("no format, an unknown one, and a file of our own") {
  CHECK(errorsIn("hello world\n").find("no known format: expected one of dot, wfformat") !=
        std::string::npos);
  CHECK(errorsIn("").find("no known format") != std::string::npos);
  CHECK(errorsIn("1\n", {.format = "sgt"}).find("unknown format 'sgt'") != std::string::npos);
  CHECK(errorsIn("{\"schema\": \"streammap.tasks/1\"}").find("'streammap map' reads it as it is") !=
        std::string::npos);
  for (const ImportFormat &format : importFormats()) {
    INFO(format.name);
    CHECK(errorsIn("", {.format = std::string(format.name)}) != "");
  }
}
