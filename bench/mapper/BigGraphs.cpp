#include "BigGraphs.h"
#include "model/Dependencies.h"
#include "support/Cholesky.h"
#include <algorithm>
#include <random>

namespace streammap::bench {
namespace {

/// std::uniform_int_distribution may differ between standard libraries; this does not.
std::uint64_t below(std::mt19937_64 &random, std::uint64_t limit) {
  return random() % limit;
}

Task numbered(std::size_t number) {
  Task task;
  task.id = "t" + std::to_string(number);
  task.name = task.id;
  return task;
}

} // namespace

TaskGraph layeredGraph(std::size_t tasks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  TaskGraph graph;
  graph.tasks.reserve(tasks);
  const std::size_t width = std::max<std::size_t>(1, tasks / 64);
  for (std::size_t t = 0; t < tasks; ++t) {
    Task task = numbered(t);
    task.seconds["*"] = milliseconds(1 + static_cast<double>(below(random, 20)));
    graph.tasks.push(std::move(task));
    const std::size_t layer = t / width;
    if (layer == 0)
      continue;
    const std::size_t readings = 1 + below(random, 3);
    std::vector<std::size_t> producers;
    for (std::size_t r = 0; r < readings; ++r)
      producers.push_back((layer - 1) * width + below(random, width));
    std::ranges::sort(producers);
    producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
    for (std::size_t from : producers)
      graph.dependencies.push_back(
          {TaskId(from), TaskId(t), mebibytes(1 + static_cast<double>(below(random, 16))), std::nullopt});
  }
  std::ranges::sort(graph.dependencies, {}, [](const Dependency &d) { return std::pair(d.from, d.to); });
  return graph;
}

TaskGraph stencilGraph(std::size_t tasks, std::size_t side) {
  constexpr std::uint64_t block = 8 << 20;
  const std::size_t steps = std::max<std::size_t>(1, tasks / (side * side));
  TaskGraph graph;
  for (const char *name : {"even", "odd"})
    graph.buffers.push({name, name, bytes(static_cast<double>(block * side * side)), ""});
  auto region = [&](std::size_t row, std::size_t column) {
    return Region{(row * side + column) * block, block, 0, 1};
  };
  DependencyTracker tracker;
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t row = 0; row < side; ++row)
      for (std::size_t column = 0; column < side; ++column) {
        Task task = numbered(graph.tasks.size());
        task.seconds["*"] = milliseconds(4);
        const BufferId from(step % 2), to(1 - step % 2);
        task.accesses.push_back({from, AccessMode::in, region(row, column)});
        if (row > 0)
          task.accesses.push_back({from, AccessMode::in, region(row - 1, column)});
        if (row + 1 < side)
          task.accesses.push_back({from, AccessMode::in, region(row + 1, column)});
        if (column > 0)
          task.accesses.push_back({from, AccessMode::in, region(row, column - 1)});
        if (column + 1 < side)
          task.accesses.push_back({from, AccessMode::in, region(row, column + 1)});
        task.accesses.push_back({to, AccessMode::out, region(row, column)});
        graph.tasks.push(std::move(task));
      }
  graph.dependencies = findDependencies(graph.tasks);
  return graph;
}

TaskGraph choleskyUpTo(std::size_t tasks) {
  std::size_t tiles = 1;
  while ((tiles + 1) * (tiles + 2) * (tiles + 3) / 6 <= tasks)
    ++tiles;
  return test::choleskyWork(tiles, 2048);
}

Cluster clusterOf(std::size_t nodes, unsigned gpus) {
  Cluster cluster = test::podOf(nodes);
  cluster.nodeTypes[NodeTypeId(0)].gpus.assign(gpus, GpuModelId(0));
  cluster.devices = {};
  for (NodeId node : cluster.nodes.ids())
    for (unsigned gpu = 0; gpu < gpus; ++gpu)
      cluster.devices.push({node, gpu, GpuModelId(0), State::up, ""});
  return cluster;
}

} // namespace streammap::bench
