#pragma once
// `streammap.tasks/1` (docs/file-formats.md): reading, judging and writing.
//
//   std::optional<TaskGraph> graph = readTaskGraph(text, "app.tasks.json", diagnostics);
#include "model/TaskGraph.h"
#include "support/Diagnostic.h"

namespace streammap {

/// Nothing when `diagnostics` has got an error: syntax, unknown or missing keys, wrong types and ranges,
/// duplicate ids, dangling references, regions outside their buffer, cycles. All of them are listed. `file`
/// is what messages call it. A few seconds per million tasks; ten times that where something is wrong.
std::optional<TaskGraph> readTaskGraph(std::string_view text, const std::string &file,
                                       Diagnostics &diagnostics);

/// The canonical text: reading and writing it again gives the same bytes.
std::string writeTaskGraph(const TaskGraph &graph);

} // namespace streammap
