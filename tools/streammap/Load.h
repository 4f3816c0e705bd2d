#pragma once
// Reads a placement together with the two files it was made from, as report and run need it.
#include "model/PlacementJson.h"
#include "support/Expected.h"

namespace streammap {

struct LoadedPlacement {
  TaskGraph graph;
  Cluster cluster;
  Placement placement;
};

struct PlacementFiles {
  std::string placement; ///< "-" is standard input
  std::string tasks;     ///< empty: the one the placement names, tried as named, then beside the placement
  std::string cluster;   ///< likewise
};

/// What the world refused is the error. What is wrong in the files is reported, and nothing is returned: a
/// task graph or cluster whose digest is not the placement's is such a mistake; the message says to map
/// again.
Expected<std::optional<LoadedPlacement>> loadPlacement(const PlacementFiles &files, Diagnostics &diagnostics);

} // namespace streammap
