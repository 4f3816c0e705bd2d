#pragma once
// What happened on this rank and when: tasks, copies, messages and waits, for the trace of the run.
#include "streammap/LocalMemory.h"
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace streammap::engine {

enum class Tracing { off, on };

class TraceLog {
public:
  explicit TraceLog(Tracing tracing) : tracing_(tracing), origin_(std::chrono::steady_clock::now()) {}

  /// Seconds since the log's origin.
  double now() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - origin_).count();
  }
  /// All ranks do this at about the same time, after a barrier.
  void restartClock() { origin_ = std::chrono::steady_clock::now(); }

  void task(const std::string &name, const std::string &location, int device, double start, double end);
  void copy(const Movement &movement);
  /// A send or receive that has just ended.
  void message(const Operation &operation, double start);
  /// The main thread stood still.
  void wait(const std::string &reason, double start);

  /// One event per line, as Chrome trace JSON objects; `rank` is their process, labelled with the names of
  /// its `devices` unless that is empty.
  std::vector<std::string> events(int rank, const std::string &node, const std::string &devices) const;

private:
  enum class Lane { device, cores, copies, network, host };
  struct Event {
    std::string name, category, detail;
    Lane lane;
    int device;
    std::uint64_t bytes;
    double start, end;
  };
  void add(Event event);

  Tracing tracing_;
  std::chrono::steady_clock::time_point origin_;
  mutable std::mutex mutex_;
  std::vector<Event> events_;
};

} // namespace streammap::engine
