#include "Isolated.h"
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace streammap {
namespace {

using Clock = std::chrono::steady_clock;

struct Child {
  std::size_t index = 0;
  pid_t process = 0;
  int pipe = -1;
  Clock::time_point start;
};

[[noreturn]] void work(int pipe, const std::function<std::string(std::size_t)> &task, std::size_t index) {
  const std::string output = task(index);
  for (std::size_t written = 0; written < output.size();) {
    const ssize_t part = write(pipe, output.data() + written, output.size() - written);
    if (part <= 0)
      break;
    written += static_cast<std::size_t>(part);
  }
  _exit(0); // not exit(): nothing of the parent's is ours to flush or destroy
}

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Pool {
public:
  Pool(double timeout, std::vector<IsolatedRun> &runs) : timeout_(timeout), runs_(&runs) {}

  std::size_t size() const { return children_.size(); }

  void start(std::size_t index, const std::function<std::string(std::size_t)> &task) {
    int ends[2];
    if (pipe(ends) != 0)
      return;
    std::fflush(nullptr);
    Child child{index, fork(), ends[0], Clock::now()};
    if (child.process == 0) {
      close(ends[0]);
      work(ends[1], task, index);
    }
    close(ends[1]);
    children_.push_back(child);
  }

  /// Reads what there is to read; the index of each child that ended.
  std::vector<std::size_t> step() {
    std::vector<pollfd> polled;
    for (const Child &child : children_)
      polled.push_back({child.pipe, POLLIN, 0});
    poll(polled.data(), polled.size(), 100);
    std::vector<std::size_t> ended;
    std::vector<Child> left;
    for (std::size_t i = 0; i != children_.size(); ++i)
      if (read(children_[i], polled[i].revents))
        left.push_back(children_[i]);
      else
        ended.push_back(children_[i].index);
    children_ = std::move(left);
    return ended;
  }

private:
  /// False when the child has ended.
  bool read(const Child &child, short events) {
    IsolatedRun &run = (*runs_)[child.index];
    if (events != 0) {
      char buffer[4096];
      const ssize_t part = ::read(child.pipe, buffer, sizeof buffer);
      if (part > 0) {
        run.output.append(buffer, static_cast<std::size_t>(part));
        return true;
      }
    } else if (since(child.start) < timeout_) {
      return true;
    } else {
      run.timedOut = true;
      kill(child.process, SIGKILL);
    }
    close(child.pipe);
    int status = 0;
    rusage usage{};
    wait4(child.process, &status, 0, &usage);
    run.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    run.seconds = since(child.start);
    run.peakMemoryMiB = static_cast<double>(usage.ru_maxrss) / 1024;
    return false;
  }

  double timeout_;
  std::vector<IsolatedRun> *runs_;
  std::vector<Child> children_;
};

} // namespace

std::vector<IsolatedRun> runIsolated(std::size_t count, unsigned parallel, double timeoutSeconds,
                                     const std::function<std::string(std::size_t)> &task,
                                     const std::function<void(std::size_t)> &finished) {
  std::vector<IsolatedRun> runs(count);
  Pool pool(timeoutSeconds, runs);
  for (std::size_t next = 0; next != count || pool.size() != 0;) {
    while (next != count && pool.size() < parallel)
      pool.start(next++, task);
    for (const std::size_t index : pool.step())
      finished(index);
  }
  return runs;
}

} // namespace streammap
