#include "sim/Profile.h"
#include "sim/CostModel.h"
#include "support/Catch.h"

using namespace streammap;

namespace {

GpuModel modelOf(const char *name, double teraflops) {
  GpuModel model;
  model.name = name;
  model.memoryBandwidth = gigabytesPerSecond(1000);
  model.peak[static_cast<std::size_t>(FlopType::fp32)] = teraflopsPerSecond(teraflops);
  return model;
}

Task taskOf(const char *name, double gigaflops) {
  Task task;
  task.id = task.name = name;
  task.work = Work{};
  (*task.work)[FlopType::fp32] = flops(gigaflops * 1e9);
  task.work->origin = Origin::stat;
  return task;
}

Cluster twoModels() {
  Cluster cluster;
  cluster.models.push(modelOf("fast", 10));
  cluster.models.push(modelOf("slow", 1));
  return cluster;
}

} // namespace

TEST_CASE("estimates are scaled by the median of measured to estimated") {
  TaskGraph graph;
  for (const double size : {700.0, 700.0, 1400.0})
    graph.tasks.push(taskOf(("gemm[" + std::to_string(graph.tasks.size()) + "]").c_str(), size));
  const Cluster cluster = twoModels();
  // 0.1, 0.1 and 0.2 s are expected on `fast`, launches apart; 2, 3 and 9 times that is measured
  const Profiled p = withProfile(
      graph, cluster, {{"gemm[0]", seconds(0.2)}, {"gemm[1]", seconds(0.3)}, {"gemm[2]", seconds(1.8)}},
      cluster.models[GpuModelId(0)]);
  REQUIRE(p.kinds.size() == 1);
  CHECK(p.kinds[0].name == "gemm");
  CHECK(p.kinds[0].tasks == 3);
  CHECK(p.kinds[0].measured == 3);
  CHECK(p.kinds[0].factor == Approx(3).epsilon(1e-3));
  const Task &large = p.graph.tasks[TaskId(2)];
  CHECK(large.secondsOrigin == Origin::profile);
  CHECK(large.seconds.at("fast").value() == Approx(0.6).epsilon(1e-3));
  CHECK(large.seconds.at("slow").value() == Approx(6).epsilon(1e-3));
  const auto estimate = estimateTime(large, cluster.models[GpuModelId(1)]);
  CHECK(estimate->origin == Origin::profile);
}

TEST_CASE("a kind without estimates gets the median time, others keep theirs") {
  TaskGraph graph;
  Task bare;
  bare.id = bare.name = "io#0";
  graph.tasks.push(bare);
  bare.id = bare.name = "io#1";
  graph.tasks.push(bare);
  graph.tasks.push(taskOf("other", 1));
  const Cluster cluster = twoModels();
  const Profiled p = withProfile(graph, cluster, {{"io#0", seconds(2)}}, cluster.models[GpuModelId(0)]);
  CHECK(p.graph.tasks[TaskId(1)].seconds.at("*") == seconds(2));
  CHECK(p.kinds[0].factor == 0);
  CHECK(p.graph.tasks[TaskId(2)].seconds.empty());
}

TEST_CASE("what the programmer says stays, and names without a task are told") {
  TaskGraph graph;
  Task given = taskOf("step", 1);
  given.seconds = {{"*", seconds(7)}};
  graph.tasks.push(given);
  const Cluster cluster = twoModels();
  const Profiled p = withProfile(graph, cluster, {{"step", seconds(1)}, {"stpe", seconds(1)}},
                                 cluster.models[GpuModelId(0)]);
  CHECK(p.graph.tasks[TaskId(0)].seconds.at("*") == seconds(7));
  CHECK(p.kinds.empty());
  CHECK(p.unmatched == std::vector<std::string>{"stpe"});
}

TEST_CASE("a name that repeats is matched in order") {
  TaskGraph graph;
  graph.tasks.push(taskOf("sweep", 700));
  graph.tasks.push(taskOf("sweep", 1400));
  const Cluster cluster = twoModels();
  const Profiled p = withProfile(graph, cluster, {{"sweep", seconds(0.2)}, {"sweep", seconds(0.4)}},
                                 cluster.models[GpuModelId(0)]);
  CHECK(p.kinds[0].measured == 2);
  CHECK(p.kinds[0].factor == Approx(2).epsilon(1e-3));
}
