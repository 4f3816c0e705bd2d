#pragma once
// Runs a compiler and waits for what it says.
//
//   runCompiler({"/usr/local/cuda/bin/ptxas", "--help"}, "", std::chrono::seconds(10))->output
#include "support/Expected.h"
#include <chrono>
#include <string>
#include <vector>

namespace streammap {

struct CompilerRun {
  int exitCode = 0;   ///< 128 + n if signal n ended it
  std::string output; ///< standard output and standard error as they came
};

/// `command[0]` is looked for on PATH unless it contains a slash; the tool runs in `directory` (empty: here)
/// and reads nothing. Fails if it cannot be started, or takes longer than `limit`: then it and everything it
/// started is killed.
Expected<CompilerRun> runCompiler(const std::vector<std::string> &command, const std::string &directory,
                                  std::chrono::seconds limit);

/// The full path of a program on PATH, or nothing.
std::string compilerOnPath(const std::string &program);

} // namespace streammap
