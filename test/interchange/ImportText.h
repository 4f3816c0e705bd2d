#pragma once
// Imports a text of a test: the problem, or the list of what is wrong with it.
#include "interchange/Import.h"
#include "support/Catch.h"

namespace streammap::test {

inline ImportedProblem imported(std::string_view text, const ImportOptions &options = {}) {
  Diagnostics diagnostics;
  std::optional<ImportedProblem> problem = importProblem(text, "in", options, diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(problem);
  return std::move(*problem);
}

/// One line per error, "in:3:1: error: ..."; the count at the end is left out.
inline std::string errorsIn(std::string_view text, const ImportOptions &options = {}) {
  Diagnostics diagnostics;
  const std::optional<ImportedProblem> problem = importProblem(text, "in", options, diagnostics);
  CHECK(problem.has_value() == !diagnostics.hasErrors());
  std::string all = toText(diagnostics);
  if (!all.empty())
    all.resize(all.rfind('\n', all.size() - 2) + 1);
  return all;
}

/// "a>b:3 b>c:0": the dependencies with their bytes.
inline std::string edgesOf(const TaskGraph &graph) {
  std::string text;
  for (const Dependency &dependency : graph.dependencies)
    text += (text.empty() ? "" : " ") + graph.tasks[dependency.from].id + ">" +
            graph.tasks[dependency.to].id + ":" + std::to_string(static_cast<int>(dependency.size.value()));
  return text;
}

/// "t0=3 t1=1": the tasks with their time on `model`.
inline std::string timesOf(const TaskGraph &graph, const std::string &model = "*") {
  std::string text;
  for (const Task &task : graph.tasks)
    if (const auto time = task.seconds.find(model); time != task.seconds.end())
      text +=
          (text.empty() ? "" : " ") + task.id + "=" + std::to_string(static_cast<int>(time->second.value()));
  return text;
}

} // namespace streammap::test
