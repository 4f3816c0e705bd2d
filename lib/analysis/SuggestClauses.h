#pragma once
// For launches that are no tasks yet: a pragma that would make them one, ready to be pasted above the launch.
//
//   app.cu:45:3: suggestion: make this launch of 'saxpy' a task
//     #pragma streammap task in(x[0 : n]) inout(y[0 : n])
//
// Sections follow from the addresses that the kernel computes (ParameterExtents.h), with the launch's
// arguments and geometry put in as they are written. Where there is no such formula, or the argument is no
// `pointer + offset`, the whole allocation is named, which is safe and may serialise tasks that are
// independent; the notes say so.
#include "analysis/FrontEnd.h"
#include "analysis/KernelAnalysis.h"
#include "support/Diagnostic.h"
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace streammap {

struct Suggestion {
  SourceLocation location; ///< of the launch
  std::string kernel;
  std::string pragma;             ///< one line, without its end; empty where none can be proposed
  std::vector<std::string> notes; ///< what a person should look at
};

/// All launches outside tasks in the sources' own code, in the order of the source; each once, whatever
/// instances templates have.
std::vector<Suggestion> suggestTasks(const ParsedUnit &unit, std::span<const KernelAnalysis> kernels);

std::string toText(std::span<const Suggestion> suggestions);
/// {"schema": "streammap.suggestions/1", "suggestions": [{"location", "kernel", "pragma", "notes"}]}
std::string toJson(std::span<const Suggestion> suggestions);

} // namespace streammap
