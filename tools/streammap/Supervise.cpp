#include "Supervise.h"
#include "streammap/StatusPage.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace streammap {
namespace {

/// Blocks the signals we wait for with sigtimedwait, and restores the mask.
class BlockedSignals {
public:
  BlockedSignals() {
    sigemptyset(&set_);
    for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP})
      sigaddset(&set_, signal);
    sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  ~BlockedSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals &) = delete;
  BlockedSignals &operator=(const BlockedSignals &) = delete;
  const sigset_t &set() const { return set_; }
  const sigset_t &before() const { return before_; }

private:
  sigset_t set_, before_;
};

/// Passes a child's standard error on to ours and keeps the end of it. Inactive unless asked to listen.
class ErrorListener {
public:
  explicit ErrorListener(Listen listen) {
    if (listen == Listen::toErrors && pipe2(ends_, O_CLOEXEC) != 0)
      ends_[0] = ends_[1] = -1;
  }
  /// In the child, before exec.
  void redirect() const {
    if (ends_[1] >= 0)
      dup2(ends_[1], STDERR_FILENO);
  }
  /// In the parent, once the child has its end.
  void start() {
    if (ends_[1] < 0)
      return;
    close(ends_[1]);
    thread_ = std::thread([this] { passOn(); });
  }
  /// Once the child has ended. Processes it left behind may hold the pipe open: they are not waited for.
  std::string finish() {
    if (!thread_.joinable())
      return {};
    stopping_ = true;
    thread_.join();
    close(ends_[0]);
    return std::move(heard_);
  }

private:
  void passOn() {
    constexpr std::size_t kept = 64 << 10;
    char buffer[4096];
    for (;;) {
      pollfd ready{ends_[0], POLLIN, 0};
      const bool last = stopping_;
      if (poll(&ready, 1, last ? 0 : 100) <= 0) {
        if (last)
          return;
        continue;
      }
      const ssize_t got = read(ends_[0], buffer, sizeof buffer);
      if (got <= 0)
        return;
      (void)!write(STDERR_FILENO, buffer, static_cast<std::size_t>(got));
      heard_.append(buffer, static_cast<std::size_t>(got));
      if (heard_.size() > 2 * kept)
        heard_.erase(0, heard_.size() - kept);
    }
  }

  int ends_[2] = {-1, -1};
  std::atomic<bool> stopping_ = false;
  std::string heard_;
  std::thread thread_;
};

[[noreturn]] void becomeProgram(const std::vector<std::string> &command,
                                const std::map<std::string, std::string> &environment, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(4); // the parent ended in between
  for (const auto &[name, value] : environment)
    setenv(name.c_str(), value.c_str(), 1);
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  std::fprintf(stderr, "streammap: error: cannot start %s: %s\n", command[0].c_str(), std::strerror(errno));
  _exit(4);
}

double secondsSince(const timespec &start) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec - start.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - start.tv_nsec);
}

/// Whose end is also the child's.
enum class EndsWithParent { no, yes };

ChildEnd superviseChild(const std::vector<std::string> &command,
                        const std::map<std::string, std::string> &environment, double timeoutSeconds,
                        Listen listen, EndsWithParent endsWithParent) {
  constexpr double graceSeconds = 5;
  const BlockedSignals signals;
  ErrorListener listener(listen);
  const pid_t parent = getpid(), grandparent = getppid(), child = fork();
  if (child < 0) {
    std::fprintf(stderr, "streammap: error: cannot start a process: %s\n", std::strerror(errno));
    return {4 << 8, false, 0};
  }
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &signals.before(), nullptr);
    listener.redirect();
    becomeProgram(command, environment, parent);
  }
  listener.start();
  ChildEnd end;
  timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (;;) {
    if (waitpid(child, &end.status, WNOHANG) == child) {
      // Launchers end a rank and its supervisor together: the signal may be here although the child was
      // faster.
      const timespec now{0, 0};
      for (int signal = 0; (signal = sigtimedwait(&signals.set(), nullptr, &now)) > 0;)
        if (signal != SIGCHLD)
          end.passedOn = signal;
      end.heard = listener.finish();
      return end;
    }
    const timespec tick{0, 100'000'000};
    const int signal = sigtimedwait(&signals.set(), nullptr, &tick);
    if (signal > 0 && signal != SIGCHLD) {
      end.passedOn = signal;
      kill(child, signal);
    }
    if (endsWithParent == EndsWithParent::yes && getppid() != grandparent) {
      end.passedOn = SIGKILL;
      kill(child, SIGKILL);
    }
    if (timeoutSeconds <= 0)
      continue;
    const double elapsed = secondsSince(start);
    if (elapsed > timeoutSeconds && !end.timedOut) {
      end.timedOut = true;
      kill(child, SIGTERM);
    }
    if (elapsed > timeoutSeconds + graceSeconds)
      kill(child, SIGKILL);
  }
}

} // namespace

ChildEnd runChild(const std::vector<std::string> &command,
                  const std::map<std::string, std::string> &environment, double timeoutSeconds,
                  Listen listen) {
  return superviseChild(command, environment, timeoutSeconds, listen, EndsWithParent::no);
}

int superviseRank(const std::vector<std::string> &command,
                  const std::map<std::string, std::string> &environment) {
  using engine::StatusRecord;
  std::map<std::string, std::string> extended = environment;
  StatusRecord *record = nullptr;
  const int page = memfd_create("streammap-status", 0);
  if (page >= 0 && ftruncate(page, sizeof(StatusRecord)) == 0) {
    void *memory = mmap(nullptr, sizeof(StatusRecord), PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    if (memory != MAP_FAILED) {
      record = static_cast<StatusRecord *>(memory);
      extended[engine::statusVariable] = std::to_string(page);
    }
  }
  const ChildEnd end = superviseChild(command, extended, 0, Listen::no, EndsWithParent::yes);
  if (WIFEXITED(end.status))
    return WEXITSTATUS(end.status);
  const int signal = WTERMSIG(end.status);
  if (end.passedOn)
    return 128 + signal;
  const bool identified = record && record->node[0];
  std::fprintf(stderr, "streammap: error: %s was killed by signal %d (%s)%s\n",
               identified ? engine::describeRank(*record).c_str() : command[0].c_str(), signal,
               strsignal(signal), record ? engine::describeTasks(*record).c_str() : "");
  return 4;
}

} // namespace streammap
