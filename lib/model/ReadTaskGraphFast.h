#pragma once
// The quick way through a tasks.json that is right; part of readTaskGraph (TaskGraphJson.h).
#include "model/TaskGraph.h"
#include <functional>
#include <string_view>

namespace streammap {

/// Reads tasks and dependencies straight from the text; everything before the tasks, as a file of its own
/// without tasks, by `readHead`. Nothing as soon as anything is wrong or unusual, such as an escape in a
/// name: then the file has to be read in the thorough way, which tells what and where. Dependencies are in
/// file order. A second or two per million tasks.
std::optional<TaskGraph>
readTaskGraphFast(std::string_view text,
                  const std::function<std::optional<TaskGraph>(std::string_view)> &readHead);

} // namespace streammap
