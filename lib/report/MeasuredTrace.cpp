#include "report/MeasuredTrace.h"
#include "support/Text.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace streammap {
namespace {

using Json = nlohmann::json;

std::string textIn(const Json &event, const char *key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t numberIn(const Json &event, const char *key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

/// What the trace's metadata call its processes and threads.
class Tracks {
public:
  explicit Tracks(const Json &events) {
    for (const Json &event : events) {
      if (!event.is_object() || textIn(event, "ph") != "M")
        continue;
      const auto arguments = event.find("args");
      if (arguments == event.end() || !arguments->is_object())
        continue;
      const std::string kind = textIn(event, "name");
      if (kind == "process_name")
        process_[numberIn(event, "pid")] = textIn(*arguments, "name");
      else if (kind == "thread_name")
        thread_[{numberIn(event, "pid"), numberIn(event, "tid")}] = textIn(*arguments, "name");
      else if (kind == "process_labels")
        addLabel(textIn(*arguments, "labels"));
    }
  }

  /// "n001:gpu2"; runs name their threads "gpu 2" and "cpu".
  std::string device(const Json &event) const {
    const auto process = process_.find(numberIn(event, "pid"));
    const auto thread = thread_.find({numberIn(event, "pid"), numberIn(event, "tid")});
    std::string name = thread == thread_.end() ? "" : thread->second;
    std::erase(name, ' ');
    if (process == process_.end() || name.starts_with(process->second + ":"))
      return name;
    return process->second + (name.empty() ? "" : ":" + name);
  }

  std::string labels() const { return join(labels_, ", "); }

private:
  void addLabel(const std::string &label) {
    const std::string name = label == "StreamMAP CPU device" ? "CPU cores" : label;
    if (!name.empty() && std::ranges::find(labels_, name) == labels_.end())
      labels_.push_back(name);
  }

  std::map<std::int64_t, std::string> process_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> thread_;
  std::vector<std::string> labels_;
};

bool isTask(const Json &event) {
  if (!event.is_object() || textIn(event, "ph") != "X" || textIn(event, "cat") != "task")
    return false;
  const auto start = event.find("ts"), duration = event.find("dur");
  return start != event.end() && duration != event.end() && start->is_number() && duration->is_number();
}

MeasuredRun runOf(const Json &events) {
  const Tracks tracks(events);
  MeasuredRun run;
  run.devices = tracks.labels();
  std::vector<const Json *> tasks; // by start, equal ones in the order of the file
  for (const Json &event : events)
    if (isTask(event))
      tasks.push_back(&event);
  std::ranges::stable_sort(tasks, {}, [](const Json *event) { return (*event)["ts"].get<double>(); });
  for (const Json *event : tasks) {
    const double first = (*tasks.front())["ts"].get<double>();
    const Seconds start = microseconds((*event)["ts"].get<double>() - first);
    const Seconds time = microseconds((*event)["dur"].get<double>());
    run.tasks[textIn(*event, "name")] = {start, time, tracks.device(*event)};
    run.times.emplace_back(textIn(*event, "name"), time);
    run.makespan = std::max(run.makespan, start + time);
  }
  return run;
}

} // namespace

std::optional<MeasuredRun> readMeasuredTrace(std::string_view text, const std::string &file,
                                             Diagnostics &diagnostics) {
  const Json trace = Json::parse(text, nullptr, false);
  if (trace.is_discarded() || !trace.is_object() || !trace.contains("traceEvents") ||
      !trace["traceEvents"].is_array()) {
    diagnostics.error(
        {file, 0, 0, "/traceEvents"},
        "not a trace: expected a JSON object with an array 'traceEvents', as 'streammap run --trace' writes",
        "bad-trace");
    return std::nullopt;
  }
  MeasuredRun run = runOf(trace["traceEvents"]);
  if (run.tasks.empty()) {
    diagnostics.error({file, 0, 0, "/traceEvents"},
                      "the trace holds no task events (\"cat\": \"task\", \"ph\": \"X\")", "bad-trace");
    return std::nullopt;
  }
  return run;
}

} // namespace streammap
