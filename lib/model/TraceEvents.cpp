#include "model/TraceEvents.h"

namespace streammap {
namespace {

/// Trace viewers count in microseconds; nanoseconds are as fine as our clocks.
double inTraceTime(Seconds time) {
  return std::round(time.value() * 1e9) / 1e3;
}

} // namespace

void TraceEvents::add(const nlohmann::ordered_json &event) {
  lines_.push_back(event.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void TraceEvents::nameProcess(unsigned process, std::string_view name) {
  add({{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", name}}}});
}

void TraceEvents::labelProcess(unsigned process, std::string_view labels) {
  add({{"ph", "M"}, {"name", "process_labels"}, {"pid", process}, {"args", {{"labels", labels}}}});
}

void TraceEvents::nameThread(TraceTrack track, std::string_view name) {
  add({{"ph", "M"},
       {"name", "thread_name"},
       {"pid", track.process},
       {"tid", track.thread},
       {"args", {{"name", name}}}});
}

void TraceEvents::span(TraceTrack track, std::string_view name, std::string_view category, Seconds start,
                       Seconds end, const Arguments &arguments) {
  nlohmann::ordered_json event = {{"ph", "X"},
                                  {"name", name},
                                  {"cat", category},
                                  {"pid", track.process},
                                  {"tid", track.thread},
                                  {"ts", inTraceTime(start)},
                                  {"dur", inTraceTime(end - start)}};
  if (!arguments.is_null())
    event["args"] = arguments;
  add(event);
}

void TraceEvents::flow(std::uint64_t id, std::string_view name, TraceTrack from, Seconds start, TraceTrack to,
                       Seconds end) {
  const auto half = [&](const char *phase, TraceTrack track, Seconds time) {
    nlohmann::ordered_json event = {
        {"ph", phase},          {"name", name},        {"cat", "flow"},          {"id", id},
        {"pid", track.process}, {"tid", track.thread}, {"ts", inTraceTime(time)}};
    if (*phase == 'f')
      event["bp"] = "e"; // binds to the span it ends in
    add(event);
  };
  half("s", from, start);
  half("f", to, end);
}

std::string TraceEvents::finish() const {
  std::string text = "{\n\"displayTimeUnit\": \"ms\",\n\"traceEvents\": [";
  const char *separator = "\n";
  for (const std::string &line : lines_) {
    text += separator;
    text += line;
    separator = ",\n";
  }
  return text + "\n]\n}\n";
}

} // namespace streammap
