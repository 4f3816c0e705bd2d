#pragma once
// The passes of `streammap annotate` and `streammap check`, in order:
//
//   sources -> compile jobs -> parsed units -> checked -> kernels -> task graph
//                                                      -> transformed sources
#include "analysis/KernelCosts.h"
#include "support/Diagnostic.h"
#include "support/Expected.h"
#include <map>
#include <string>
#include <vector>

namespace streammap {

struct AnnotateOptions {
  std::vector<std::string> sources;
  std::vector<std::string> flags; ///< after `--`
  std::string compileCommands;
  std::string graphOutput; ///< tasks.json; empty: no graph is wanted
  std::string emitOutput; ///< a file, or a folder for several sources; empty: no transformed source is wanted
  std::string suggestions; ///< "text" or "json" on standard output; empty: none are wanted
  std::vector<std::string> arguments;
  std::map<std::string, double> parameters;
  std::size_t mostTasks = 1'000'000;
  KernelOptions kernels;
};

/// Only looks: everything wrong with the pragmas of the sources.
void checkProgram(const AnnotateOptions &options, Diagnostics &diagnostics);

/// Writes the outputs that are wanted, all of them or, with errors in `diagnostics`, none. Fails where a file
/// cannot be written.
Expected<void> annotateProgram(const AnnotateOptions &options, Diagnostics &diagnostics);

} // namespace streammap
