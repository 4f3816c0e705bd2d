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

struct MeasuredTask {
  Seconds start; ///< from the start of the first task
  Seconds time;
  std::string device; ///< "n001:gpu2": the names of the event's process and thread
};

struct MeasuredRun {
  Seconds makespan;                                   ///< first task start to last task end
  std::map<std::string, MeasuredTask> tasks;          ///< by task name; the last one where a name repeats
  std::vector<std::pair<std::string, Seconds>> times; ///< of all tasks, by start
  /// What kinds of device ran the tasks, as the trace's `process_labels` say: "NVIDIA H100 80GB HBM3", or
  /// "CPU cores" for the CPU device; several between commas. Empty where the trace says nothing.
  std::string devices;
};

/// `text` is trace-event JSON as `streammap run --trace` writes it; `file` names it in diagnostics.
std::optional<MeasuredRun> readMeasuredTrace(std::string_view text, const std::string &file,
                                             Diagnostics &diagnostics);

} // namespace streammap
