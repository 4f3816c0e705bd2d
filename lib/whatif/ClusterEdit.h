#pragma once
// A cluster file with something changed, as `streammap whatif --set` names it:
//
//   node_types.dgx-h100.nics.bandwidth=100Gb/s     a value of the file, by its path
//   node_types.*.gpus.model=H200-SXM5-141GB        in every node type
//   network.switches.*.uplinks.*.count=10          in every element of the lists; elements also by name
//   network.oversubscription=4                     NICs below each leaf / its uplinks, by the uplinks'
//   bandwidth nodes=+4   nodes=-4   nodes=216                nodes like the last one, or without the last
//   ones fail=n003   fail=n[001-004]   fail=n003:gpu2   down
#include "model/Cluster.h"
#include "support/Diagnostic.h"
#include <span>
#include <string>
#include <vector>

namespace streammap {

struct Setting {
  std::string path, value;
  std::string text() const { return path + "=" + value; }
};

/// The values of one `--set`: "nics.bandwidth=100Gb/s,200Gb/s". Commas inside brackets belong to a hostlist.
struct Axis {
  std::string path;
  std::vector<std::string> values;
};

/// The error says what is expected where there is no '=', no path or an empty value.
Expected<Axis> parseAxis(std::string_view text);

/// Paths of the file's values and of those it may have, as people write them; for messages.
std::vector<std::string> knownPaths(std::string_view clusterText);

/// The cluster of the file with all settings applied: paths first, then nodes, oversubscription, failures.
/// Nothing when a path is unknown (the error names the nearest right one), when a value is wrong there, or
/// when the file is. `file` is what messages call it.
std::optional<Cluster> editedCluster(std::string_view clusterText, const std::string &file,
                                     std::span<const Setting> settings, Diagnostics &diagnostics);

} // namespace streammap
