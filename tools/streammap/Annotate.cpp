// streammap annotate and streammap check: both are streammap-annotate, the one program that holds Clang. It
// takes over this process, so that signals, output and exit codes are its own.
#include "Commands.h"
#include "build/Tools.h"
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace streammap {

static ExitCode becomeAnnotate(const std::string &subcommand, const std::vector<std::string> &arguments) {
  const Expected<std::string> program = findOwnFile(programFolder(), "streammap-annotate");
  if (!program)
    return environmentFailure(program.error().message);
  std::vector<std::string> words = {*program, subcommand};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program->c_str(), pointers.data());
  return environmentFailure("cannot start " + *program + ": " + std::strerror(errno));
}

static void addPassedOn(CLI::App &app, const std::vector<std::string> &afterDashes, ExitCode &exitCode,
                        const char *name, const char *description) {
  CLI::App *command = app.add_subcommand(name, description);
  command->set_help_flag(); // streammap-annotate has the flags and explains them
  command->prefix_command();
  command->callback([command, name, afterDashes, &exitCode] {
    std::vector<std::string> arguments = command->remaining();
    if (!afterDashes.empty()) {
      arguments.push_back("--");
      arguments.insert(arguments.end(), afterDashes.begin(), afterDashes.end());
    }
    exitCode = becomeAnnotate(name, arguments);
  });
}

void addAnnotateCommands(CLI::App &app, const std::vector<std::string> &passedOn, ExitCode &exitCode) {
  addPassedOn(app, passedOn, exitCode, "annotate",
              "Read sources with pragmas: write the task graph, the transformed source, or both");
  addPassedOn(app, passedOn, exitCode, "check", "Look for mistakes in the pragmas of sources");
}

} // namespace streammap
