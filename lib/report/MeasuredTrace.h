#pragma once
// Reads back the Chrome trace that a run left behind: how long each task really took.
#include "support/Diagnostic.h"
#include "support/Units.h"
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace streammap {

struct MeasuredRun {
  Seconds makespan;                                   ///< first task start to last task end
  std::map<std::string, Seconds> tasks;               ///< by task name; the last one where a name repeats
  std::vector<std::pair<std::string, Seconds>> times; ///< of all tasks, by start
};

/// `text` is trace-event JSON as `streammap run --trace` writes it; `file` names it in diagnostics.
std::optional<MeasuredRun> readMeasuredTrace(std::string_view text, const std::string &file,
                                             Diagnostics &diagnostics);

} // namespace streammap
