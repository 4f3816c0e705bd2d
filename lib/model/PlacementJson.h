#pragma once
// `streammap.placement/1` (docs/file-formats.md): reading, judging and writing.
//
// A placement names tasks, nodes and GPUs of two other files, so those are read first:
//
//   std::optional<PlacementInputs> inputs = readPlacementInputs(text, "app.placement.json", diagnostics);
//   ... read inputs->tasksFile and inputs->clusterFile ...
//   std::optional<Placement> placement = readPlacement(text, "app.placement.json", graph, cluster,
//   diagnostics);
#include "model/Placement.h"
#include "support/Diagnostic.h"

namespace streammap {

/// The two files a placement was made from, with digest() of their texts, and the program's arguments.
struct PlacementInputs {
  std::string tasksFile, clusterFile;
  std::string tasksDigest, clusterDigest;
  std::vector<std::string> arguments;
  std::map<std::string, double> parameters;
};

std::optional<PlacementInputs> readPlacementInputs(std::string_view text, const std::string &file,
                                                   Diagnostics &diagnostics);

/// Nothing when an error was reported: ids the graph or the cluster does not have, a task's name, arguments
/// or parameters that differ from the graph's. Whether the placement is feasible is findViolations' business.
std::optional<Placement> readPlacement(std::string_view text, const std::string &file, const TaskGraph &graph,
                                       const Cluster &cluster, Diagnostics &diagnostics);

/// The canonical text: reading and writing it again gives the same bytes.
std::string writePlacement(const Placement &placement, const TaskGraph &graph, const Cluster &cluster);

} // namespace streammap
