// The predicted run as trace events: a process per node, a thread per device in use, one more thread per node
// for what arrives there, and an arrow along every transfer between devices.
#include "model/TraceEvents.h"
#include "report/Formats.h"
#include <map>

namespace streammap {
namespace {

/// Tracks of the trace, made as they are first asked for.
class Tracks {
public:
  Tracks(TraceEvents &trace, const ReportData &data) : trace_(trace) {
    for (const NodeRow &node : data.nodes)
      process(node.name);
    for (const DeviceRow &device : data.devices) {
      const unsigned node = process(device.node);
      track_[device.name] = {node, nextThread_[node]};
      trace_.nameThread({node, nextThread_[node]++}, device.name);
    }
  }

  TraceTrack device(const std::string &name) const { return track_.at(name); }
  bool hasDevice(const std::string &name) const { return track_.contains(name); }

  /// Where transfers that arrive at `device` are drawn. One thread per source device, so that spans nest.
  TraceTrack arrivals(const std::string &from, const std::string &device) {
    const std::string name = from + " -> " + device;
    auto [found, inserted] = track_.try_emplace(name);
    if (inserted) {
      const unsigned node = process(device.substr(0, device.rfind(':')));
      found->second = {node, nextThread_[node]};
      trace_.nameThread({node, nextThread_[node]++}, name);
    }
    return found->second;
  }

private:
  unsigned process(const std::string &node) {
    auto [found, inserted] = process_.try_emplace(node, static_cast<unsigned>(process_.size()));
    if (inserted) {
      trace_.nameProcess(found->second, node);
      nextThread_[found->second] = 0;
    }
    return found->second;
  }

  TraceEvents &trace_;
  std::map<std::string, unsigned> process_;
  std::map<unsigned, unsigned> nextThread_;
  std::map<std::string, TraceTrack> track_;
};

} // namespace

std::string toTrace(const ReportData &data) {
  TraceEvents trace;
  Tracks tracks(trace, data);
  for (const TaskRow &task : data.tasks)
    trace.span(
        tracks.device(data.devices[task.device].name), task.name, "task", task.start, task.end,
        {{"id", task.id}, {"location", task.location}, {"origin", task.origin}, {"limiter", task.limiter}});
  std::uint64_t flow = 0;
  for (const TransferRow &transfer : data.transfers) {
    const TraceTrack track = tracks.arrivals(transfer.from, transfer.to);
    trace.span(track, transfer.what, "transfer", transfer.start, transfer.end,
               {{"bytes", transfer.size.value()},
                {"from", transfer.from},
                {"to", transfer.to},
                {"route", transfer.route}});
    if (tracks.hasDevice(transfer.from) && tracks.hasDevice(transfer.to))
      trace.flow(flow++, transfer.what, tracks.device(transfer.from), transfer.start,
                 tracks.device(transfer.to), transfer.end);
  }
  return trace.finish();
}

} // namespace streammap
