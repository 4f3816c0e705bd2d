#include "AnnotateProgram.h"
#include "analysis/Check.h"
#include "analysis/Emit.h"
#include "analysis/FrontEnd.h"
#include "support/Files.h"
#include <filesystem>
#include <memory>

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

// One source goes to the file that was named; several, or a folder, to
// `<folder>/<stem>.streammap.<extension>`.
static std::string emittedPath(const AnnotateOptions &options, const CompileJob &job) {
  std::error_code ignored;
  const bool isFolder = options.sources.size() > 1 || options.emitOutput.ends_with('/') ||
                        fs::is_directory(options.emitOutput, ignored);
  return isFolder ? (fs::path(options.emitOutput) / emittedName(job.source)).string() : options.emitOutput;
}

static Expected<void> writeAll(const std::vector<EmittedFile> &files) {
  for (const EmittedFile &file : files) {
    std::error_code ignored;
    if (const fs::path folder = fs::path(file.path).parent_path(); !folder.empty())
      fs::create_directories(folder, ignored);
    if (Expected<void> written = writeFileWhole(file.path, file.text); !written)
      return written;
  }
  return {};
}

Expected<void> annotateProgram(const AnnotateOptions &options, Diagnostics &diagnostics) {
  const std::vector<CompileJob> jobs =
      resolveJobs(options.sources, options.compileCommands, options.flags, diagnostics);
  const std::vector<std::unique_ptr<ParsedUnit>> units = parseAndCheck(jobs, diagnostics);
  if (diagnostics.hasErrors())
    return {};

  // From here on every pragma is in its place and means something.
  std::vector<EmittedFile> outputs;
  if (!options.emitOutput.empty())
    for (const std::unique_ptr<ParsedUnit> &unit : units)
      for (EmittedFile &file : emitTransformed(*unit, emittedPath(options, unit->job())))
        outputs.push_back(std::move(file));
  return writeAll(outputs);
}

} // namespace streammap
