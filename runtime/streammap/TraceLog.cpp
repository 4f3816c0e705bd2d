#include "streammap/TraceLog.h"
#include "model/TraceEvents.h"
#include "streammap/TaskRun.h"
#include <algorithm>
#include <set>

namespace streammap::engine {
namespace {

std::string placeName(int place) {
  return place == homePlace ? "host" : "gpu " + std::to_string(place);
}

} // namespace

void TraceLog::add(Event event) {
  if (tracing_ == Tracing::off)
    return;
  std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
}

void TraceLog::task(const std::string &name, const std::string &location, int device, double start,
                    double end) {
  add({name, "task", location, device < 0 ? Lane::cores : Lane::device, device, 0, start, end});
}

void TraceLog::copy(const Movement &m) {
  const std::string detail = placeName(m.from) + " to " + placeName(m.to);
  add({m.buffer->name, "transfer", detail, Lane::copies, m.to == homePlace ? m.from : m.to, m.bytes, m.start,
       m.end});
}

void TraceLog::message(const Operation &operation, double start) {
  const Use &use = operation.uses.front();
  const bool sends = operation.kind == OperationKind::send;
  add({use.buffer->name, "transfer", (sends ? "to rank " : "from rank ") + std::to_string(operation.peer),
       Lane::network, sends ? 0 : 1, totalSize(use.intervals), start, now()});
}

void TraceLog::wait(const std::string &reason, double start) {
  add({reason, "wait", {}, Lane::host, 0, 0, start, now()});
}

std::vector<std::string> TraceLog::events(int rank, const std::string &node,
                                          const std::string &devices) const {
  std::lock_guard lock(mutex_);
  std::vector<Event> sorted = events_;
  std::ranges::stable_sort(sorted, {}, &Event::start);
  TraceEvents trace;
  const auto process = static_cast<unsigned>(rank);
  trace.nameProcess(process, node);
  if (!devices.empty())
    trace.labelProcess(process, devices);
  // Threads of a node: the host, its cores, the network out and in, then a pair for each device.
  const auto thread = [](const Event &event) -> unsigned {
    switch (event.lane) {
    case Lane::host:
      return 0;
    case Lane::cores:
      return 1;
    case Lane::network:
      return 2 + static_cast<unsigned>(event.device);
    case Lane::device:
      return 4 + 2 * static_cast<unsigned>(event.device);
    case Lane::copies:
      return 5 + 2 * static_cast<unsigned>(event.device);
    }
    return 0;
  };
  std::set<unsigned> named;
  for (const Event &event : sorted) {
    const TraceTrack track{process, thread(event)};
    if (named.insert(track.thread).second) {
      const std::string number = std::to_string(event.device);
      trace.nameThread(track, event.lane == Lane::host      ? "program"
                              : event.lane == Lane::cores   ? "cpu"
                              : event.lane == Lane::network ? (event.device ? "network in" : "network out")
                              : event.lane == Lane::device  ? "gpu " + number
                                                            : "gpu " + number + " copies");
    }
    TraceEvents::Arguments arguments;
    if (event.category == "task")
      arguments = {{"location", event.detail}};
    else if (event.category == "transfer")
      arguments = {{"bytes", event.bytes}, {"path", event.detail}};
    trace.span(track, event.name, event.category, seconds(event.start), seconds(event.end), arguments);
  }
  return trace.lines();
}

} // namespace streammap::engine
