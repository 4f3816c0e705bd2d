#pragma once
// Chrome trace-event JSON, which Perfetto and chrome://tracing open: the form of predicted and measured
// traces.
//
//   TraceEvents trace;
//   trace.nameProcess(0, "n001");
//   trace.nameThread({0, 2}, "gpu 1");
//   trace.span({0, 2}, "gemm[2,1,0]", "task", seconds(0.5), seconds(0.7), {{"location",
//   "cholesky.cu:102:5"}}); trace.finish();
//
// A process is a node, a thread is a device, a link or another thing that does one thing at a time.
// Categories: "task", "transfer" (with "bytes", "from", "to"), "wait".
#include "support/Units.h"
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

struct TraceTrack {
  unsigned process = 0;
  unsigned thread = 0;
};

class TraceEvents {
public:
  using Arguments = nlohmann::ordered_json; ///< an object, or null for none

  void nameProcess(unsigned process, std::string_view name);
  /// What viewers show behind the process's name; runs put the models of their devices there.
  void labelProcess(unsigned process, std::string_view labels);
  void nameThread(TraceTrack track, std::string_view name);
  void span(TraceTrack track, std::string_view name, std::string_view category, Seconds start, Seconds end,
            const Arguments &arguments = {});
  /// An arrow from a moment on one track to a moment on another. `id` tells arrows apart.
  void flow(std::uint64_t id, std::string_view name, TraceTrack from, Seconds start, TraceTrack to,
            Seconds end);

  /// Events so far, one line each, to be added to another trace: how ranks send theirs to the one that
  /// writes.
  const std::vector<std::string> &lines() const { return lines_; }
  void addLine(std::string line) { lines_.push_back(std::move(line)); }

  /// The whole file.
  std::string finish() const;

private:
  void add(const nlohmann::ordered_json &event);
  std::vector<std::string> lines_;
};

} // namespace streammap
