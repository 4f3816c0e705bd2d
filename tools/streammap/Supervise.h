#pragma once
// Starts one rank of a program and says what became of it:
//
//   streammap: error: rank 2 (node n003) was killed by signal 9 (Killed) while running task gemm[2,1,0] on
//   device 1
//
// Launchers end the other ranks when one fails, but none knows what it was doing. So every rank is started by
// a supervisor, which shares a page of memory with it.
#include <map>
#include <string>
#include <vector>

namespace streammap {

/// Runs `command` (its first word is the program's path) with `environment` added to ours, and waits. SIGINT
/// and SIGTERM are passed on. Returns the program's exit code; 4 when a signal ended it, after saying so; 128
/// + signal when it was we who were asked to end it. When our own parent is gone (a launcher that was
/// killed), the program is ended too: no rank is left behind on its node.
int superviseRank(const std::vector<std::string> &command,
                  const std::map<std::string, std::string> &environment);

/// A process that is passed our SIGINT and SIGTERM, is asked to end after `timeoutSeconds` (0: never), made
/// to end 5 s later, and ends when we do. `timedOut` says whether it came to that.
struct ChildEnd {
  int status = 0; ///< as waitpid gives it
  bool timedOut = false;
  int passedOn = 0;    ///< the last signal we were sent, 0 if none
  std::string heard{}; ///< the last 64 KiB of its standard error, if we listened
};

/// toErrors: what it writes to standard error passes through us, unchanged, and is remembered.
enum class Listen { no, toErrors };
ChildEnd runChild(const std::vector<std::string> &command,
                  const std::map<std::string, std::string> &environment, double timeoutSeconds,
                  Listen listen = Listen::no);

} // namespace streammap
