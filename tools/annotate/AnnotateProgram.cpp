#include "AnnotateProgram.h"
#include "analysis/BuildTaskGraph.h"
#include "analysis/Check.h"
#include "analysis/Emit.h"
#include "analysis/FrontEnd.h"
#include "analysis/SuggestClauses.h"
#include "model/TaskGraphJson.h"
#include "support/Files.h"
#include <algorithm>
#include <filesystem>
#include <future>
#include <memory>
#include <unistd.h>

namespace streammap {

namespace fs = std::filesystem;

static std::vector<std::unique_ptr<ParsedUnit>> parseAndCheck(const std::vector<CompileJob> &jobs,
                                                              Diagnostics &diagnostics) {
  std::vector<std::unique_ptr<ParsedUnit>> units;
  for (const CompileJob &job : jobs)
    if (std::unique_ptr<ParsedUnit> unit = parseHost(job, diagnostics)) {
      checkUnit(*unit, diagnostics);
      units.push_back(std::move(unit));
    }
  return units;
}

void checkProgram(const AnnotateOptions &options, Diagnostics &diagnostics) {
  parseAndCheck(resolveJobs(options.sources, options.compileCommands, options.flags, diagnostics),
                diagnostics);
}

// Device code is compiled and measured while the host halves are parsed: both are slow, and neither needs the
// other.
static std::future<std::pair<std::vector<KernelAnalysis>, Diagnostics>>
analyseInBackground(const std::vector<CompileJob> &jobs, const KernelOptions &options) {
  return std::async(std::launch::async, [&jobs, &options] {
    std::vector<KernelAnalysis> kernels;
    Diagnostics diagnostics;
    for (const CompileJob &job : jobs)
      if (job.isCuda)
        for (KernelAnalysis &kernel : analyseKernels(job, options, diagnostics))
          kernels.push_back(std::move(kernel));
    // A template in a header may be instantiated by several sources.
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const KernelAnalysis &a, const KernelAnalysis &b) { return a.symbol < b.symbol; });
    kernels.erase(
        std::unique(kernels.begin(), kernels.end(),
                    [](const KernelAnalysis &a, const KernelAnalysis &b) { return a.symbol == b.symbol; }),
        kernels.end());
    return std::pair(std::move(kernels), std::move(diagnostics));
  });
}

// What both halves of a file say is said once.
static void append(const Diagnostics &found, Diagnostics &into) {
  for (const Diagnostic &diagnostic : found.all()) {
    const bool isKnown = std::any_of(into.all().begin(), into.all().end(), [&](const Diagnostic &other) {
      return other.location == diagnostic.location && other.message == diagnostic.message;
    });
    if (!isKnown)
      into.report(diagnostic);
  }
}

static bool emitsIntoFolder(const AnnotateOptions &options) {
  std::error_code ignored;
  return options.sources.size() > 1 || options.emitOutput.ends_with('/') ||
         fs::is_directory(options.emitOutput, ignored);
}

// One source goes to the file that was named; several, or a folder, to
// `<folder>/<stem>.streammap.<extension>`.
static std::string emittedPath(const AnnotateOptions &options, const CompileJob &job) {
  return emitsIntoFolder(options) ? (fs::path(options.emitOutput) / emittedName(job.source)).string()
                                  : options.emitOutput;
}

static Expected<void> writeAll(const AnnotateOptions &options, const std::vector<EmittedFile> &files) {
  if (!options.emitOutput.empty() && emitsIntoFolder(options)) {
    std::error_code failed;
    fs::create_directories(options.emitOutput, failed);
    if (failed)
      return failure("cannot make the folder " + options.emitOutput + ": " + failed.message());
  }
  for (const EmittedFile &file : files) {
    if (Expected<void> written = writeFileWhole(file.path, file.text); !written)
      return written;
  }
  return {};
}

// A header's launch is met by each source that includes it.
static std::string suggestionsFor(const std::vector<std::unique_ptr<ParsedUnit>> &units,
                                  const std::vector<KernelAnalysis> &kernels, const std::string &form) {
  std::vector<Suggestion> all;
  for (const std::unique_ptr<ParsedUnit> &unit : units)
    for (Suggestion &suggestion : suggestTasks(*unit, kernels))
      if (std::ranges::find(all, suggestion.location, &Suggestion::location) == all.end())
        all.push_back(std::move(suggestion));
  return form == "json" ? toJson(all) : toText(all);
}

Expected<void> annotateProgram(const AnnotateOptions &options, Diagnostics &diagnostics) {
  const std::vector<CompileJob> jobs =
      resolveJobs(options.sources, options.compileCommands, options.flags, diagnostics);
  if (diagnostics.hasErrors())
    return {};
  const bool wantsGraph = !options.graphOutput.empty(),
             wantsKernels = wantsGraph || !options.suggestions.empty();
  std::future<std::pair<std::vector<KernelAnalysis>, Diagnostics>> analysis;
  if (wantsKernels)
    analysis = analyseInBackground(jobs, options.kernels);
  const std::vector<std::unique_ptr<ParsedUnit>> units = parseAndCheck(jobs, diagnostics);
  std::vector<KernelAnalysis> kernels;
  if (wantsKernels) {
    auto [found, said] = analysis.get();
    kernels = std::move(found);
    append(said, diagnostics);
  }
  if (diagnostics.hasErrors())
    return {};

  // From here on every pragma is in its place and means something.
  std::vector<EmittedFile> outputs;
  if (!options.emitOutput.empty())
    for (const std::unique_ptr<ParsedUnit> &unit : units)
      for (EmittedFile &file : emitTransformed(*unit, emittedPath(options, unit->job())))
        outputs.push_back(std::move(file));
  if (wantsGraph) {
    const ExpandOptions expansion{options.arguments, options.parameters, isatty(STDERR_FILENO) != 0,
                                  options.mostTasks};
    const std::optional<TaskGraph> graph = buildTaskGraph(units, kernels, expansion, diagnostics);
    if (!graph)
      return {};
    outputs.push_back({options.graphOutput, writeTaskGraph(*graph)});
  }
  if (!options.suggestions.empty())
    outputs.push_back({"-", suggestionsFor(units, kernels, options.suggestions)});
  return writeAll(options, outputs);
}

} // namespace streammap
