// streammap: the command people type. Each subcommand is a file; see Commands.h.
#include "Commands.h"
#include <CLI/CLI.hpp>

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
  // One line per subcommand: addXCommand(app, exitCode);
  addMapCommand(app, exitCode);
  addReportCommand(app, exitCode);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::wrongUsage);
  }
  return static_cast<int>(exitCode);
}
