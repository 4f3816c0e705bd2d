#pragma once
// When a search has to end before its steps are used up: at a moment, or when somebody asks.
#include "mapper/MapTasks.h"
#include <chrono>

namespace streammap {

class StopCondition {
public:
  /// The time limit counts from now.
  explicit StopCondition(const MapOptions &options) : asked_(options.stop) {
    if (options.timeLimit)
      deadline_ = std::chrono::steady_clock::now() +
                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                      std::chrono::duration<double>(std::min(options.timeLimit->value(), longestLimit)));
  }
  /// Looks at the clock only where there is a time limit. Any thread may ask.
  bool isMet() const {
    return (asked_ && asked_->load(std::memory_order_relaxed)) ||
           (deadline_ && std::chrono::steady_clock::now() >= *deadline_);
  }

private:
  static constexpr double longestLimit = 1e9; ///< seconds; what is more would not fit the clock

  const std::atomic<bool> *asked_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

} // namespace streammap
