// Graphviz digraphs with weights: a node's Weight (or cost, or seconds) is its time on every processor, an
// edge's Weight (or cost) what it costs when its ends are on different ones. The graph may carry "Number of
// processors" and the optimum, "Total schedule length". Upper and lower case are alike; all other attributes
// are left alone.
#include "interchange/DotSyntax.h"
#include "interchange/Formats.h"
#include "interchange/GraphBuilder.h"
#include "interchange/Lines.h"
#include "support/Text.h"
#include <algorithm>
#include <cmath>

namespace streammap {
namespace {

constexpr std::string_view nodeNames[] = {"Weight", "cost", "seconds"};
constexpr std::string_view edgeNames[] = {"Weight", "cost"};
constexpr double mostProcessors = 1e6;

const DotAttribute *findAny(const DotAttributes &attributes, std::span<const std::string_view> names) {
  for (std::string_view name : names)
    if (const DotAttribute *found = attributes.find(name))
      return found;
  return nullptr;
}

class DotReader {
public:
  DotReader(const DotGraph &dot, const std::string &file, Diagnostics &diagnostics)
      : dot_(dot), diagnostics_(diagnostics), builder_(file, diagnostics) {}

  std::optional<TaskGraph> read() {
    for (const DotNode &node : dot_.nodes)
      builder_.addTask(node.name, {{"*", seconds(weightOf(node))}}, node.where);
    const bool weighted = std::ranges::any_of(
        dot_.edges, [](const DotEdge &edge) { return findAny(edge.attributes, edgeNames) != nullptr; });
    for (const DotEdge &edge : dot_.edges)
      builder_.addEdge(TaskId(edge.from), TaskId(edge.to), bytes(weighted ? weightOf(edge) : 0), edge.where);
    return std::move(builder_).finish();
  }

  /// The graph's attribute `name` as a number from `least`; nothing where there is none.
  std::optional<double> graphNumber(std::string_view name, double least, double greatest) const {
    const DotAttribute *attribute = dot_.attributes.find(name);
    return attribute ? numberOf(*attribute, least, greatest) : std::nullopt;
  }

private:
  std::optional<double> numberOf(const DotAttribute &attribute, double least = 0,
                                 double greatest = 1e300) const {
    const std::optional<double> number = numberIn(attribute.text);
    if (number && *number >= least && *number <= greatest)
      return number;
    diagnostics_.error(attribute.where,
                       "expected '" + attribute.name + "' to be a number that is " + shortest(least) +
                           " or more, found '" + abbreviated(attribute.text) + "'",
                       "bad-value");
    return std::nullopt;
  }

  double weightOf(const DotNode &node) const {
    if (const DotAttribute *weight = findAny(node.attributes, nodeNames))
      return numberOf(*weight).value_or(0);
    missing(node.where, "node '" + abbreviated(node.name) + "'", nodeNames, node.attributes);
    return 0;
  }

  /// Where one edge has a weight, all must: one left out would quietly be free.
  double weightOf(const DotEdge &edge) const {
    if (const DotAttribute *weight = findAny(edge.attributes, edgeNames))
      return numberOf(*weight).value_or(0);
    missing(edge.where,
            "edge '" + abbreviated(dot_.nodes[edge.from].name) + " -> " +
                abbreviated(dot_.nodes[edge.to].name) + "'",
            edgeNames, edge.attributes);
    return 0;
  }

  void missing(const SourceLocation &where, const std::string &what, std::span<const std::string_view> names,
               const DotAttributes &attributes) const {
    std::string near;
    for (const std::string &has : attributes.names())
      if (near.empty())
        near = nearest(has, names) ? "; did you mean '" + *nearest(has, names) + "' by '" + has + "'?" : "";
    diagnostics_.error(where, what + " has no weight; expected an attribute " + join(names, ", ") + near,
                       "missing-key");
  }

  const DotGraph &dot_;
  Diagnostics &diagnostics_;
  GraphBuilder builder_;
};

} // namespace

bool recognisesDot(std::string_view text) {
  for (const Line &line : linesOf(text, "{")) {
    const std::string_view first = line.words.front().text;
    if (first.starts_with("//") || first.starts_with("/*") || first.starts_with("*") ||
        first.starts_with("#"))
      continue;
    return first == "digraph" || first == "graph" || first == "strict";
  }
  return false;
}

std::optional<ImportedProblem> readDot(std::string_view text, const std::string &file,
                                       const ImportOptions &options, Diagnostics &diagnostics) {
  const std::optional<DotGraph> dot = parseDot(text, file, diagnostics);
  if (!dot)
    return std::nullopt;
  DotReader reader(*dot, file, diagnostics);
  const std::optional<double> processors = reader.graphNumber("Number of processors", 1, mostProcessors);
  const std::optional<double> length = reader.graphNumber("Total schedule length", 0, 1e300);
  std::optional<TaskGraph> graph = reader.read();
  if (!graph)
    return std::nullopt;
  ImportedProblem problem;
  problem.graph = std::move(*graph);
  if (options.processors || processors)
    problem.cluster = identicalProcessors(
        nameOfProblem(file), options.processors.value_or(static_cast<std::size_t>(processors.value_or(1))));
  const bool asTheFileSays =
      !options.processors || (processors && static_cast<double>(*options.processors) == *processors);
  if (length && asTheFileSays) // the optimum of another number of processors is another one
    problem.optimum = seconds(*length);
  return problem;
}

} // namespace streammap
