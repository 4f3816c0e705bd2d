#pragma once
// The part of Graphviz' language (graphviz.org/doc/info/lang.html) that a task graph needs: directed graphs
// with attributes, defaults of nodes and edges, chains of edges, subgraphs and edges to them. Ports are read
// and dropped.
//
//   std::optional<DotGraph> graph = parseDot("digraph { a [Weight=3]; a -> b [Weight=1] }", "a.dot",
//   diagnostics); graph->nodes[0].attributes.find("weight")->text;    // "3"
#include "support/Diagnostic.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

struct DotAttribute {
  std::string name, text;
  SourceLocation where; ///< of the value
};

/// In the order written; of two with one name the later holds.
class DotAttributes {
public:
  void set(DotAttribute attribute);
  void setAll(const DotAttributes &others);
  /// Upper and lower case are alike. Null where there is none.
  const DotAttribute *find(std::string_view name) const;
  std::vector<std::string> names() const;
  const std::vector<DotAttribute> &all() const { return all_; }

private:
  std::vector<DotAttribute> all_;
};

struct DotNode {
  std::string name;
  DotAttributes attributes;
  SourceLocation where; ///< first mention
};

struct DotEdge {
  std::size_t from = 0, to = 0; ///< indices of nodes
  DotAttributes attributes;
  SourceLocation where; ///< of the arrow
};

struct DotGraph {
  DotAttributes attributes;
  std::vector<DotNode> nodes; ///< in the order of their first mention
  std::vector<DotEdge> edges;
};

/// Nothing, and an error at its line and column, when the text is no digraph. Stops at the first mistake,
/// since what follows a missing bracket means nothing.
std::optional<DotGraph> parseDot(std::string_view text, const std::string &file, Diagnostics &diagnostics);

} // namespace streammap
