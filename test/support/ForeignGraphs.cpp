#include "support/ForeignGraphs.h"
#include "interchange/Import.h"
#include "support/Files.h"
#include "support/Text.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace streammap::test {
namespace {

ImportedProblem imported(const std::string &path, const ImportOptions &options) {
  const Expected<std::string> text = readFile(path);
  Diagnostics diagnostics;
  std::optional<ImportedProblem> problem =
      text ? importProblem(*text, path, options, diagnostics) : std::nullopt;
  if (!problem || !problem->cluster) {
    std::fprintf(stderr, "%s", (text ? toText(diagnostics) : text.error().message + "\n").c_str());
    std::exit(1);
  }
  return std::move(*problem);
}

ProcessorGraph problemOf(ImportedProblem problem) {
  return {std::move(problem.graph), std::move(*problem.cluster)};
}

} // namespace

ProcessorGraph readHeteroDag(const std::string &path) {
  return problemOf(imported(path, {.format = "hetero-dag"}));
}

ProcessorGraph readStg(const std::string &path, std::size_t processors) {
  return problemOf(imported(path, {.format = "stg", .processors = processors}));
}

ProcessorGraph readProblem(const std::string &path, std::optional<std::size_t> processors,
                           std::optional<BytesPerSecond> bandwidth) {
  return problemOf(imported(path, {.processors = processors, .bandwidth = bandwidth}));
}

SolvedGraph readSolvedDot(const std::string &path) {
  ImportedProblem problem = imported(path, {.format = "dot"});
  const double optimum = problem.optimum.value_or(Seconds()).value();
  return {problemOf(std::move(problem)), optimum};
}

std::vector<std::vector<std::string>> csvRows(const std::string &path) {
  const Expected<std::string> text = readFile(path);
  std::vector<std::vector<std::string>> rows;
  for (std::string_view line : text ? split(*text, '\n') : std::vector<std::string_view>()) {
    std::vector<std::string> cells;
    for (std::string_view cell : split(trim(line), ','))
      cells.emplace_back(cell);
    if (!trim(line).empty())
      rows.push_back(std::move(cells));
  }
  if (!rows.empty())
    rows.erase(rows.begin());
  return rows;
}

std::string sharedData() {
  const char *given = std::getenv("STREAMMAP_SHARED_DATA");
  const std::string folder = given ? given : STREAMMAP_SOURCE_DIR "/../shared/data";
  return std::filesystem::is_directory(folder) ? folder : "";
}

} // namespace streammap::test
