#pragma once
// A finished schedule small enough to check by hand, in microseconds:
//
//   n1:gpu0   load[0] 0-100                      join 160-260
//   n1:gpu1   load[1] 0-80      (idle)
//   n2:gpu0                     far[0] 140-150   (its data crossed the network 100-140)
//
// load[0] -> far[0] needs 4 MiB over the network; load[1] -> join and far[0] -> join follow; far[0]'s result
// takes 10 us back. The chain is load[0], transfer 100-140, far[0], transfer 150-160, join.
#include "model/Placement.h"

namespace streammap::test {

struct SampleRun {
  TaskGraph graph;
  Cluster cluster;
  Placement placement;
};

inline Task sampleTask(std::string id, std::string name, double gigaflops) {
  Task task;
  task.id = std::move(id);
  task.name = std::move(name);
  task.location = "sample.cu:" + std::to_string(10 + task.name.size()) + ":3";
  task.deviceMemory = mebibytes(8);
  task.work = Work{};
  (*task.work)[FlopType::fp32] = flops(gigaflops * 1e9);
  task.work->dram = mebibytes(4);
  task.work->origin = Origin::stat;
  return task;
}

inline SampleRun sampleRun() {
  SampleRun run;
  TaskGraph &graph = run.graph;
  graph.program.sources = {"sample.cu"};
  graph.program.arguments = {"2"};
  const BufferId buffer = graph.buffers.push({"b0", "field", mebibytes(16), "sample.cu:5:3"});
  const TaskId load0 = graph.tasks.push(sampleTask("t0", "load[0]", 1)),
               load1 = graph.tasks.push(sampleTask("t1", "load[1]", 0.8));
  const TaskId far = graph.tasks.push(sampleTask("t2", "far[0]", 0.1)),
               join = graph.tasks.push(sampleTask("t3", "join", 1));
  graph.tasks[join].work.reset(); // its time is a default
  graph.dependencies = {{load0, far, mebibytes(4), buffer},
                        {load1, join, mebibytes(1), buffer},
                        {far, join, mebibytes(1), buffer}};
  Kernel kernel;
  kernel.id = "k0";
  kernel.name = "join";
  kernel.unknowns = {{"flops_fp32", "sample.cu:31:5", "the trip count depends on loaded data",
                      "put '#pragma streammap trips(expr)' before the loop"}};
  graph.tasks[join].launches = {{graph.kernels.push(kernel), {1, 1, 1}, {64, 1, 1}, Bytes()}};
  Kernel loading;
  loading.id = "k1";
  loading.name = "load<float>";
  loading.resources["sm_80"].registersPerThread = 64; // 4 blocks of 256 threads on a multiprocessor
  graph.tasks[load0].launches = {{graph.kernels.push(loading), {648, 1, 1}, {256, 1, 1}, Bytes()}};

  Cluster &cluster = run.cluster;
  cluster.name = "pair";
  GpuModel model;
  model.name = "A100-SXM4-80GB";
  model.memory = gibibytes(80);
  model.capability = "8.0";
  model.multiprocessors = 108;
  const GpuModelId modelId = cluster.models.push(model);
  NodeType type;
  type.name = "server";
  const NodeTypeId typeId = cluster.nodeTypes.push(type);
  for (const char *name : {"n1", "n2"}) {
    Node node;
    node.name = name;
    node.type = typeId;
    const NodeId id = cluster.nodes.push(node);
    for (unsigned gpu : {0u, 1u})
      cluster.devices.push({id, gpu, modelId, State::up, ""});
  }
  cluster.devices[DeviceId(3)].state = State::busy;
  cluster.devices[DeviceId(3)].reason = "another job";
  cluster.takenAsFree = {"node_types.server.host_link: not described, taken as free"};

  Placement &placement = run.placement;
  const DeviceId n1gpu0(0), n1gpu1(1), n2gpu0(2);
  auto us = [](double t) { return microseconds(t); };
  placement.assignments = {{load0, n1gpu0, us(0), us(100), Origin::stat, "fp32"},
                           {load1, n1gpu1, us(0), us(80), Origin::stat, "fp32"},
                           {far, n2gpu0, us(140), us(150), Origin::stat, "launch"},
                           {join, n1gpu0, us(160), us(260), Origin::defaulted, ""}};
  placement.assignments[0].low = us(60);
  placement.assignments[0].high = us(250);
  placement.transfers = {
      {0, buffer, n1gpu0, n2gpu0, mebibytes(4), {"n1:nic.up", "n2:nic.down"}, us(100), us(140)},
      {2, buffer, n2gpu0, n1gpu0, mebibytes(1), {"n2:nic.up", "n1:nic.down"}, us(150), us(160)}};
  placement.devices = {
      {n1gpu0, us(200), mebibytes(8)}, {n1gpu1, us(80), mebibytes(8)}, {n2gpu0, us(10), mebibytes(8)}};
  placement.links = {{"n1:nic.down", mebibytes(1), us(10)},
                     {"n1:nic.up", mebibytes(4), us(40)},
                     {"n2:nic.down", mebibytes(4), us(40)},
                     {"n2:nic.up", mebibytes(1), us(10)}};
  placement.predicted = {us(260), us(208), 0.25, "critical path"};
  placement.solver = {"heft", 1, 4};
  return run;
}

} // namespace streammap::test
