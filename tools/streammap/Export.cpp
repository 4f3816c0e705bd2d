// streammap export: a placement for other task systems. A target is a row of exportTargets().
#include "interchange/Export.h"
#include "Commands.h"
#include "Load.h"
#include "launch/LaunchFiles.h"
#include "support/Files.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <cstdio>

namespace streammap {
namespace {

struct ExportCommandOptions {
  PlacementFiles files;
  std::string target;
  std::string output = "-";
  std::string diagnostics = "text";
  bool listTargets = false;
};

void printTargets() {
  for (const ExportTarget &target : exportTargets())
    std::printf("%-12s %s\n", std::string(target.name).c_str(), std::string(target.description).c_str());
}

ExitCode unknownTarget(const std::string &name) {
  std::vector<std::string_view> names;
  for (const ExportTarget &target : exportTargets())
    names.push_back(target.name);
  const std::string remedy = findLaunchTarget(name)
                                 ? "; 'streammap launch-files --to " + name + "' writes its files"
                                 : didYouMean(name, names);
  std::fprintf(stderr, "streammap: --to: expected one of %s, found '%s'%s\n", join(names, ", ").c_str(),
               name.c_str(), remedy.c_str());
  return ExitCode::wrongUsage;
}

/// The ranks that 'streammap run' and 'launch-files' start on the nodes.
std::map<std::string, unsigned> ranksByNode(const LoadedPlacement &loaded) {
  const LaunchPlan plan =
      planRanks(nodesInUse(loaded.placement, loaded.cluster), &loaded.cluster, RanksPer::node);
  std::map<std::string, unsigned> ranks;
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank)
    ranks[plan.ranks[rank].node] = static_cast<unsigned>(rank);
  return ranks;
}

ExitCode exportCommand(const ExportCommandOptions &options) {
  const ExportTarget *target = findExportTarget(options.target);
  if (!target)
    return unknownTarget(options.target);
  Diagnostics diagnostics;
  const Expected<std::optional<LoadedPlacement>> loaded = loadPlacement(options.files, diagnostics);
  if (!loaded)
    return environmentFailure(loaded.error().message);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!*loaded)
    return ExitCode::inputErrors;
  const LoadedPlacement &files = **loaded;
  const std::string text =
      target->write(placedTasks(files.graph, files.cluster, files.placement, ranksByNode(files)));
  if (const Expected<void> written = writeFileWhole(options.output, text); !written)
    return environmentFailure(written.error().message);
  return ExitCode::done;
}

} // namespace

void addExportCommand(CLI::App &app, ExitCode &exitCode) {
  CLI::App *command =
      app.add_subcommand("export", "Write a placement for StarPU, OpenMP, CUDASTF, or as a table");
  auto options = std::make_shared<ExportCommandOptions>();
  CLI::Option *placement =
      command->add_option("placement", options->files.placement, "placement; - is standard input");
  CLI::Option *target = command->add_option("--to", options->target, "see --list-targets");
  command->add_option("-o,--output", options->output, "file to write; - is standard output")
      ->capture_default_str();
  command->add_option("--tasks", options->files.tasks, "task graph, when it is not where the placement says");
  command->add_option("--cluster", options->files.cluster, "cluster file, likewise");
  command->add_flag("--list-targets", options->listTargets, "print the targets and stop");
  command->add_option("--diagnostics", options->diagnostics, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->footer("Example: streammap export app.placement.json --to starpu -o app_placement.h");
  command->callback([options, placement, target, &exitCode] {
    if (options->listTargets)
      return printTargets();
    if (placement->count() == 0)
      throw CLI::RequiredError("placement");
    if (target->count() == 0)
      throw CLI::RequiredError("--to");
    exitCode = exportCommand(*options);
  });
}

} // namespace streammap
