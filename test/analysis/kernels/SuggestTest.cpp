// What --suggest proposes for launches without pragmas, and that the proposals, pasted in, make the graph
// that the pragmas of an example make.
#include "analysis/BuildTaskGraph.h"
#include "analysis/KernelCosts.h"
#include "analysis/SuggestClauses.h"
#include "support/Catch.h"
#include "support/Files.h"
#include "support/TemporaryFolder.h"
#include "support/Text.h"
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

using namespace streammap;

namespace {

struct Parsed {
  std::vector<std::unique_ptr<ParsedUnit>> units;
  std::vector<KernelAnalysis> kernels;
};

Parsed parse(const std::string &source) {
  Diagnostics diagnostics;
  Parsed result;
  for (const CompileJob &job : resolveJobs({source}, {}, {}, diagnostics)) {
    result.units.push_back(parseHost(job, diagnostics));
    result.kernels = analyseKernels(job, {.resources = ResourceCompiler::none}, diagnostics);
  }
  INFO(toText(diagnostics));
  REQUIRE_FALSE(diagnostics.hasErrors());
  REQUIRE(result.units.size() == 1);
  return result;
}

/// suggest.cu, parsed once.
const Parsed &launchesWithoutPragmas() {
  static const Parsed parsed = parse(STREAMMAP_SOURCE_DIR "/test/analysis/kernels/suggest.cu");
  return parsed;
}

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n'))
    lines.emplace_back(line);
  return lines;
}

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

/// The program without its task pragmas and their continuation lines.
std::string withoutTasks(const std::string &text) {
  std::vector<std::string> kept;
  bool isPragma = false;
  for (const std::string &line : linesOf(text)) {
    const bool continues = isPragma;
    isPragma = (isPragma || line.starts_with("#pragma streammap task")) && line.ends_with('\\');
    if (!continues && !line.starts_with("#pragma streammap task"))
      kept.push_back(line);
  }
  return joined(kept);
}

std::string withSuggestions(const std::string &text, const std::vector<Suggestion> &suggestions) {
  std::vector<std::string> lines = linesOf(text);
  for (auto suggestion = suggestions.rbegin(); suggestion != suggestions.rend(); ++suggestion)
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(suggestion->location.line) - 1,
                 suggestion->pragma);
  return joined(lines);
}

/// What the tasks do to which bytes, and the dependencies: all that clauses decide.
std::string shapeOf(const std::string &source, const std::vector<std::string> &arguments) {
  const Parsed parsed = parse(source);
  Diagnostics diagnostics;
  const auto graph = buildTaskGraph(parsed.units, parsed.kernels, {arguments, {}, false}, diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(graph);
  std::string text;
  for (const Task &task : graph->tasks) {
    std::vector<std::string> accesses;
    for (const Access &access : task.accesses)
      accesses.push_back(graph->buffers[access.buffer].name + "[" + std::to_string(access.region.offset) +
                         "+" + std::to_string(access.region.bytes()) + "] " +
                         std::to_string(static_cast<int>(access.mode)));
    std::ranges::sort(accesses);
    text += join(std::span<const std::string>(accesses), ", ") + "\n";
  }
  for (const Dependency &dependency : graph->dependencies)
    text += std::to_string(dependency.from.index()) + " -> " + std::to_string(dependency.to.index()) + " " +
            std::to_string(dependency.size.value()) + "\n";
  return text;
}

} // namespace

TEST_CASE("each launch gets the clauses that stand above it") {
  const std::string path = STREAMMAP_SOURCE_DIR "/test/analysis/kernels/suggest.cu";
  const std::vector<std::string> lines = linesOf(readFile(path).value());
  const Parsed &parsed = launchesWithoutPragmas();
  std::size_t compared = 0;
  for (const Suggestion &suggestion : suggestTasks(*parsed.units[0], parsed.kernels)) {
    if (suggestion.pragma.empty())
      continue;
    const std::string above = lines[suggestion.location.line - 2];
    const std::size_t at = above.find("// expect:");
    INFO(toText(suggestion.location) << " " << suggestion.kernel);
    REQUIRE(at != std::string::npos);
    std::string expected = above.substr(at + 10);
    CHECK(suggestion.pragma == "#pragma streammap task" + expected);
    ++compared;
  }
  CHECK(compared == 11);
}

TEST_CASE("notes say what could not be derived") {
  const Parsed &parsed = launchesWithoutPragmas();
  std::map<std::string, std::string> notes;
  for (const Suggestion &suggestion : suggestTasks(*parsed.units[0], parsed.kernels))
    for (const std::string &note : suggestion.notes)
      notes[suggestion.kernel] += note;
  CHECK(notes["gather"].starts_with("which part of 'x' kernel 'gather' accesses is no formula"));
  CHECK(notes["view"].starts_with("'v' holds pointers"));
  CHECK(notes["twice"].starts_with("which kernel is launched depends on template arguments"));
  CHECK(notes["saxpy"].empty());
}

TEST_CASE("a program whose pragmas were stripped gets them back") {
  const auto [path, arguments] = GENERATE(table<std::string, std::vector<std::string>>(
      {{"cholesky/cholesky.cu", {"4", "32"}}, {"options/options.cu", {}}}));
  const std::string original = STREAMMAP_SOURCE_DIR "/examples/" + path;
  const TemporaryFolder folder;
  const std::string bare = folder / "bare.cu", suggested = folder / "suggested.cu";
  const std::string text = withoutTasks(readFile(original).value());
  REQUIRE(writeFileWhole(bare, text).has_value());
  const Parsed parsed = parse(bare);
  const std::vector<Suggestion> suggestions = suggestTasks(*parsed.units[0], parsed.kernels);
  INFO(toText(std::span<const Suggestion>(suggestions)));
  REQUIRE(writeFileWhole(suggested, withSuggestions(text, suggestions)).has_value());
  CHECK(shapeOf(suggested, arguments) == shapeOf(original, arguments));
}

TEST_CASE("the JSON form has one entry for each launch") {
  const Parsed &parsed = launchesWithoutPragmas();
  const std::vector<Suggestion> suggestions = suggestTasks(*parsed.units[0], parsed.kernels);
  const auto json = nlohmann::json::parse(toJson(std::span<const Suggestion>(suggestions)));
  CHECK(json["schema"] == "streammap.suggestions/1");
  REQUIRE(json["suggestions"].size() == suggestions.size());
  CHECK(json["suggestions"][1]["kernel"] == "saxpy");
  CHECK(json["suggestions"][1]["pragma"] == "#pragma streammap task in(x[0 : n]) inout(y[0 : n])");
}
