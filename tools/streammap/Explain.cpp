// streammap explain: why a task runs where it does and what would change that; or what bounds the program.
#include "mapper/Explain.h"
#include "Commands.h"
#include "Load.h"
#include "mapper/Levers.h"
#include "model/Violations.h"
#include "report/Summary.h"
#include "support/Columns.h"
#include "support/Files.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace streammap {
namespace {

struct ExplainOptions {
  PlacementFiles files;
  std::string task;
  std::string format = "text";
  std::string output = "-";
  std::string diagnostics = "text";
};

using Json = nlohmann::ordered_json;

/// By id, else by name; nothing, and an error with the nearest right spelling, when there is none.
std::optional<TaskId> findTask(const TaskGraph &graph, const std::string &wanted, const std::string &file,
                               Diagnostics &diagnostics) {
  std::vector<std::string> known;
  std::vector<TaskId> named;
  for (TaskId task : graph.tasks.ids()) {
    if (graph.tasks[task].id == wanted)
      return task;
    if (graph.tasks[task].name == wanted)
      named.push_back(task);
    known.push_back(taskName(graph, task));
  }
  if (named.size() == 1)
    return named.front();
  if (named.empty()) {
    for (const Task &task : graph.tasks)
      known.push_back(task.id);
    diagnostics.error({file, 0, 0, ""},
                      "no task has the id or name '" + abbreviated(wanted) + "'" + didYouMean(wanted, known),
                      "unknown-id");
    return std::nullopt;
  }
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, named.size()); ++i)
    ids.push_back(graph.tasks[named[i]].id);
  diagnostics.error({file, 0, 0, ""},
                    std::to_string(named.size()) + " tasks are called '" + wanted +
                        "'; give the id of one: " + join(ids, ", ") +
                        (named.size() > ids.size() ? ", ..." : ""),
                    "ambiguous-name");
  return std::nullopt;
}

std::string chainText(const ReportData &data) {
  const Seconds total = data.predicted.makespan;
  auto share = [&](Seconds part) { return percent(total > Seconds() ? part / total : 0); };
  std::string out = wrapped("Makespan " + toText(total) + "; the chain that bounds it: compute " +
                                share(data.chainShares.compute) + ", transfers " +
                                share(data.chainShares.transfer) + ", idle " + share(data.chainShares.idle),
                            2, "  ");
  constexpr std::size_t shown = 16;
  const std::size_t n = data.chain.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (n > shown && i == shown / 2) {
      out += "      ... " + std::to_string(n - shown) + " steps; 'streammap report --format json' has all\n";
      i = n - shown / 2;
    }
    const ChainStep &step = data.chain[i];
    out += right(toText(step.start), 10) + right(toText(step.end - step.start), 9) + "  " +
           left(step.kind == ChainKind::idle ? "(idle)" : step.what, 18) + " " + left(step.where, 19) + " " +
           left(reasonText(step), 19);
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  return out;
}

std::string ratio(Seconds time, Seconds base) {
  return base > Seconds() ? significant(time / base) : "-";
}

std::string leversText(const Levers &all, Seconds predicted) {
  std::string out = "\nWhat would change it                                        makespan    ratio\n";
  for (const Lever &lever : all.levers)
    out += "  " + left(lever.what + (lever.mappedAgain ? ", remapped" : ""), 56) +
           right(toText(lever.makespan), 10) + right(ratio(lever.makespan, predicted), 9) + "\n";
  std::string note =
      "Each change by itself, all decisions kept or, where that is better, mapped again. Ratios "
      "are to the placement's " +
      toText(predicted);
  if (all.base != predicted)
    note += " (" + toText(all.base) + " when timed again)";
  return out + wrapped(note + ".", 2);
}

std::string wholeJson(const ReportData &data, const Levers &all) {
  Json chain = Json::array(), levers = Json::array();
  for (const ChainStep &step : data.chain)
    chain.push_back({{"kind", step.kind == ChainKind::task       ? "task"
                              : step.kind == ChainKind::transfer ? "transfer"
                                                                 : "idle"},
                     {"what", step.what},
                     {"where", step.where},
                     {"start_seconds", step.start.value()},
                     {"end_seconds", step.end.value()},
                     {"why", reasonText(step)}});
  for (const Lever &lever : all.levers)
    levers.push_back({{"what", lever.what},
                      {"makespan_seconds", lever.makespan.value()},
                      {"mapped_again", lever.mappedAgain}});
  const Json json = {{"schema", "streammap.explanation/1"},
                     {"predicted_makespan_seconds", data.predicted.makespan.value()},
                     {"retimed_makespan_seconds", all.base.value()},
                     {"chain_shares",
                      {{"compute_seconds", data.chainShares.compute.value()},
                       {"transfer_seconds", data.chainShares.transfer.value()},
                       {"idle_seconds", data.chainShares.idle.value()}}},
                     {"chain", std::move(chain)},
                     {"levers", std::move(levers)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string explainWhole(const LoadedPlacement &loaded, const Problem &problem, const std::string &format) {
  const ReportData data = collect(loaded.graph, loaded.cluster, loaded.placement);
  const Levers all = levers(problem, loaded.placement);
  return format == "json" ? wholeJson(data, all) : chainText(data) + leversText(all, data.predicted.makespan);
}

ExitCode explain(const ExplainOptions &options) {
  Diagnostics diagnostics;
  const Expected<std::optional<LoadedPlacement>> loaded = loadPlacement(options.files, diagnostics);
  if (!loaded)
    return environmentFailure(loaded.error().message);
  std::optional<TaskId> task;
  if (*loaded) {
    for (const Violation &violation :
         findViolations((*loaded)->graph, (*loaded)->cluster, (*loaded)->placement))
      diagnostics.error({options.files.placement, 0, 0, ""}, violation.message, "infeasible-placement");
    if (!options.task.empty())
      task = findTask((*loaded)->graph, options.task, options.files.placement, diagnostics);
  }
  printDiagnostics(diagnostics, options.diagnostics);
  if (diagnostics.hasErrors())
    return ExitCode::inputErrors;

  const Expected<Problem> problem = makeProblem((*loaded)->graph, (*loaded)->cluster);
  if (!problem) // not after the judge found nothing, but say so rather than trust it
    return environmentFailure(problem.error().message);
  std::string text;
  if (!task)
    text = explainWhole(**loaded, *problem, options.format);
  else if (const TaskExplanation why = explainTask(*problem, (*loaded)->placement, *task);
           options.format == "json")
    text = toJson(why, *problem);
  else
    text = toText(why, *problem);
  if (const Expected<void> written = writeFileWhole(options.output, text); !written)
    return environmentFailure(written.error().message);
  return ExitCode::done;
}

} // namespace

void addExplainCommand(CLI::App &app, ExitCode &exitCode) {
  CLI::App *command = app.add_subcommand(
      "explain",
      "Say why a task runs where it does and what would move it, or what bounds the whole program");
  auto options = std::make_shared<ExplainOptions>();
  command->add_option("placement", options->files.placement, "placement to explain; - is standard input")
      ->required();
  command->add_option("task", options->task, "id or name of a task; without it, the whole program");
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
  command->footer("Example: streammap explain app.placement.json 'gemm[2,1,0]'");
  command->callback([options, &exitCode] { exitCode = explain(*options); });
}

} // namespace streammap
