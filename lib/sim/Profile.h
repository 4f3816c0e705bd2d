#pragma once
// Measured times in place of estimates: the calibration of a mapping by a run.
//
//   Profiled p = withProfile(graph, cluster, measured, "H100-SXM5-80GB");
//   p.graph.tasks[t].seconds               // {"H100-SXM5-80GB": 4.1e-4, "T4": 5.2e-3}, origin "profile"
//
// Tasks are told apart by kind: those of one pragma, or, without one, those that share the name before '[' or
// '#'. Of each kind the median of measured / estimated is taken over the tasks that were measured, and every
// task of the kind gets its estimate times that median, on every model: the run corrects the level, the
// estimate keeps the proportions between tasks of different sizes and between models. A kind without
// estimates gets the median of the measured times. Times that the programmer gave stay as they are.
#include "model/Cluster.h"
#include "model/TaskGraph.h"
#include <string>
#include <vector>

namespace streammap {

struct MeasuredTime {
  std::string task; ///< its name
  Seconds time;
};

struct ProfiledKind {
  std::string name;
  std::size_t tasks = 0;    ///< of the graph
  std::size_t measured = 0; ///< times that the median is of
  double factor = 1;        ///< measured / estimated; 0 where nothing was estimated
};

struct Profiled {
  TaskGraph graph;
  std::vector<ProfiledKind> kinds;    ///< that got measured times, by name
  std::vector<std::string> unmatched; ///< names in the profile that no task of the graph has
};

/// `measuredOn` is the model the run was on, one of the cluster's. The k-th time of a name belongs to the
/// k-th task of that name.
Profiled withProfile(const TaskGraph &graph, const Cluster &cluster, const std::vector<MeasuredTime> &times,
                     const GpuModel &measuredOn);

} // namespace streammap
