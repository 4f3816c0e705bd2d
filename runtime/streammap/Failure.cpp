#include "streammap/Failure.h"
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <unistd.h>

namespace streammap::engine {
namespace {

JobIdentity &job() {
  static JobIdentity identity;
  return identity;
}

struct CurrentWork {
  std::string_view task;
  int device = -1;
  bool active = false;
};
thread_local CurrentWork currentWork;

[[noreturn]] void stop(RunExit code) {
  std::fflush(nullptr);
  if (job().abort)
    job().abort(static_cast<int>(code));
  _exit(static_cast<int>(code));
}

/// Several threads may fail of one cause; the first one tells the story.
void onlyOnce() {
  static std::atomic_flag failing;
  if (failing.test_and_set())
    for (;;)
      pause();
}

} // namespace

void setJobIdentity(JobIdentity identity) {
  job() = std::move(identity);
}

WorkScope::WorkScope(std::string_view task, int device) {
  currentWork = {task, device, true};
}

WorkScope::~WorkScope() {
  currentWork = {};
}

std::string whereWeAre() {
  std::string where = "rank " + std::to_string(job().rank) + " (node " + job().node + ")";
  if (!currentWork.active)
    return where;
  where += currentWork.device < 0 ? ", host cores" : ", device " + std::to_string(currentWork.device);
  return where + ", task " + std::string(currentWork.task);
}

void fail(const std::string &what, RunExit code) {
  onlyOnce();
  std::fprintf(stderr, "streammap: error: %s: %s\n", whereWeAre().c_str(), what.c_str());
  stop(code);
}

void failTogether(const std::string &what, RunExit code) {
  onlyOnce();
  if (job().rank != 0) // rank 0 ends the job within this time; if it does not, this rank does
    std::this_thread::sleep_for(std::chrono::seconds(5));
  std::fprintf(stderr, "streammap: error: %s\n", what.c_str());
  stop(code);
}

} // namespace streammap::engine
