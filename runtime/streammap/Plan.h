#pragma once
// The placement as one run needs it: for each task in program order its name, rank, device and start.
#include "support/Diagnostic.h"
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace streammap::engine {

struct PlannedTask {
  std::string name;
  int rank = 0;
  int device = 0; ///< local; -1: the node's cores
  double start = 0;
};

struct Plan {
  std::string file;               ///< for messages
  std::vector<std::string> nodes; ///< by rank: the nodes that run something, in order of their names
  std::vector<PlannedTask> tasks;
  std::vector<std::string> arguments; ///< of the program, as the placement was made for
  std::map<std::string, double> parameters;

  /// Gives rank r to the r-th of `order`; false, and nothing changed, where these are not the plan's nodes.
  bool reorder(const std::vector<std::string> &order);
  /// One more than the highest device that `rank` uses.
  int devicesOf(int rank) const;
  /// Distinct GPUs in use, over all ranks.
  int gpuCount() const;
};

/// Reads `streammap.placement/1`. Only what a run needs is looked at: report and map judge the rest.
std::optional<Plan> readPlan(std::string_view text, const std::string &file, Diagnostics &diagnostics);

/// "8 32 n=4": arguments and parameters for a message.
std::string describeArguments(const std::vector<std::string> &arguments,
                              const std::map<std::string, double> &parameters);

} // namespace streammap::engine
