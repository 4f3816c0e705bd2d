#pragma once
// One piece of work in a process of its own, so that a crash, a hang or a flood of memory costs only itself.
#include "support/Expected.h"
#include <functional>
#include <string>
#include <vector>

namespace streammap {

struct IsolatedRun {
  std::string output; ///< what `work` returned, if it returned
  int signal = 0;     ///< that ended it
  bool timedOut = false;
  double seconds = 0;       ///< wall time
  double peakMemoryMiB = 0; ///< resident
};

/// Runs `work(i)` for i = 0 ... count - 1, each in a forked process, `parallel` at a time, and gives the runs
/// in that order. One that takes longer than `timeoutSeconds` is killed. `finished` hears of each as it ends.
std::vector<IsolatedRun> runIsolated(std::size_t count, unsigned parallel, double timeoutSeconds,
                                     const std::function<std::string(std::size_t)> &work,
                                     const std::function<void(std::size_t)> &finished);

} // namespace streammap
