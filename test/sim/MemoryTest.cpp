// Device memory over time, worked out by hand. One GPU with a PCIe link of 10 GB/s and no latency, so 6 GB
// take 0.6 s; every task runs for 1 s unless said otherwise.
#include "model/Dependencies.h"
#include "model/MemoryOverTime.h"
#include "model/Violations.h"
#include "sim/ScheduleBuilder.h"
#include "support/Catch.h"
#include <random>

using namespace streammap;

namespace {

constexpr std::uint64_t gigabyte = 1'000'000'000;

Cluster gpus(std::size_t count, double gigabytes) {
  Cluster cluster;
  GpuModel gpu;
  gpu.name = "gpu";
  gpu.memory = bytes(gigabytes * 1e9);
  const GpuModelId id = cluster.models.push(gpu);
  NodeType type;
  type.name = "box";
  type.gpus.assign(count, id);
  type.hostLink.bandwidth = gigabytesPerSecond(10);
  cluster.nodeTypes.push(type);
  Node node;
  node.name = "n0";
  node.type = NodeTypeId(0);
  const NodeId nodeId = cluster.nodes.push(node);
  for (unsigned g = 0; g < count; ++g)
    cluster.devices.push({nodeId, g, id, State::up, ""});
  return cluster;
}

/// "r x" reads buffer x, "w x" writes it, "u x" does both; buffers x, y and z of 6 GB.
TaskGraph program(const std::vector<std::string> &tasks) {
  TaskGraph graph;
  for (const char *name : {"x", "y", "z"})
    graph.buffers.push({name, name, bytes(6e9), ""});
  for (const std::string &text : tasks) {
    Task task;
    task.id = task.name = "t" + std::to_string(graph.tasks.size()) + " " + text;
    task.seconds["*"] = seconds(1);
    const AccessMode mode = text[0] == 'r'   ? AccessMode::in
                            : text[0] == 'w' ? AccessMode::out
                                             : AccessMode::inout;
    task.accesses.push_back(
        {BufferId(static_cast<std::size_t>(text[2] - 'x')), mode, Region{0, 6 * gigabyte, 0, 1}});
    graph.tasks.push(task);
  }
  graph.dependencies = findDependencies(graph.tasks);
  return graph;
}

/// All tasks in program order, each on the device of its position.
Placement run(const TaskGraph &graph, const Cluster &cluster, std::vector<std::size_t> devices = {}) {
  const Expected<Problem> problem = makeProblem(graph, cluster);
  REQUIRE(problem);
  devices.resize(graph.tasks.size());
  IndexedVector<TaskId, DeviceId> device;
  for (std::size_t d : devices)
    device.push(DeviceId(d));
  Placement placement = simulate(*problem, problem->topologicalOrder(), device);
  for (const Violation &violation : findViolations(graph, cluster, placement))
    FAIL_CHECK(violation.message);
  return placement;
}

std::vector<double> starts(const Placement &placement) {
  std::vector<double> times;
  for (const Assignment &assignment : placement.assignments)
    times.push_back(std::round(assignment.start.value() * 1e6) / 1e6);
  return times;
}

using Times = std::vector<double>;

} // namespace

TEST_CASE("data that fits together is fetched once and as early as the link allows") {
  // x 0-0.6, y 0.6-1.2 beside the first task
  const Placement placement = run(program({"r x", "r y", "r x"}), gpus(1, 12));
  CHECK(starts(placement) == Times{0.6, 1.6, 2.6});
  CHECK(placement.transfers.size() == 2);
  CHECK(placement.devices[0].peakMemory == bytes(12e9));
}

TEST_CASE("data that does not fit is dropped for what the next task needs, and sent again") {
  // x 0-0.6, t0 0.6-1.6; x goes, y 1.6-2.2, t1 2.2-3.2; y goes, x 3.2-3.8, t2 3.8-4.8
  const Placement placement = run(program({"r x", "r y", "r x"}), gpus(1, 10));
  CHECK(starts(placement) == Times{0.6, 2.2, 3.8});
  CHECK(placement.transfers.size() == 3);
  CHECK(placement.devices[0].peakMemory == bytes(6e9));
}

TEST_CASE("what was written and is nowhere else is written back before it goes") {
  // t0 0-1 writes x; it goes to the host 1-1.6; t1 1.6-2.6 writes y; it goes 2.6-3.2; x 3.2-3.8, t2 3.8-4.8
  // reads it; the host has it too, so it goes at once; y 4.8-5.4; t3 5.4-6.4.
  const TaskGraph graph = program({"w x", "w y", "r x", "r y"});
  const Placement placement = run(graph, gpus(1, 10));
  CHECK(starts(placement) == Times{0, 1.6, 3.8, 5.4});
  REQUIRE(placement.links.size() == 2);
  CHECK(placement.links[0].link == "n0:gpu0:host.down");
  CHECK(placement.links[0].size == bytes(12e9));
  CHECK(placement.links[1].link == "n0:gpu0:host.up");
  CHECK(placement.links[1].size == bytes(12e9));
  // With room for both nothing moves.
  CHECK(starts(run(graph, gpus(1, 12))) == Times{0, 1, 2, 3});
}

TEST_CASE("the data used longest ago go first") {
  // 12 GB hold two buffers. x 0-0.6, y 0.6-1.2; t0 0.6-1.6, t1 1.6-2.6, t2 2.6-3.6 uses x again, so z takes
  // the place of y, free from 2.6: z 2.6-3.2; t3 3.6-4.6; x is still there: t4 4.6-5.6.
  const Placement placement = run(program({"r x", "r y", "r x", "r z", "r x"}), gpus(1, 12));
  CHECK(starts(placement) == Times{0.6, 1.6, 2.6, 3.6, 4.6});
  CHECK(placement.transfers.size() == 3);
}

TEST_CASE("versions of a buffer lie in one place") {
  // 6 GB are enough for as many updates as there are
  const Placement placement = run(program({"w x", "u x", "u x", "r x"}), gpus(1, 6));
  CHECK(starts(placement) == Times{0, 1, 2, 3});
  CHECK(placement.transfers.empty());
  CHECK(placement.devices[0].peakMemory == bytes(6e9));
}

TEST_CASE("data comes only once a task that takes the whole memory has ended") {
  TaskGraph graph = program({"r x", "r y"});
  graph.tasks[TaskId(0)].accesses.clear();
  graph.tasks[TaskId(0)].deviceMemory = bytes(8e9);
  CHECK(starts(run(graph, gpus(1, 10))) == Times{0, 1.6}); // y 1-1.6
  CHECK(starts(run(graph, gpus(1, 14))) == Times{0, 1});   // y 0-0.6
}

TEST_CASE("what was overwritten since is not sent") {
  TaskGraph graph = program({"w x", "w x", "r x"});
  const auto part = [](std::uint64_t from, AccessMode mode) {
    return Access{BufferId(0), mode, Region{from * gigabyte, 3 * gigabyte, 0, 1}};
  };
  graph.tasks[TaskId(0)].accesses = {part(0, AccessMode::out), part(3, AccessMode::out)};
  graph.tasks[TaskId(1)].accesses = {part(0, AccessMode::out)};
  graph.tasks[TaskId(2)].accesses = {part(0, AccessMode::in), part(3, AccessMode::in)};
  graph.dependencies = findDependencies(graph.tasks);
  const Placement placement = run(graph, gpus(2, 12), {0, 0, 1});
  REQUIRE(placement.transfers.size() == 2);
  CHECK(placement.transfers[0].size == bytes(3e9));
  CHECK(placement.transfers[1].size == bytes(3e9));
  CHECK(starts(placement) == Times{0, 1, 2.3}); // one half goes 1-1.3, beside the second task, one 2-2.3
}

TEST_CASE("what a device holds over time is told step by step") {
  // x 0-0.6, t0 0.6-1.6; y comes beside it and t1 follows at once; x stays for t2.
  const TaskGraph graph = program({"r x", "r y", "r x"});
  const Cluster cluster = gpus(1, 12);
  const Placement placement = run(graph, cluster);
  const IndexedVector<DeviceId, std::vector<HeldMemory>> held = memoryOverTime(graph, cluster, placement);
  std::vector<std::pair<double, double>> steps; // seconds, GB
  for (const HeldMemory &step : held[DeviceId(0)])
    steps.emplace_back(std::round(step.time.value() * 1e6) / 1e6, step.held.value() / 1e9);
  CHECK(steps == std::vector<std::pair<double, double>>{{0, 6}, {0.6, 12}, {2.6, 6}, {3.6, 0}});
}

TEST_CASE("another GPU of the node reads what was written back from the host") {
  // t0 0-1 writes x on gpu0, written back 1-1.6 for y; gpu1 fetches x from the host 1.6-2.2
  const Placement placement = run(program({"w x", "w y", "r x"}), gpus(2, 10), {0, 0, 1});
  CHECK(starts(placement) == Times{0, 1.6, 2.2});
  REQUIRE(placement.transfers.size() == 1);
  CHECK_FALSE(placement.transfers[0].from.valid());
}

TEST_CASE("a task whose data no device can hold fits nowhere") {
  TaskGraph graph = program({"r x"});
  graph.tasks[TaskId(0)].accesses.push_back({BufferId(1), AccessMode::in, Region{0, 6 * gigabyte, 0, 1}});
  const Cluster cluster = gpus(1, 10);
  const Expected<Problem> problem = makeProblem(graph, cluster);
  REQUIRE_FALSE(problem);
  CHECK(problem.error().message.find("has 9.31 GiB") != std::string::npos);
}

TEST_CASE("any order on any devices keeps within memory, as the judge sees it") {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    auto below = [&](std::size_t limit) { return random() % limit; };
    TaskGraph graph;
    for (const char *name : {"x", "y", "z"})
      graph.buffers.push({name, name, bytes(4e9), ""});
    for (std::size_t t = 0; t < 14; ++t) {
      Task task;
      task.id = task.name = "t" + std::to_string(t);
      task.seconds["*"] = milliseconds(static_cast<double>(100 + 100 * below(10)));
      // One access of a buffer, and no two regions of one size, so that a transfer's size tells what it
      // carries.
      const std::size_t first = below(3);
      for (std::size_t a = 0; a <= below(2); ++a) {
        const std::size_t buffer = (first + a) % 3, part = below(4);
        task.accesses.push_back({BufferId(buffer), static_cast<AccessMode>(below(3)),
                                 Region{part * gigabyte, gigabyte * (12 - 3 * buffer - part) / 12, 0, 1}});
      }
      if (below(4) == 0)
        task.deviceMemory = bytes(static_cast<double>(2 + below(2)) * 1e9);
      graph.tasks.push(task);
    }
    graph.dependencies = findDependencies(graph.tasks);
    const Cluster cluster = gpus(2, 3 + static_cast<double>(below(3)));
    std::vector<std::size_t> devices;
    for (std::size_t t = 0; t < graph.tasks.size(); ++t)
      devices.push_back(below(2));
    const Placement placement = run(graph, cluster, devices);
    const IndexedVector<DeviceId, std::vector<HeldMemory>> held = memoryOverTime(graph, cluster, placement);
    for (const DeviceUse &use : placement.devices) {
      CHECK(use.peakMemory <= cluster.models[GpuModelId(0)].memory);
      CHECK(std::ranges::max(held[use.device], {}, &HeldMemory::held).held.value() ==
            Approx(use.peakMemory.value()));
      CHECK(held[use.device].back().held == Bytes());
    }
  }
}
