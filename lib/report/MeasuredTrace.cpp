#include "report/MeasuredTrace.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace streammap {

std::optional<MeasuredRun> readMeasuredTrace(std::string_view text, const std::string &file,
                                             Diagnostics &diagnostics) {
  const nlohmann::json trace = nlohmann::json::parse(text, nullptr, false);
  if (trace.is_discarded() || !trace.is_object() || !trace.contains("traceEvents") ||
      !trace["traceEvents"].is_array()) {
    diagnostics.error(
        {file, 0, 0, "/traceEvents"},
        "not a trace: expected a JSON object with an array 'traceEvents', as 'streammap run --trace' writes",
        "bad-trace");
    return std::nullopt;
  }
  MeasuredRun run;
  std::vector<std::pair<double, std::size_t>> starts; ///< of run.times, in the order of the file
  double first = std::numeric_limits<double>::infinity(), last = 0;
  for (const auto &event : trace["traceEvents"]) {
    if (!event.is_object() || event.value("ph", "") != "X" || event.value("cat", "") != "task")
      continue;
    const auto start = event.find("ts"), duration = event.find("dur");
    if (start == event.end() || duration == event.end() || !start->is_number() || !duration->is_number())
      continue;
    first = std::min(first, start->get<double>());
    last = std::max(last, start->get<double>() + duration->get<double>());
    run.tasks[event.value("name", "")] = microseconds(duration->get<double>());
    starts.emplace_back(start->get<double>(), run.times.size());
    run.times.emplace_back(event.value("name", ""), microseconds(duration->get<double>()));
  }
  if (run.tasks.empty()) {
    diagnostics.error({file, 0, 0, "/traceEvents"},
                      "the trace holds no task events (\"cat\": \"task\", \"ph\": \"X\")", "bad-trace");
    return std::nullopt;
  }
  std::ranges::stable_sort(starts, {}, &std::pair<double, std::size_t>::first);
  std::vector<std::pair<std::string, Seconds>> sorted;
  for (const auto &[start, index] : starts)
    sorted.push_back(std::move(run.times[index]));
  run.times = std::move(sorted);
  run.makespan = microseconds(last - first);
  return run;
}

} // namespace streammap
