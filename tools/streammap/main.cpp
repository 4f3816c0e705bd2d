// streammap: the command people type. Each subcommand is a file; see Commands.h.
#include "Commands.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>

namespace {

/// "unknown command 'mpa'; did you mean 'map'?", or nothing when `word` is a command or a flag.
std::string whyNoCommand(const CLI::App &app, const std::string &word) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands({}))
    names.push_back(command->get_name());
  if (word.empty() || word.starts_with("-") || std::ranges::find(names, word) != names.end())
    return "";
  return "unknown command '" + word + "'" + streammap::didYouMean(word, names);
}

} // namespace

int main(int argc, char *argv[]) {
  using namespace streammap;
  CLI::App app("Compile-time task mapping for CUDA programs on GPU clusters.\n\n"
               "  streammap annotate app.cu -o app.tasks.json\n"
               "  streammap map app.tasks.json --cluster cluster.json -o app.placement.json\n"
               "  streammap report app.placement.json",
               "streammap");
  app.require_subcommand(1);
  app.set_version_flag("--version", "streammap " STREAMMAP_VERSION);
  ExitCode exitCode = ExitCode::done;
  // What follows "--" is for a compiler or the program that is run, and none of our business.
  char **dashes = std::find(argv, argv + argc, std::string_view("--"));
  const std::vector<std::string> passedOn(std::min(dashes + 1, argv + argc), argv + argc);
  // One line per subcommand: addXCommand(app, exitCode);
  addAnnotateCommands(app, passedOn, exitCode);
  addImportCommand(app, exitCode);
  addMapCommand(app, exitCode);
  addReportCommand(app, exitCode);
  addLaunchFilesCommand(app, passedOn, exitCode);
  addDoctorCommand(app, exitCode);
  addExportCommand(app, exitCode);
  addExplainCommand(app, exitCode);
  addWhatIfCommand(app, exitCode);
  addSimulateCommand(app, exitCode);
  addDiscoverCommand(app, exitCode);
  addWatchCommand(app, exitCode);
#ifdef STREAMMAP_BUILD_AND_RUN
  addBuildCommand(app, passedOn, exitCode);
  addRunCommand(app, passedOn, exitCode);
  addSubmitCommand(app, passedOn, exitCode);
#endif
  if (const std::string why = whyNoCommand(app, argc > 1 ? argv[1] : ""); !why.empty()) {
    std::fprintf(stderr, "streammap: %s\nRun with --help for more information.\n", why.c_str());
    return static_cast<int>(ExitCode::wrongUsage);
  }
  try {
    app.parse(static_cast<int>(dashes - argv), argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::wrongUsage);
  }
  return static_cast<int>(exitCode);
}
