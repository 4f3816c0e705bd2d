#include "MapProgress.h"
#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace streammap {
namespace {

constexpr std::size_t barWidth = 20;

std::atomic<bool> interrupted; // a signal handler can reach nothing else

void onInterrupt(int) {
  interrupted.store(true);
}

} // namespace

std::string progressText(const MapProgress &progress) {
  const double share = progress.mostSteps == 0
                           ? 1
                           : static_cast<double>(progress.steps) / static_cast<double>(progress.mostSteps);
  const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * barWidth);
  std::string text = "[" + std::string(filled, '#') + std::string(barWidth - filled, '-') + "] " +
                     std::string(progress.phase) + "  makespan " + toText(progress.makespan);
  if (progress.lowerBound > Seconds()) {
    char gap[32];
    std::snprintf(gap, sizeof gap, "%.1f %%", 100 * (progress.makespan / progress.lowerBound - 1));
    text += "  bound " + toText(progress.lowerBound) + "  gap " + gap;
  }
  return text.substr(0, 78);
}

ProgressLine::ProgressLine(Show show) : shown_(show == Show::onTerminal && isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (drawn_)
    std::fputs("\r\033[K", stderr);
}

void ProgressLine::draw(const MapProgress &progress) {
  if (!shown_)
    return;
  std::fprintf(stderr, "\r\033[K%s", progressText(progress).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

InterruptFlag::InterruptFlag() {
  interrupted.store(false);
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND); // the second one ends the process
  sigaction(SIGINT, &action, &before_);
}

InterruptFlag::~InterruptFlag() {
  sigaction(SIGINT, &before_, nullptr);
}

const std::atomic<bool> *InterruptFlag::flag() const {
  return &interrupted;
}

} // namespace streammap
