#pragma once
// Other programs, each under its own time limit: clients of a scheduler whose controller is gone wait for
// ever (Slurm's retry for a minute where its configuration is missing). Behind an interface, so that what is
// done with their output is tested without them.
//
//   Expected<CommandResult> result = runner.run({{"scontrol", "show", "node", "-d"}, "", seconds(20)});
#include "support/Expected.h"
#include "support/Units.h"
#include <string>
#include <vector>

namespace streammap {

struct Command {
  std::vector<std::string> arguments; ///< the program first, found on PATH
  std::string input;                  ///< its standard input
  Seconds limit = seconds(20);        ///< after which it and its children are killed
};

struct CommandResult {
  int exitCode = 0; ///< 128 + signal where one ended it
  std::string output;
  std::string errors;
};

class CommandRunner {
public:
  virtual ~CommandRunner() = default;
  /// Fails when the program cannot be started ("scontrol: No such file or directory") or outlives its limit.
  /// May be called from several threads at once.
  virtual Expected<CommandResult> run(const Command &command) = 0;
};

/// The real one: a process group of its own for each command.
class SystemCommands : public CommandRunner {
public:
  Expected<CommandResult> run(const Command &command) override;
};

} // namespace streammap
