#pragma once
// What a person sees and may do while `streammap map` searches: a line on the terminal with makespan, bound
// and gap as they improve, and Ctrl-C, which keeps the best placement so far.
#include "mapper/MapTasks.h"
#include <csignal>

namespace streammap {

/// One line on standard error, drawn over as the search goes on and gone at the end. Draws nothing where
/// standard error is no terminal, or `shown` is false.
///
///   [#########-----------] search   makespan 12.4 ms  bound 11.9 ms  gap 4.2 %
class ProgressLine {
public:
  enum class Show { never, onTerminal };
  explicit ProgressLine(Show show);
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  void draw(const MapProgress &progress);

private:
  bool shown_;
  bool drawn_ = false;
};

/// The text of the line, 78 columns at most.
std::string progressText(const MapProgress &progress);

/// While it lives, the first SIGINT sets a flag instead of ending the process; the second ends it. At most
/// one lives at a time.
class InterruptFlag {
public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag &) = delete;
  InterruptFlag &operator=(const InterruptFlag &) = delete;

  const std::atomic<bool> *flag() const;
  bool isSet() const { return flag()->load(); }

private:
  struct sigaction before_;
};

} // namespace streammap
