#include "analysis/RunCompiler.h"
#include "support/Text.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace streammap {
namespace {

/// A pipe whose ends close themselves and do not leak into other children.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() { [[maybe_unused]] const int made = pipe2(ends.data(), O_CLOEXEC); }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  void closeEnd(std::size_t end) {
    if (ends[end] >= 0)
      close(ends[end]);
    ends[end] = -1;
  }
};

struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnSettings(int output, const std::string &directory) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    if (!directory.empty())
      posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes,
                              0); // a group of its own, so that its children can be ended with it
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  SpawnSettings &operator=(const SpawnSettings &) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

using Clock = std::chrono::steady_clock;

/// Everything until the end of the pipe; false if `deadline` came first.
bool readAll(int from, Clock::time_point deadline, std::string &text) {
  std::array<char, 4096> buffer;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd ready{from, POLLIN, 0};
    const int events = left.count() > 0 ? poll(&ready, 1, static_cast<int>(left.count())) : 0;
    if (events == 0)
      return false;
    const ssize_t count = events > 0 ? read(from, buffer.data(), buffer.size()) : -1;
    if (count > 0)
      text.append(buffer.data(), static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR)
      return true;
  }
}

} // namespace

std::string compilerOnPath(const std::string &program) {
  const char *path = std::getenv("PATH");
  for (const std::string_view folder : split(path ? path : "", ':')) {
    const std::string candidate = std::string(folder.empty() ? "." : folder) + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return {};
}

Expected<CompilerRun> runCompiler(const std::vector<std::string> &command, const std::string &directory,
                                  std::chrono::seconds limit) {
  Pipe pipe;
  if (pipe.ends[0] < 0)
    return failure("cannot start " + command[0] + ": " + std::strerror(errno));
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str())); // posix_spawn leaves them alone
  arguments.push_back(nullptr);
  pid_t child = 0;
  {
    const SpawnSettings settings(pipe.ends[1], directory);
    if (const int error = posix_spawnp(&child, arguments[0], &settings.actions, &settings.attributes,
                                       arguments.data(), environ))
      return failure("cannot start " + command[0] + ": " + std::strerror(error));
  }
  pipe.closeEnd(1);
  CompilerRun run;
  const bool finished = readAll(pipe.ends[0], Clock::now() + limit, run.output);
  if (!finished)
    kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!finished)
    return failure(command[0] + " was stopped after " + std::to_string(limit.count()) + " seconds");
  run.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

} // namespace streammap
