#include "build/RunTool.h"
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace streammap {

Expected<ToolRun> runTool(const std::vector<std::string> &arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return failure("cannot start " + arguments[0] + ": " + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  ToolRun run;
  if (error == 0) {
    std::array<char, 4096> buffer;
    for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) != 0;) {
      if (got > 0)
        run.output.append(buffer.data(), static_cast<std::size_t>(got));
      else if (errno != EINTR)
        break;
    }
  }
  ::close(ends[0]);
  if (error != 0)
    return failure("cannot start " + arguments[0] + ": " + std::strerror(error));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  run.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

std::string commandLine(const std::vector<std::string> &arguments) {
  std::string line;
  for (const std::string &argument : arguments) {
    if (!line.empty())
      line += ' ';
    const bool plain =
        !argument.empty() && argument.find_first_of(" \t\"'\\$&|;<>()*?#`") == std::string::npos;
    line += plain ? argument : "'" + argument + "'";
  }
  return line;
}

} // namespace streammap
