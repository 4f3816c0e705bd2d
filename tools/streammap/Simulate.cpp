// streammap simulate: SimGrid replays a placement; predicted against simulated.
#include "Commands.h"
#include "Load.h"
#include "model/Violations.h"
#include "referee/Replay.h"
#include "support/Files.h"
#include <CLI/CLI.hpp>

namespace streammap {
namespace {

struct SimulateOptions {
  PlacementFiles files;
  std::string format = "text";
  std::string output = "-";
  std::string diagnostics = "text";
};

ExitCode simulateCommand(const SimulateOptions &options) {
  Diagnostics diagnostics;
  const Expected<std::optional<LoadedPlacement>> loaded = loadPlacement(options.files, diagnostics);
  if (!loaded)
    return environmentFailure(loaded.error().message);
  if (*loaded)
    for (const Violation &violation :
         findViolations((*loaded)->graph, (*loaded)->cluster, (*loaded)->placement))
      diagnostics.error({options.files.placement, 0, 0, ""}, violation.message, "infeasible-placement");
  printDiagnostics(diagnostics, options.diagnostics);
  if (diagnostics.hasErrors())
    return ExitCode::inputErrors;
  const Expected<Replay> replay =
      replayWithSimGrid((*loaded)->graph, (*loaded)->cluster, (*loaded)->placement);
  if (!replay)
    return environmentFailure(replay.error().message);
  const std::string text = options.format == "json" ? toJson(*replay, (*loaded)->graph) : toText(*replay);
  if (const Expected<void> written = writeFileWhole(options.output, text); !written)
    return environmentFailure(written.error().message);
  return ExitCode::done;
}

} // namespace

void addSimulateCommand(CLI::App &app, ExitCode &exitCode) {
  CLI::App *command =
      app.add_subcommand("simulate", "Let SimGrid replay a placement: predicted against simulated makespan");
  auto options = std::make_shared<SimulateOptions>();
  command->add_option("placement", options->files.placement, "placement to replay; - is standard input")
      ->required();
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "file to write; - is standard output")
      ->capture_default_str();
  command->add_option("--tasks", options->files.tasks, "task graph, instead of the one the placement names");
  command->add_option("--cluster", options->files.cluster, "cluster, instead of the one the placement names");
  command->add_option("--diagnostics", options->diagnostics, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->footer("Example: streammap simulate app.placement.json");
  command->callback([options, &exitCode] { exitCode = simulateCommand(*options); });
}

} // namespace streammap
