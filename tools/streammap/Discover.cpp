// streammap discover: the cluster file from what the machine, its scheduler and its tools say; its check; its
// states.
#include "Commands.h"
#include "GatherSources.h"
#include "discover/CheckCluster.h"
#include "discover/State.h"
#include "model/ClusterJson.h"
#include "model/GpuCatalogue.h"
#include "support/Files.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <cstdio>

namespace streammap {
namespace {

struct DiscoverOptions {
  SourceOptions sources;
  std::string output = "-";
  std::string check, state, name, gpus;
  bool listKinds = false, quiet = false;
  std::string diagnostics = "text";
};

void printKinds() {
  for (const SourceKind &kind : sourceKinds())
    std::printf("%-18s %s\n", std::string(kind.name).c_str(), std::string(kind.description).c_str());
}

void printList(const char *heading, const std::vector<std::string> &texts) {
  for (const std::string &text : texts)
    std::fprintf(stderr, "%s: %s\n", heading, text.c_str());
}

/// "8xH100-SXM5-80GB" of --gpus.
std::optional<AssumedGpus> readAssumedGpus(const std::string &text, Diagnostics &diagnostics) {
  const std::size_t x = text.find('x');
  AssumedGpus gpus;
  const std::string count = text.substr(0, x);
  const bool isCount =
      !count.empty() && count.size() < 5 && count.find_first_not_of("0123456789") == std::string::npos;
  if (x == std::string::npos || !isCount || std::stoul(count) == 0 || std::stoul(count) > 1024) {
    diagnostics.error({"--gpus", 0, 0, {}}, "expected a number and a model, \"8xH100-SXM5-80GB\", found '" +
                                                abbreviated(text) + "'");
    return std::nullopt;
  }
  gpus.count = static_cast<unsigned>(std::stoul(count));
  gpus.model = text.substr(x + 1);
  if (catalogueModel(gpus.model))
    return gpus;
  diagnostics.error({"--gpus", 0, 0, {}}, "unknown GPU model '" + abbreviated(gpus.model) +
                                              "'; the nearest are " +
                                              join(nearestCatalogueNames(gpus.model), ", "));
  return std::nullopt;
}

ExitCode checkCommand(const DiscoverOptions &options) {
  const Expected<std::string> text = readFile(options.check);
  if (!text)
    return environmentFailure(text.error().message);
  Diagnostics diagnostics;
  if (const std::optional<Cluster> cluster = readCluster(*text, options.check, diagnostics)) {
    checkCluster(*cluster, options.check, diagnostics);
    if (!options.quiet) {
      for (const std::string &free : cluster->takenAsFree)
        std::fprintf(stderr, "note: %s\n", free.c_str());
      std::fprintf(stderr, "%s: %zu nodes, %zu devices, %zu switches\n", options.check.c_str(),
                   cluster->nodes.size(), cluster->devices.size(), cluster->network.switches.size());
    }
  }
  printDiagnostics(diagnostics, options.diagnostics);
  return diagnostics.hasErrors() ? ExitCode::inputErrors : ExitCode::done;
}

/// Where the new text goes: over the file that was refreshed unless -o says otherwise.
ExitCode stateCommand(const DiscoverOptions &options, bool hasOutput) {
  const Expected<std::string> text = readFile(options.state);
  if (!text)
    return environmentFailure(text.error().message);
  Diagnostics diagnostics;
  std::optional<Cluster> cluster = readCluster(*text, options.state, diagnostics);
  const Expected<std::vector<Findings>> sources = gatherSources(options.sources, diagnostics);
  if (!sources) {
    printDiagnostics(diagnostics, options.diagnostics);
    return environmentFailure(sources.error().message);
  }
  StateRefresh refresh;
  if (cluster && !diagnostics.hasErrors())
    refresh = refreshState(*cluster, *sources, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!cluster || diagnostics.hasErrors())
    return ExitCode::inputErrors;
  const std::string output = hasOutput ? options.output : options.state;
  if (const Expected<void> written = writeFileWhole(output, writeCluster(*cluster)); !written)
    return environmentFailure(written.error().message);
  if (!options.quiet) {
    for (const StateChange &change : refresh.changes)
      std::fprintf(stderr, "%s\n", toText(change).c_str());
    printList("unknown", refresh.unknown);
    std::fprintf(stderr, "%zu state%s changed\n", refresh.changes.size(),
                 refresh.changes.size() == 1 ? "" : "s");
  }
  return ExitCode::done;
}

ExitCode discoverCommand(const DiscoverOptions &options) {
  Diagnostics diagnostics;
  MergeOptions merging;
  merging.clusterName = options.name;
  if (!options.gpus.empty())
    merging.assumedGpus = readAssumedGpus(options.gpus, diagnostics);
  const Expected<std::vector<Findings>> sources = gatherSources(options.sources, diagnostics);
  if (!sources) {
    printDiagnostics(diagnostics, options.diagnostics);
    return environmentFailure(sources.error().message);
  }
  std::optional<Discovery> found;
  if (!diagnostics.hasErrors())
    found = merge(*sources, merging, diagnostics);
  if (found)
    checkCluster(found->cluster, options.output == "-" ? "the cluster" : options.output, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!found || diagnostics.hasErrors())
    return ExitCode::inputErrors;
  if (const Expected<void> written = writeFileWhole(options.output, writeCluster(found->cluster)); !written)
    return environmentFailure(written.error().message);
  if (options.quiet)
    return ExitCode::done;
  printList("conflict", found->conflicts);
  printList("assumed", found->assumed);
  printList("unknown", found->unknown);
  std::fprintf(stderr, "%zu nodes of %zu types, %zu devices, %zu switches\n", found->cluster.nodes.size(),
               found->cluster.nodeTypes.size(), found->cluster.devices.size(),
               found->cluster.network.switches.size());
  return ExitCode::done;
}

} // namespace

void addDiscoverCommand(CLI::App &app, ExitCode &exitCode) {
  CLI::App *command = app.add_subcommand(
      "discover", "Write the cluster file of a real machine, check it, keep its states current");
  auto options = std::make_shared<DiscoverOptions>();
  addSourceOptions(*command, options->sources);
  CLI::Option *output =
      command->add_option("-o,--output", options->output, "cluster file to write; - is standard output")
          ->capture_default_str();
  CLI::Option *check =
      command->add_option("--check", options->check, "judge this cluster file and write nothing");
  CLI::Option *state = command->add_option(
      "--state", options->state, "refresh only the states in this cluster file, in place unless -o is given");
  check->excludes(state);
  command->add_option("--name", options->name, "name of the cluster");
  command->add_option("--gpus", options->gpus,
                      "what nodes hold that no source describes, \"8xH100-SXM5-80GB\"");
  command->add_flag("--list-kinds", options->listKinds, "print the kinds of sources and stop");
  command->add_flag("-q,--quiet", options->quiet, "no summary on standard error");
  command->add_option("--diagnostics", options->diagnostics, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  streammap discover -o cluster.json                         this machine\n"
      "  streammap discover --from slurm --hosts n[001-016] --via srun -o cluster.json\n"
      "  streammap discover --input nodes.txt topology.conf 'n[001-016]=topo.txt' -o cluster.json\n"
      "  streammap discover --state cluster.json --from slurm\n"
      "  streammap discover --check cluster.json");
  command->callback([options, output, check, state, &exitCode] {
    if (options->listKinds)
      printKinds();
    else if (check->count() != 0)
      exitCode = checkCommand(*options);
    else if (state->count() != 0)
      exitCode = stateCommand(*options, output->count() != 0);
    else
      exitCode = discoverCommand(*options);
  });
}

} // namespace streammap
