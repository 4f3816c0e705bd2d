#include "analysis/BuildTaskGraph.h"
#include "analysis/Interpreter.h"
#include "analysis/TaskRecorder.h"
#include "support/Text.h"
#include <llvm/Support/thread.h>

namespace streammap {

// A parameter that set nothing is most likely misspelt.
static void reportUnused(const Interpreter &interpreter, const std::set<std::string> &usedFactors,
                         const ExpandOptions &options, Diagnostics &diagnostics) {
  const std::vector<std::string> names(interpreter.variableNames().begin(),
                                       interpreter.variableNames().end());
  for (const auto &[name, value] : options.parameters) {
    if (interpreter.usedParameters().contains(name) || usedFactors.contains(name))
      continue;
    const std::size_t scope = name.rfind("::");
    const std::string variable = scope == std::string::npos ? name : name.substr(scope + 2);
    diagnostics.error({},
                      "--param " + name + "=" + shortest(value) +
                          " sets no variable that the program reaches" + didYouMean(variable, names),
                      "unused-parameter");
  }
}

static bool expand(std::span<const std::unique_ptr<ParsedUnit>> units,
                   std::span<const KernelAnalysis> kernels, const ExpandOptions &options, TaskGraph &graph,
                   Diagnostics &diagnostics) {
  const std::size_t errorsBefore = diagnostics.errorCount();
  UnknownReasons reasons;
  TaskRecorder recorder(kernels, options.parameters, graph, diagnostics, options.showsProgress,
                        options.mostTasks);
  Interpreter interpreter(units, {.arguments = options.arguments, .parameters = options.parameters}, reasons,
                          recorder, diagnostics);
  recorder.attach(interpreter);
  const bool isComplete = interpreter.run();
  recorder.finish();
  if (isComplete)
    reportUnused(interpreter, recorder.usedFactors(), options, diagnostics);
  if (isComplete && interpreter.endedByException())
    diagnostics.warning(interpreter.endedAt().value_or(SourceLocation{}),
                        "an exception ends the program here", "ends-by-exception");
  if (isComplete && graph.tasks.empty()) {
    Diagnostic none{Severity::warning,
                    {units.front()->job().source, 0, 0, {}},
                    "the program reaches no '#pragma streammap task' with these arguments",
                    "no-tasks",
                    {},
                    {},
                    {}};
    if (const std::optional<SourceLocation> &end =
            interpreter.endedAt() ? interpreter.endedAt() : interpreter.leftMainAt())
      none.notes.push_back({Severity::note, *end, "it ends here", {}, {}, {}, {}});
    diagnostics.report(std::move(none));
  }
  return isComplete && diagnostics.errorCount() == errorsBefore;
}

std::optional<TaskGraph> buildTaskGraph(std::span<const std::unique_ptr<ParsedUnit>> units,
                                        std::span<const KernelAnalysis> kernels, const ExpandOptions &options,
                                        Diagnostics &diagnostics) {
  TaskGraph graph;
  for (const std::unique_ptr<ParsedUnit> &unit : units)
    graph.program.sources.push_back(unit->job().source);
  graph.program.arguments = options.arguments;
  graph.program.parameters = options.parameters;
  bool isComplete = false;
  // The evaluation recurses as the program does, some kilobytes for each call: it gets a stack of its own, of
  // which only what is used takes memory.
  constexpr unsigned stackBytes = 1u << 30;
  llvm::thread evaluation(std::optional<unsigned>(stackBytes),
                          [&] { isComplete = expand(units, kernels, options, graph, diagnostics); });
  evaluation.join();
  if (!isComplete)
    return std::nullopt;
  return graph;
}

} // namespace streammap
