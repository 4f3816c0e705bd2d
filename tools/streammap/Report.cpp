// streammap report: a placement as text, JSON, HTML or trace.
#include "Commands.h"
#include "Load.h"
#include "model/Violations.h"
#include "report/Formats.h"
#include "report/MeasuredTrace.h"
#include "support/Files.h"
#include <CLI/CLI.hpp>
#include <cstdio>

namespace streammap {
namespace {

struct ReportOptions {
  PlacementFiles files;
  std::string format = "text";
  std::string output = "-";
  std::string measured;
  std::string diagnostics = "text";
};

Expected<std::string> formatted(const ReportData &data, const std::string &format) {
  if (format == "json")
    return toJson(data);
  if (format == "html")
    return toHtml(data);
  if (format == "trace")
    return toTrace(data);
  return toText(data);
}

/// An error per violation: a placement that cannot be run is not worth a page.
void requireFeasible(const LoadedPlacement &loaded, const std::string &file, Diagnostics &diagnostics) {
  for (const Violation &violation : findViolations(loaded.graph, loaded.cluster, loaded.placement))
    diagnostics.error({file, 0, 0, ""}, violation.message, "infeasible-placement");
}

ExitCode report(const ReportOptions &options) {
  Diagnostics diagnostics;
  const Expected<std::optional<LoadedPlacement>> loaded = loadPlacement(options.files, diagnostics);
  if (!loaded)
    return environmentFailure(loaded.error().message);
  if (*loaded)
    requireFeasible(**loaded, options.files.placement, diagnostics);

  std::optional<MeasuredRun> measured;
  if (!options.measured.empty()) {
    const Expected<std::string> text = readFile(options.measured);
    if (!text)
      return environmentFailure(text.error().message);
    measured = readMeasuredTrace(*text, options.measured, diagnostics);
  }
  printDiagnostics(diagnostics, options.diagnostics);
  if (diagnostics.hasErrors())
    return ExitCode::inputErrors;

  const ReportData data =
      collect((*loaded)->graph, (*loaded)->cluster, (*loaded)->placement, measured ? &*measured : nullptr);
  const Expected<std::string> text = formatted(data, options.format);
  if (!text)
    return environmentFailure(text.error().message);
  if (const Expected<void> written = writeFileWhole(options.output, *text); !written)
    return environmentFailure(written.error().message);
  return ExitCode::done;
}

} // namespace

void addReportCommand(CLI::App &app, ExitCode &exitCode) {
  CLI::App *command =
      app.add_subcommand("report", "Show a placement: who runs what and when, and what limits it");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("placement", options->files.placement, "placement to show; - is standard input")
      ->required();
  command->add_option("--format", options->format, "text, json, html or trace")
      ->check(CLI::IsMember({"text", "json", "html", "trace"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "file to write; - is standard output")
      ->capture_default_str();
  command->add_option("--measured", options->measured,
                      "trace of a run (streammap run --trace) to compare with");
  command->add_option("--tasks", options->files.tasks, "task graph, instead of the one the placement names");
  command->add_option("--cluster", options->files.cluster, "cluster, instead of the one the placement names");
  command->add_option("--diagnostics", options->diagnostics, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->footer("Example: streammap report app.placement.json --format html -o app.html");
  command->callback([options, &exitCode] { exitCode = report(*options); });
}

} // namespace streammap
