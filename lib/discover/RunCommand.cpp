#include "discover/RunCommand.h"
#include "support/Text.h"
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace streammap {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read = -1, write = -1;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  static void close(int &end) {
    if (end >= 0)
      ::close(end);
    end = -1;
  }
  ~Pipe() {
    close(read);
    close(write);
  }
};

/// The child's three streams, served until both outputs are closed or time is over.
class Exchange {
public:
  Exchange(Pipe &in, Pipe &out, Pipe &err, const Command &command, Clock::time_point end)
      : in_(in), out_(out), err_(err), command_(command), end_(end) {}

  /// False when the limit came first.
  bool serve(CommandResult &result) {
    ::fcntl(in_.write, F_SETFL, O_NONBLOCK);
    if (command_.input.empty())
      Pipe::close(in_.write);
    while (out_.read >= 0 || err_.read >= 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now()).count();
      if (left <= 0)
        return false;
      std::array<pollfd, 3> ends{{{out_.read, POLLIN, 0}, {err_.read, POLLIN, 0}, {in_.write, POLLOUT, 0}}};
      if (::poll(ends.data(), ends.size(), static_cast<int>(std::min<long long>(left, 60000))) < 0 &&
          errno != EINTR)
        return true;
      take(ends[0], out_, result.output);
      take(ends[1], err_, result.errors);
      give(ends[2]);
    }
    return true;
  }

private:
  static void take(const pollfd &end, Pipe &pipe, std::string &text) {
    if (end.fd < 0 || end.revents == 0)
      return;
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(pipe.read, buffer.data(), buffer.size());
    if (got > 0)
      text.append(buffer.data(), static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      Pipe::close(pipe.read);
  }

  void give(const pollfd &end) {
    if (end.fd < 0 || end.revents == 0)
      return;
    const ssize_t put = ::write(in_.write, command_.input.data() + sent_, command_.input.size() - sent_);
    if (put > 0)
      sent_ += static_cast<std::size_t>(put);
    if (sent_ == command_.input.size() || (put < 0 && errno != EINTR && errno != EAGAIN))
      Pipe::close(in_.write);
  }

  Pipe &in_, &out_, &err_;
  const Command &command_;
  Clock::time_point end_;
  std::size_t sent_ = 0;
};

/// Whether the child ended before `end`; its status then is in `status`.
bool waitUntil(pid_t child, Clock::time_point end, int &status) {
  while (true) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR))
      return true;
    if (Clock::now() >= end)
      return false;
    ::usleep(2000);
  }
}

pid_t start(const Command &command, const Pipe &in, const Pipe &out, const Pipe &err, int &error) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); // so that its children can be ended with it
  std::vector<char *> argv;
  for (const std::string &argument : command.arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  error = ::posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

} // namespace

Expected<CommandResult> SystemCommands::run(const Command &command) {
  const std::string &name = command.arguments.at(0);
  const Clock::time_point end =
      Clock::now() + std::chrono::milliseconds(static_cast<long long>(command.limit.inMilliseconds()));
  // A child that closes its input early must not end us.
  static const bool ignored = [] { return std::signal(SIGPIPE, SIG_IGN) != SIG_ERR; }();
  Pipe in, out, err;
  if (!ignored || !in.open() || !out.open() || !err.open())
    return failure("cannot start " + name + ": " + std::strerror(errno));
  int error = 0;
  const pid_t child = start(command, in, out, err, error);
  if (error != 0)
    return failure("cannot start " + name + ": " + std::strerror(error));
  Pipe::close(in.read);
  Pipe::close(out.write);
  Pipe::close(err.write);
  CommandResult result;
  int status = 0;
  if (!Exchange(in, out, err, command, end).serve(result) || !waitUntil(child, end, status)) {
    ::kill(-child, SIGKILL);
    ::waitpid(child, &status, 0);
    return failure(name + " gave no answer within " + toText(command.limit));
  }
  result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

} // namespace streammap
