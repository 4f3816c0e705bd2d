// streammap import: other people's scheduling problems as a task graph and a cluster file.
#include "interchange/Import.h"
#include "Commands.h"
#include "model/ClusterJson.h"
#include "model/TaskGraphJson.h"
#include "support/Files.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <cstdio>

namespace streammap {
namespace {

struct ImportCommandOptions {
  std::string input;
  std::string output = "-";
  std::string clusterOutput;
  std::string bandwidth;
  std::size_t processors = 0;
  ImportOptions import;
  bool listFormats = false;
  bool quiet = false;
  std::string diagnostics = "text";
};

void printFormats() {
  for (const ImportFormat &format : importFormats())
    std::printf("%-12s %s\n", std::string(format.name).c_str(), std::string(format.description).c_str());
}

ExitCode wrongUsage(const std::string &message) {
  std::fprintf(stderr, "streammap: %s\nRun with --help for more information.\n", message.c_str());
  return ExitCode::wrongUsage;
}

void printSummary(const ImportedProblem &problem) {
  std::fprintf(stderr, "%zu tasks, %zu dependencies", problem.graph.tasks.size(),
               problem.graph.dependencies.size());
  if (problem.cluster)
    std::fprintf(stderr, "; %zu nodes with %zu devices", problem.cluster->nodes.size(),
                 problem.cluster->devices.size());
  if (problem.optimum)
    std::fprintf(stderr, "; the file says that the optimum is %s s",
                 shortest(problem.optimum->value()).c_str());
  std::fprintf(stderr, "\n");
  for (const std::string &note : problem.notes)
    std::fprintf(stderr, "note: %s\n", note.c_str());
}

ExitCode importCommand(const ImportCommandOptions &options) {
  const Expected<std::string> text = readFile(options.input);
  if (!text)
    return environmentFailure(text.error().message);
  Diagnostics diagnostics;
  const std::optional<ImportedProblem> problem =
      importProblem(*text, options.input == "-" ? "<stdin>" : options.input, options.import, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!problem)
    return ExitCode::inputErrors;
  if (!options.clusterOutput.empty() && !problem->cluster)
    return wrongUsage(options.input + " does not say how many processors it is for; give --processors");
  if (!options.clusterOutput.empty())
    if (const Expected<void> written = writeFileWhole(options.clusterOutput, writeCluster(*problem->cluster));
        !written)
      return environmentFailure(written.error().message);
  if (const Expected<void> written = writeFileWhole(options.output, writeTaskGraph(problem->graph)); !written)
    return environmentFailure(written.error().message);
  if (!options.quiet)
    printSummary(*problem);
  return ExitCode::done;
}

} // namespace

void addImportCommand(CLI::App &app, ExitCode &exitCode) {
  CLI::App *command = app.add_subcommand(
      "import", "Turn another tool's scheduling problem into a task graph and a cluster file");
  auto options = std::make_shared<ImportCommandOptions>();
  std::vector<std::string> names{"auto"};
  for (const ImportFormat &format : importFormats())
    names.emplace_back(format.name);
  CLI::Option *input = command->add_option("file", options->input, "the problem; - is standard input");
  command->add_option("-o,--output", options->output, "task graph to write; - is standard output")
      ->capture_default_str();
  command->add_option("--cluster-output", options->clusterOutput, "cluster file to write");
  command->add_option("--format", options->import.format, "auto: by content; see --list-formats")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  CLI::Option *processors =
      command->add_option("--processors", options->processors, "how many, where the file leaves that open")
          ->check(CLI::Range(1, 1000000));
  CLI::Option *bandwidth = command->add_option("--bandwidth", options->bandwidth,
                                               "of each machine's link, where sizes are bytes: 100MB/s");
  command->add_flag("--list-formats", options->listFormats, "print the formats and stop");
  command->add_flag("-q,--quiet", options->quiet, "no summary on standard error");
  command->add_option("--diagnostics", options->diagnostics, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->footer(
      "Example: streammap import rand0000.stg --processors 4 -o graph.tasks.json --cluster-output "
      "cluster.json");
  command->callback([options, input, processors, bandwidth, &exitCode] {
    if (options->listFormats)
      return printFormats();
    if (input->count() == 0)
      throw CLI::RequiredError("file");
    if (processors->count() != 0)
      options->import.processors = options->processors;
    if (bandwidth->count() != 0) {
      const Expected<BytesPerSecond> speed = parseBytesPerSecond(options->bandwidth);
      if (!speed || *speed <= BytesPerSecond())
        throw CLI::ValidationError("--bandwidth", speed ? "must be above 0" : speed.error().message);
      options->import.bandwidth = *speed;
    }
    exitCode = importCommand(*options);
  });
}

} // namespace streammap
