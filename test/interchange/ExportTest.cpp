// A placement for other task systems. That the headers compile and find what they should is
// test/tools/check-export's.
#include "interchange/Export.h"
#include "interchange/GraphBuilder.h"
#include "support/Catch.h"
#include "support/GraphText.h"

using namespace streammap;

namespace {

/// Two nodes of two GPUs; the second node's cores are a device too.
Cluster twoNodes() {
  Cluster cluster = clusterOfProcessors("two", {{"n1", {"g", "g"}}, {"n2", {"g", "g"}}});
  GpuModel cpu;
  cpu.name = "cpu";
  cluster.devices.push({NodeId(1), std::nullopt, cluster.models.push(cpu), State::up, ""});
  return cluster;
}

Placement placed(const std::vector<std::tuple<std::size_t, double, double>> &deviceStartEnd) {
  Placement placement;
  for (std::size_t i = 0; i < deviceStartEnd.size(); ++i) {
    const auto &[device, start, end] = deviceStartEnd[i];
    placement.assignments.push_back(
        {TaskId(i), DeviceId(device), seconds(start), seconds(end), Origin::pragma, ""});
  }
  return placement;
}

const std::map<std::string, unsigned> ranks{{"n1", 1}, {"n2", 0}};

} // namespace

TEST_CASE("a task's turn on its device is by start, then by program order") {
  const TaskGraph graph = graphFromText("a\nb\nc\nd\ne");
  const auto tasks =
      placedTasks(graph, twoNodes(), placed({{0, 2, 3}, {0, 0, 2}, {1, 0, 1}, {4, 0, 1}, {0, 2, 2}}), ranks);
  REQUIRE(tasks.size() == 5);
  CHECK(tasks[0].order == 2);
  CHECK(tasks[1].order == 1);
  CHECK(tasks[2].order == 1);
  CHECK(tasks[4].order == 3);
  CHECK(tasks[0].rank == 1);
  CHECK(tasks[0].gpu == 0u);
  CHECK(tasks[2].gpu == 1u);
  CHECK(tasks[3].node == "n2");
  CHECK(tasks[3].rank == 0);
  CHECK_FALSE(tasks[3].gpu);
}

TEST_CASE("names are the keys unless two tasks share one") {
  TaskGraph graph = graphFromText("a\nb");
  graph.tasks[TaskId(0)].name = "gemm[0]";
  graph.tasks[TaskId(1)].name = "gemm[1]";
  const Placement placement = placed({{0, 0, 1}, {1, 0, 1}});
  CHECK(placedTasks(graph, twoNodes(), placement, ranks)[1].key == "gemm[1]");
  graph.tasks[TaskId(1)].name = "gemm[0]";
  CHECK(placedTasks(graph, twoNodes(), placement, ranks)[1].key == "b");
}

TEST_CASE("csv: one task a line, quoted where it has to be") {
  TaskGraph graph = graphFromText("a\nb");
  graph.tasks[TaskId(0)].name = "gemm[0,\"x\"]";
  const auto tasks = placedTasks(graph, twoNodes(), placed({{1, 0.25, 1}, {4, 0, 0.125}}), ranks);
  CHECK(findExportTarget("csv")->write(tasks) == "task,name,rank,node,gpu,order,start_seconds,end_seconds\r\n"
                                                 "a,\"gemm[0,\"\"x\"\"]\",1,n1,1,1,0.25,1\r\n"
                                                 "b,b,0,n2,cpu,1,0,0.125\r\n");
}

TEST_CASE("headers: one row a task, escaped, and the rows sorted by key") {
  TaskGraph graph = graphFromText("z\na");
  graph.tasks[TaskId(0)].name = "z\"\\?\n\x80";
  const auto tasks = placedTasks(graph, twoNodes(), placed({{1, 0, 1}, {4, 0, 1}}), ranks);
  for (const char *target : {"starpu", "openmp", "cudastf"}) {
    const std::string text = findExportTarget(target)->write(tasks);
    INFO(text);
    CHECK(text.find("    {\"z\\\"\\\\\\?\\012\\200\", 1, 1, 1u},\n    {\"a\", 0, -1, 1u},\n") !=
          std::string::npos);
    CHECK(text.find("{\n    1, 0,\n};") != std::string::npos);
  }
}

TEST_CASE("targets are found by name") {
  CHECK(exportTargets().size() == 4);
  CHECK(findExportTarget("starpu") != nullptr);
  CHECK(findExportTarget("slurm") == nullptr);
}
