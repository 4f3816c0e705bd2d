#pragma once
// Several sources at once.
#include "support/Diagnostic.h"
#include "support/Expected.h"
#include <functional>
#include <string>
#include <vector>

namespace streammap {

/// What became of one source.
struct CompiledSource {
  std::vector<std::string> objects;
  std::string messages; ///< of the compilers
  std::string failed;   ///< empty, or the step that did not work: "compiling the kernels"
};

/// Runs `compile(0)` ... `compile(count - 1)`, `jobs` at a time; results in order.
std::vector<Expected<CompiledSource>>
compileAll(std::size_t count, unsigned jobs,
           const std::function<Expected<CompiledSource>(std::size_t)> &compile);

/// Prints the messages, reports sources that failed, and returns all objects in order.
Expected<std::vector<std::string>> collectObjects(const std::vector<std::string> &sources,
                                                  std::vector<Expected<CompiledSource>> compiled,
                                                  Diagnostics &diagnostics);

/// Runs the link step; what the linker says goes to stderr, failure to `diagnostics`.
Expected<void> link(const std::vector<std::string> &command, const std::string &output,
                    Diagnostics &diagnostics);

} // namespace streammap
