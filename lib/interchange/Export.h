#pragma once
// A placement in the words of other task systems, and as a table:
//
//   const std::vector<PlacedTask> tasks = placedTasks(graph, cluster, placement, ranks);
//   findExportTarget("openmp")->write(tasks);      // a C header with the device of every task
//
// docs/export.md shows how each file is used. What is written has nothing of ours at run time.
#include "model/Placement.h"
#include <span>
#include <string>
#include <string_view>

namespace streammap {

/// One row, in program order.
struct PlacedTask {
  std::string key; ///< its name, or its id where two tasks of the graph share a name: unique
  std::string id, name;
  unsigned rank = 0; ///< of the process on its node
  std::string node;
  std::optional<unsigned> gpu; ///< of the node; nothing: its cores
  unsigned order = 0;          ///< its turn: among the tasks of its device, from 1, by start
  Seconds start, end;
};

/// `rankOf` gives the process of each node by name; every node of the placement is in it. Tasks of a device
/// that start at one time are in program order. O(tasks log tasks).
std::vector<PlacedTask> placedTasks(const TaskGraph &graph, const Cluster &cluster,
                                    const Placement &placement,
                                    const std::map<std::string, unsigned> &rankOf);

struct ExportTarget {
  std::string_view name;
  std::string_view description; ///< one line
  std::string (*write)(const std::vector<PlacedTask> &tasks);
};

/// csv, starpu, openmp, cudastf.
std::span<const ExportTarget> exportTargets();
const ExportTarget *findExportTarget(std::string_view name);

} // namespace streammap
