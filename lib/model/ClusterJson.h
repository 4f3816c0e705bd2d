#pragma once
// `streammap.cluster/1` (docs/file-formats.md): reading, judging and writing.
//
//   std::optional<Cluster> cluster = readCluster(text, "pod.json", diagnostics);
#include "model/Cluster.h"
#include "support/Diagnostic.h"

namespace streammap {

/// Nothing when `diagnostics` has got an error; all of them are listed. `file` is what messages call it.
std::optional<Cluster> readCluster(std::string_view text, const std::string &file, Diagnostics &diagnostics);

/// The canonical text: hostlists compressed, numbers in SI base units; reading and writing it again gives the
/// same bytes.
std::string writeCluster(const Cluster &cluster);

} // namespace streammap
