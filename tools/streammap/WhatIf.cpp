// streammap whatif: the same program on changed clusters, as a table, JSON or a page.
#include "whatif/WhatIf.h"
#include "Commands.h"
#include "model/TaskGraphJson.h"
#include "support/Files.h"
#include <CLI/CLI.hpp>
#include <cstdio>

namespace streammap {
namespace {

struct WhatIfCommandOptions {
  std::string tasks, cluster;
  std::vector<std::string> settings;
  WhatIfOptions study;
  std::string effort = "fast";
  std::string format = "text";
  std::string output = "-";
  std::string diagnostics = "text";
};

Expected<std::string> formatted(const WhatIf &study, const std::string &format) {
  if (format == "json")
    return toJson(study);
  if (format == "html")
    return toHtml(study);
  return toText(study);
}

ExitCode whatIfCommand(const WhatIfCommandOptions &options, const std::vector<Axis> &axes) {
  const Expected<std::string> tasksText = readFile(options.tasks);
  if (!tasksText)
    return environmentFailure(tasksText.error().message);
  const Expected<std::string> clusterText = readFile(options.cluster);
  if (!clusterText)
    return environmentFailure(clusterText.error().message);
  Diagnostics diagnostics;
  const std::optional<TaskGraph> graph = readTaskGraph(*tasksText, options.tasks, diagnostics);
  std::optional<WhatIf> study;
  if (graph)
    study = whatIf(*graph, *clusterText, options.cluster, axes, options.study, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!study)
    return ExitCode::inputErrors;
  const Expected<std::string> text = formatted(*study, options.format);
  if (!text)
    return environmentFailure(text.error().message);
  if (const Expected<void> written = writeFileWhole(options.output, *text); !written)
    return environmentFailure(written.error().message);
  if (const std::optional<std::string> &whyNot = study->rows.front().whyNot) {
    std::fprintf(stderr, "streammap: no placement on the cluster as it is: %s\n", whyNot->c_str());
    return ExitCode::noPlacement;
  }
  return ExitCode::done;
}

} // namespace

void addWhatIfCommand(CLI::App &app, ExitCode &exitCode) {
  CLI::App *command = app.add_subcommand("whatif", "Map the same tasks on changed clusters and compare");
  auto options = std::make_shared<WhatIfCommandOptions>();
  std::vector<std::string> names;
  for (const Strategy &strategy : strategies())
    names.emplace_back(strategy.name);
  command->add_option("tasks", options->tasks, "task graph; - is standard input")->required();
  command->add_option("--cluster", options->cluster, "cluster file")->required();
  command
      ->add_option("--set", options->settings,
                   "PATH=VALUE[,VALUE...]: what to change; several make a grid (docs/whatif.md)")
      ->allow_extra_args(false)
      ->required();
  command->add_option("--strategy", options->study.map.strategy, "how to search; see map --list-strategies")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_option("--seed", options->study.map.seed, "seed of strategies that draw numbers")
      ->check(CLI::Range(0.0, 9007199254740992.0, "a whole number from 0 to 2^53"))
      ->capture_default_str();
  command->add_option("--effort", options->effort, "of each mapping: fast, normal or thorough")
      ->check(CLI::IsMember({"fast", "normal", "thorough"}))
      ->capture_default_str();
  command->add_option("--format", options->format, "text, json or html")
      ->check(CLI::IsMember({"text", "json", "html"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "file to write; - is standard output")
      ->capture_default_str();
  command->add_option("--diagnostics", options->diagnostics, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->footer("Example: streammap whatif app.tasks.json --cluster pod.json "
                  "--set 'node_types.*.nics.bandwidth=100Gb/s,200Gb/s' --set nodes=+8,-8");
  command->callback([options, &exitCode] {
    options->study.map.effort = options->effort == "fast"     ? Effort::fast
                                : options->effort == "normal" ? Effort::normal
                                                              : Effort::thorough;
    std::vector<Axis> axes;
    for (const std::string &setting : options->settings) {
      const Expected<Axis> axis = parseAxis(setting);
      if (!axis)
        throw CLI::ValidationError("--set", axis.error().message);
      axes.push_back(*axis);
    }
    exitCode = whatIfCommand(*options, axes);
  });
}

} // namespace streammap
