#pragma once
// streammap map with several task graphs: one placement each, none on another's devices.
#include "Commands.h"
#include "mapper/MapTasks.h"

namespace streammap {

struct SeveralPrograms {
  std::vector<std::string> tasks;
  std::vector<std::string> outputs; ///< as many
  std::string cluster;
  std::vector<double> priorities; ///< empty, or one each: higher ones choose first, equal ones share
  std::vector<double> weights;    ///< empty, or one each: a program of weight 2 gets twice the share
  MapOptions map;
  bool quiet = false;
  std::string diagnostics = "text";
};

ExitCode mapSeveral(const SeveralPrograms &options);

} // namespace streammap
