// One fuzz target for each parser of lib/discover (STREAMMAP_FUZZ_KIND names it): any bytes are read without
// crash, leak or hang; what was read merges into a cluster file that reads back, or says why not.
//
// Built twice: by Clang with libFuzzer (option STREAMMAP_FUZZ, run by scripts/fuzz), and by any compiler with
// Replay.cpp, which runs the kept corpus as a quick test.
#include "discover/Merge.h"
#include "discover/Sources.h"
#include "discover/State.h"
#include "model/ClusterJson.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

/// Ends the process, so that libFuzzer keeps the input.
void require(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace streammap;
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  (void)recognise(text);
  const SourceKind *kind = sourceKindNamed(STREAMMAP_FUZZ_KIND);
  require(kind != nullptr, "no such kind of source");
  Diagnostics diagnostics;
  const std::optional<Findings> found = readSource(text, "input", kind, diagnostics);
  require(found.has_value() || diagnostics.hasErrors(), "refused without a word");
  if (!found)
    return 0;
  Diagnostics merging;
  const std::optional<Discovery> discovery = merge(std::span(&*found, 1), {}, merging);
  require(discovery.has_value() || merging.hasErrors(), "no cluster, and no word why");
  if (!discovery)
    return 0;
  Diagnostics reading;
  const std::string written = writeCluster(discovery->cluster);
  std::optional<Cluster> read = readCluster(written, "cluster.json", reading);
  require(read.has_value(), "a cluster file that does not read back");
  require(writeCluster(*read) == written, "a cluster file that changes when it is read and written");
  Diagnostics refreshing;
  require(refreshState(*read, std::span(&*found, 1), refreshing).changes.empty() || refreshing.hasErrors(),
          "the same source changes states");
  return 0;
}
