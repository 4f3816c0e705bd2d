// Files cut short or with bytes changed: whatever comes in, a reader answers with a graph or with errors,
// never with neither, and what it accepts can be written and read again.
#include "model/ClusterJson.h"
#include "model/PlacementJson.h"
#include "model/TaskGraphJson.h"
#include "support/Catch.h"
#include "support/GraphText.h"
#include <random>

using namespace streammap;

namespace {

const std::string tasksText =
    writeTaskGraph(graphFromText("a -> b 4MiB\nb -> c\na: memory=2GiB together=x device=any"));

constexpr std::string_view clusterText = R"({"schema": "streammap.cluster/1", "name": "x",
 "gpu_models": {"m": {"like": "T4", "memory": "8GiB", "throughput": {"fp64": "1TFLOP/s"}}},
 "node_types": {"t": {"cpu_cores": 4, "gpus": [{"model": "m", "count": 2}], "gpu_links": [{"between": [0, 1]}],
   "host_link": {"bandwidth": "5GB/s"}, "nics": {"count": 2}, "power_limit": "1kW"}},
 "nodes": [{"names": "n[1-2]", "type": "t", "switch": "s"}],
 "network": {"latency": "2us", "switches": [{"name": "s", "uplinks": [{"to": "u", "count": 2}]}, {"name": "u"}]},
 "state": {"n1": {"gpus": {"1": {"state": "busy"}}}}})";

void readTasks(std::string_view text) {
  Diagnostics diagnostics;
  std::optional<TaskGraph> graph = readTaskGraph(text, "in", diagnostics);
  REQUIRE(graph.has_value() == !diagnostics.hasErrors());
  if (graph)
    REQUIRE(readTaskGraph(writeTaskGraph(*graph), "again", diagnostics));
}

void readMachine(std::string_view text) {
  Diagnostics diagnostics;
  std::optional<Cluster> cluster = readCluster(text, "in", diagnostics);
  REQUIRE(cluster.has_value() == !diagnostics.hasErrors());
  if (cluster)
    REQUIRE(readCluster(writeCluster(*cluster), "again", diagnostics));
}

/// Calls `read` with `text` cut at every byte, and with a few bytes changed a few thousand times.
template <class Read>
void spoil(std::string text, Read read) {
  for (std::size_t length = 0; length < text.size(); ++length)
    read(std::string_view(text).substr(0, length));
  std::mt19937 random(4711);
  static constexpr std::string_view letters = "{}[]\",:0123456789-+.eE\\/ntfx \x80";
  for (int round = 0; round < 3000; ++round) {
    std::string changed = text;
    for (std::size_t changes = 1 + random() % 3; changes-- > 0;)
      changed[random() % changed.size()] = letters[random() % letters.size()];
    INFO("round " << round << ": " << changed);
    read(changed);
  }
}

} // namespace

TEST_CASE("spoilt task graphs are refused or understood") {
  spoil(tasksText, readTasks);
}

TEST_CASE("spoilt clusters are refused or understood") {
  spoil(std::string(clusterText), readMachine);
}

TEST_CASE("spoilt placements are refused or understood") {
  Diagnostics diagnostics;
  TaskGraph graph = graphFromText("a -> b 4MiB");
  Cluster cluster = readCluster(clusterText, "in", diagnostics).value();
  Placement placement;
  placement.tasksFile = "t";
  placement.clusterFile = "c";
  placement.assignments = {{TaskId(0), DeviceId(0), {}, seconds(1), {}, {}},
                           {TaskId(1), DeviceId(2), seconds(1), seconds(2), {}, {}}};
  placement.transfers = {{0, std::nullopt, DeviceId(0), DeviceId(2), mebibytes(4), {"x"}, {}, seconds(1)}};
  spoil(writePlacement(placement, graph, cluster), [&](std::string_view text) {
    Diagnostics found;
    std::optional<Placement> read = readPlacement(text, "in", graph, cluster, found);
    REQUIRE(read.has_value() == !found.hasErrors());
    (void)readPlacementInputs(text, "in", found);
  });
}
