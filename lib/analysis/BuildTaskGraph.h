#pragma once
// From parsed sources to the tasks they make: the host program is evaluated from main (Interpreter.h), and
// each task pragma that is reached becomes a task with its launches, sections, costs and dependencies.
//
//   std::optional<TaskGraph> graph =
//       buildTaskGraph(units, kernels, {.arguments = {"32", "256"}, .parameters = {}}, diagnostics);
//   graph->tasks[TaskId(0)].name          // "potrf[0]"
//
// Costs are the kernels' formulas with the values of the launch put in; figures given in clauses win. DRAM
// bytes are the footprint of the kernels (MemoryBehaviour.h), at most what is needed to move each section of
// the task once per direction; what the kernels ask of the L2 cache, repetitions included, stands beside it,
// and the time model says how much of that a device's cache serves.
#include "analysis/FrontEnd.h"
#include "analysis/KernelAnalysis.h"
#include "model/TaskGraph.h"
#include "support/Diagnostic.h"
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace streammap {

struct ExpandOptions {
  std::vector<std::string> arguments; ///< argv[1...]: --arg
  std::map<std::string, double>
      parameters; ///< --param name=value; `function::name` for one function's variable; a name of a
                  ///< cost formula, "trips@csr.cu:14", for what nobody could count
  bool showsProgress = false;        ///< on stderr, once it takes longer than a second
  std::size_t mostTasks = 1'000'000; ///< one more is an error: a loop that never ends would fill the memory
};

/// All units of one program. Nothing if an error was reported: no main, tasks that depend on an unknown, a
/// parameter that no variable has. Same input, same graph.
std::optional<TaskGraph> buildTaskGraph(std::span<const std::unique_ptr<ParsedUnit>> units,
                                        std::span<const KernelAnalysis> kernels, const ExpandOptions &options,
                                        Diagnostics &diagnostics);

} // namespace streammap
