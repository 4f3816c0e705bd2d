#pragma once
// One run of another program.
#include "support/Expected.h"
#include <string>
#include <vector>

namespace streammap {

struct ToolRun {
  int exitCode = 0;   ///< 128 + signal where one ended it
  std::string output; ///< stdout and stderr together
};

/// Runs `arguments[0]` with the rest as its arguments and waits. Fails where it cannot be started.
Expected<ToolRun> runTool(const std::vector<std::string> &arguments);

/// For people and logs: quoted where a shell needs it.
std::string commandLine(const std::vector<std::string> &arguments);

} // namespace streammap
