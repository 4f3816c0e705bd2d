#pragma once
// The same program on changed clusters: what a planner asks before buying.
//
//   WhatIf study = whatIf(graph, text, "pod.json",
//   {*parseAxis("node_types.dgx.nics.bandwidth=100Gb/s,200Gb/s")},
//                         {}, diagnostics);
//   std::cout << toText(study);
//
//   cholesky.cu on pod, 4960 tasks; by auto, seed 1
//
//                            makespan  ratio      gap     busy   energy  bottleneck
//     as it is                88.9 ms      1  172.6 %   12.4 %   1.52 J  gemm
//     node_types.dgx.nics.bandwidth
//       100Gb/s                131 ms   1.47  301.0 %    8.4 %   1.52 J  n004:nic.up
//       200Gb/s               97.1 ms   1.09  197.9 %   11.3 %   1.52 J  n004:nic.up
//
// Each row is mapped by itself; where the decisions of the unchanged cluster do better on the changed one,
// those are taken, so that a row is not worse for an unlucky search alone.
#include "mapper/MapTasks.h"
#include "whatif/ClusterEdit.h"
#include <string>
#include <vector>

namespace streammap {

struct WhatIfOptions {
  MapOptions map;
  unsigned threads = 0; ///< rows mapped at a time; 0: as many as there are cores. Changes no result
};

struct WhatIfRow {
  std::vector<Setting> settings;     ///< empty: the cluster as it is
  std::optional<std::string> whyNot; ///< no placement, and why; the figures below are 0 then
  Prediction predicted;
  std::string strategy;
  double ratio = 0;        ///< makespan / the unchanged cluster's
  std::size_t nodes = 0;   ///< of the cluster
  std::size_t devices = 0; ///< that are up and may run some task
  std::size_t devicesUsed = 0;
  double utilisation = 0;          ///< of the devices in use, 0 to 1
  Joules energy;                   ///< see energyOf
  Seconds compute, transfer, idle; ///< of the chain that bounds the makespan
  std::string bottleneck;          ///< of that chain: the class of tasks with most time, or the busiest link
};

struct WhatIf {
  std::string program, cluster;
  std::size_t tasks = 0;
  std::string strategy; ///< as asked for
  std::uint64_t seed = 0;
  std::vector<Axis> axes;
  std::vector<WhatIfRow> rows; ///< as it is first, then the grid, the last axis fastest
};

inline constexpr std::size_t mostRows = 4096;

/// Nothing when the file or a setting is wrong, or the grid has more than `mostRows` rows. One mapping per
/// row, in parallel; the result does not depend on how many run at a time.
std::optional<WhatIf> whatIf(const TaskGraph &graph, std::string_view clusterText, const std::string &file,
                             const std::vector<Axis> &axes, const WhatIfOptions &options,
                             Diagnostics &diagnostics);

/// The placement's predicted energy.
Joules energyOf(const Placement &placement, const Cluster &cluster);

/// At most 80 columns.
std::string toText(const WhatIf &study);
/// `streammap.whatif/1` (docs/schemas/whatif.schema.json).
std::string toJson(const WhatIf &study);
/// One page with chart and table that works offline. Fails only where the build had no d3 to embed.
Expected<std::string> toHtml(const WhatIf &study);

} // namespace streammap
