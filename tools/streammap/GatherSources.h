#pragma once
// What discover and watch read: files with --input, live sources with --from and --hosts, this machine where
// nothing else is named.
#include "discover/Live.h"
#include "discover/Merge.h"
#include "discover/Sources.h"

namespace CLI {
class App;
}

namespace streammap {

struct SourceOptions {
  std::vector<std::string> inputs; ///< "[NODES=]FILE"
  std::vector<std::string> from;   ///< kinds of the inputs, or live sources
  std::string hosts;               ///< a hostlist
  std::string via = "ssh";
  double limitSeconds = 20;
};

/// Declares --input, --from, --hosts, --via and --timeout.
void addSourceOptions(CLI::App &command, SourceOptions &options);

/// Reads and asks all of them. Mistakes in texts go to `diagnostics`; a source that cannot be read or asked
/// is the error.
Expected<std::vector<Findings>> gatherSources(const SourceOptions &options, Diagnostics &diagnostics);

} // namespace streammap
