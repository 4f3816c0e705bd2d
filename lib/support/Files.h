#pragma once
// Whole files in, whole files out. "-" is standard input or output.
//
//   Expected<std::string> text = readFile("cluster.json");
//   if (!text) ...                     // "cannot read cluster.json: No such file or directory"
#include "support/Expected.h"
#include <string>
#include <string_view>

namespace streammap {

Expected<std::string> readFile(const std::string &path);

/// Writes `text` so that readers see the old content or the new, never a part: into a nameless file of the
/// same folder first, then renamed over `path`. A symbolic link is followed and stays, an existing file keeps
/// its mode, and devices and pipes ("/dev/stdout") are written straight. On failure nothing is left behind.
Expected<void> writeFileWhole(const std::string &path, std::string_view text);

} // namespace streammap
