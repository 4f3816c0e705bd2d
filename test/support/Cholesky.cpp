#include "support/Cholesky.h"
#include "model/Dependencies.h"
#include "model/GpuCatalogue.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace streammap::test {
namespace {

[[noreturn]] void endWith(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

class CholeskyBuilder {
public:
  CholeskyBuilder(std::size_t tiles, Bytes tile) : tiles_(tiles), tile_(tile) {
    graph_.buffers.push({"b0", "A", tile * static_cast<double>(tiles * tiles), ""});
  }

  /// `describe(kernel, task)` gives each task its time or work.
  template <class Describe>
  TaskGraph build(Describe describe) {
    for (std::size_t k = 0; k < tiles_; ++k) {
      describe("potrf", add("potrf", {k}, {{k, k}}));
      for (std::size_t i = k + 1; i < tiles_; ++i)
        describe("trsm", add("trsm", {i, k}, {{i, k}, {k, k}}));
      for (std::size_t i = k + 1; i < tiles_; ++i) {
        describe("syrk", add("syrk", {i, k}, {{i, i}, {i, k}}));
        for (std::size_t j = k + 1; j < i; ++j)
          describe("gemm", add("gemm", {i, j, k}, {{i, j}, {i, k}, {j, k}}));
      }
    }
    graph_.dependencies = findDependencies(graph_.tasks);
    return std::move(graph_);
  }

private:
  using Tile = std::pair<std::size_t, std::size_t>;

  /// The first tile is updated, the others are read.
  Task &add(std::string kernel, const std::vector<std::size_t> &indices, const std::vector<Tile> &tiles) {
    Task task;
    task.id = "t" + std::to_string(graph_.tasks.size());
    task.name = std::move(kernel) + "[";
    for (std::size_t index : indices)
      task.name += (index == indices.front() && task.name.back() == '[' ? "" : ",") + std::to_string(index);
    task.name += "]";
    const auto size = static_cast<std::uint64_t>(tile_.value());
    for (const auto &[row, column] : tiles)
      task.accesses.push_back({BufferId(0), task.accesses.empty() ? AccessMode::inout : AccessMode::in,
                               Region{(row * tiles_ + column) * size, size, 0, 1}});
    return graph_.tasks[graph_.tasks.push(std::move(task))];
  }

  TaskGraph graph_;
  std::size_t tiles_;
  Bytes tile_;
};

/// Numbers of a matrix file, row by row; lines that start with # are remarks.
std::vector<std::vector<double>> readMatrix(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    endWith("cannot read " + path);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#'))
      continue;
    std::istringstream in(line);
    std::vector<double> row;
    for (double value; in >> value;)
      row.push_back(value);
    if (!row.empty())
      rows.push_back(std::move(row));
  }
  return rows;
}

constexpr double tileSide = 960;
constexpr double tileBytes = tileSide * tileSide * 4;

/// Rows "machine,device_type,device_id,kernel,operand_bytes,flops,mean_us,..." for tiles of 960 x 960.
CholeskyTimes readKernelTimes(const std::string &path, const std::string &machine) {
  std::ifstream file(path);
  if (!file)
    endWith("cannot read " + path);
  CholeskyTimes times;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(in, cell, ',');)
      cells.push_back(cell);
    if (cells.size() < 7 || cells[0] != machine)
      continue;
    const std::string &kernel = cells[3];
    const double operands = kernel == "gemm" ? 3 : kernel == "potrf" ? 1 : 2;
    if (std::stod(cells[4]) != operands * tileBytes)
      continue;
    const std::string device = cells[1] == "cpu" ? "cpu" : "cuda" + cells[2];
    times[kernel][device] = microseconds(std::stod(cells[6]));
  }
  return times;
}

} // namespace

TaskGraph choleskyGraph(std::size_t tiles, Bytes tile, const CholeskyTimes &times) {
  return CholeskyBuilder(tiles, tile).build([&](const std::string &kernel, Task &task) {
    task.seconds = times.at(kernel);
    task.constraints.device = DeviceKind::any;
  });
}

TaskGraph choleskyWork(std::size_t tiles, std::size_t side) {
  const double b = static_cast<double>(side);
  return CholeskyBuilder(tiles, bytes(b * b * 8)).build([&](std::string_view kernel, Task &task) {
    const double share = kernel == "potrf" ? 1.0 / 3 : kernel == "gemm" ? 2 : 1;
    Work work;
    work[FlopType::fp64] = flops(share * b * b * b);
    work.dram = bytes(b * b * 8 * static_cast<double>(task.accesses.size() + 1)); // the first is written too
    work.origin = Origin::stat;
    task.work = work;
  });
}

ProcessorGraph readTiledMachine(const std::string &folder, const std::string &machine, std::size_t tiles) {
  const auto bandwidth = readMatrix(folder + "/" + machine + "-bandwidth.txt"); // MB/s
  const auto latency = readMatrix(folder + "/" + machine + "-latency.txt");     // us
  ProcessorGraph made{
      choleskyGraph(tiles, bytes(tileBytes), readKernelTimes(folder + "/cholesky-tile-kernels.csv", machine)),
      {}};
  Cluster &cluster = made.cluster;
  cluster.name = machine;
  NodeType type;
  type.name = machine;
  // Row and column 0 are the host's memory.
  type.hostLink = {bytesPerSecond(bandwidth[0][1] * 1e6), microseconds(latency[0][1])};
  for (std::size_t gpu = 1; gpu < bandwidth.size(); ++gpu) {
    GpuModel model;
    model.name = "cuda" + std::to_string(gpu - 1);
    type.gpus.push_back(cluster.models.push(model));
    for (std::size_t other = gpu + 1; other < bandwidth.size(); ++other)
      type.gpuPairs.push_back(
          {static_cast<unsigned>(gpu - 1),
           static_cast<unsigned>(other - 1),
           GpuLinkKind::pcie,
           {bytesPerSecond(bandwidth[gpu][other] * 1e6), microseconds(latency[gpu][other])}});
  }
  GpuModel cpu;
  cpu.name = "cpu";
  type.cpu = cluster.models.push(cpu);
  Node node;
  node.name = machine;
  node.type = cluster.nodeTypes.push(type);
  const NodeId id = cluster.nodes.push(node);
  for (unsigned gpu = 0; gpu < type.gpus.size(); ++gpu)
    cluster.devices.push({id, gpu, type.gpus[gpu], State::up, ""});
  cluster.devices.push({id, std::nullopt, *type.cpu, State::up, ""});
  return made;
}

Cluster podOf(std::size_t nodes) {
  constexpr std::size_t nodesPerLeaf = 20, spines = 4;
  constexpr unsigned gpusPerNode = 8;
  Cluster cluster;
  cluster.name = "pod";
  const GpuModelId model = cluster.models.push(*catalogueModel("H100-SXM5-80GB"));
  NodeType type;
  type.name = "dgx-h100";
  type.gpus.assign(gpusPerNode, model);
  type.gpuLinkKind = GpuLinkKind::nvswitch;
  type.gpuLink = {gigabytesPerSecond(450), microseconds(1)};
  type.hostLink = {gigabytesPerSecond(55), microseconds(2)};
  type.nicCount = 8;
  type.nic.bandwidth = gigabitsPerSecond(400);
  const NodeTypeId typeId = cluster.nodeTypes.push(type);
  cluster.network.latency = microseconds(2);
  const std::size_t leaves = (nodes + nodesPerLeaf - 1) / nodesPerLeaf;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    Switch made;
    made.name = "leaf" + std::to_string(leaf + 1);
    for (std::size_t spine = 0; spine < spines; ++spine)
      made.uplinks.push_back({SwitchId(leaves + spine), 20, gigabitsPerSecond(400)});
    cluster.network.switches.push(std::move(made));
  }
  for (std::size_t spine = 0; spine < spines; ++spine)
    cluster.network.switches.push({"spine" + std::to_string(spine + 1), {}});
  for (std::size_t n = 0; n < nodes; ++n) {
    Node node;
    node.name = "n" + std::to_string(n + 1);
    node.type = typeId;
    node.leaf = SwitchId(n / nodesPerLeaf);
    const NodeId id = cluster.nodes.push(node);
    for (unsigned gpu = 0; gpu < gpusPerNode; ++gpu)
      cluster.devices.push({id, gpu, model, State::up, ""});
  }
  return cluster;
}

} // namespace streammap::test
