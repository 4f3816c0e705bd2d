#include "interchange/DotSyntax.h"
#include "support/Text.h"
#include <algorithm>
#include <cctype>
#include <map>

namespace streammap {
namespace {

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

enum class TokenKind { word, quoted, sign, end }; // a quoted "digraph" is a name, not the keyword

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;
  unsigned line = 1, column = 1;
  bool isName() const { return kind == TokenKind::word || kind == TokenKind::quoted; }
  bool isSign(std::string_view sign) const { return kind == TokenKind::sign && text == sign; }
  bool isKeyword(std::string_view keyword) const {
    return kind == TokenKind::word && lowered(text) == keyword;
  }
};

class DotTokens {
public:
  explicit DotTokens(std::string_view text) : text_(text) {}

  /// Text that is never closed ends where the file does; the parser then misses what should follow.
  Token next() {
    skipBlanks();
    Token token;
    token.line = line_;
    token.column = static_cast<unsigned>(at_ - lineStart_ + 1);
    if (at_ == text_.size())
      return token;
    if (text_[at_] == '"')
      return token.kind = TokenKind::quoted, token.text = quoted(), token;
    if (text_[at_] == '<')
      return token.kind = TokenKind::quoted, token.text = markup(), token;
    if (isNamePart(text_[at_]) || startsNumber()) {
      token.kind = TokenKind::word;
      do
        token.text += take();
      while (at_ < text_.size() && (isNamePart(text_[at_]) || text_[at_] == '.'));
      return token;
    }
    token.kind = TokenKind::sign;
    token.text = take();
    if (token.text == "-" && at_ < text_.size() && (text_[at_] == '>' || text_[at_] == '-'))
      token.text += take();
    return token;
  }

private:
  static bool isNamePart(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 128;
  }
  bool startsNumber() const {
    const bool sign = text_[at_] == '-';
    const std::size_t digit = at_ + sign;
    return digit < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[digit])) || text_[digit] == '.');
  }
  bool ahead(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  char take() {
    if (text_[at_] == '\n') {
      ++line_;
      lineStart_ = at_ + 1;
    }
    return text_[at_++];
  }
  void takeUntil(std::string_view end) {
    while (at_ < text_.size() && !ahead(end))
      take();
  }

  void skipBlanks() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) || text_[at_] == '\\') {
        take(); // a backslash outside quotes continues a line
      } else if (ahead("//") || (text_[at_] == '#' && at_ == lineStart_)) {
        takeUntil("\n");
      } else if (ahead("/*")) {
        takeUntil("*/");
        for (int i = 0; i < 2 && at_ < text_.size(); ++i)
          take();
      } else {
        return;
      }
    }
  }

  /// Without its quotes; \" is a quote, and a backslash at the end of a line continues it.
  std::string quoted() {
    std::string text;
    take();
    while (at_ < text_.size() && text_[at_] != '"') {
      if (ahead("\\\"")) {
        take();
      } else if (ahead("\\\n") || ahead("\\\r\n")) {
        takeUntil("\n");
        take();
        continue;
      }
      text += take();
    }
    if (at_ < text_.size())
      take();
    return text;
  }

  std::string markup() {
    std::string text;
    int depth = 0;
    do {
      depth += text_[at_] == '<';
      depth -= text_[at_] == '>';
      text += take();
    } while (depth > 0 && at_ < text_.size());
    return text;
  }

  std::string_view text_;
  std::size_t at_ = 0, lineStart_ = 0;
  unsigned line_ = 1;
};

/// Recursive descent over the grammar's statements; `failed_` once an error was reported.
class DotParser {
public:
  DotParser(std::string_view text, std::string file, Diagnostics &diagnostics)
      : tokens_(text), file_(std::move(file)), diagnostics_(&diagnostics) {
    advance();
  }

  std::optional<DotGraph> parse() {
    if (token_.isKeyword("strict"))
      advance();
    if (token_.isKeyword("graph"))
      fail("expected 'digraph', found 'graph': an edge of a task graph has a direction");
    else if (!token_.isKeyword("digraph"))
      fail("expected 'digraph', found " + found());
    advance();
    if (token_.isName())
      advance();
    statements({}, 0);
    if (!failed_ && token_.kind != TokenKind::end)
      fail("expected nothing after the closing '}', found " + found());
    return failed_ ? std::nullopt : std::optional(std::move(graph_));
  }

private:
  struct Defaults {
    DotAttributes node, edge;
  };
  static constexpr int deepest = 200;

  SourceLocation here() const { return {file_, token_.line, token_.column, ""}; }
  std::string found() const {
    return token_.kind == TokenKind::end ? "the end of the file" : "'" + abbreviated(token_.text) + "'";
  }
  void fail(const std::string &message) {
    if (!failed_)
      diagnostics_->error(here(), message, "malformed-dot");
    failed_ = true;
  }
  void advance() {
    if (!failed_)
      token_ = tokens_.next();
  }
  bool take(std::string_view sign) {
    const bool is = !failed_ && token_.isSign(sign);
    if (is)
      advance();
    return is;
  }
  void demand(std::string_view sign) {
    if (!take(sign))
      fail("expected '" + std::string(sign) + "', found " + found());
  }

  /// "{" statements "}"; returns the nodes mentioned in it.
  std::vector<std::size_t> statements(Defaults defaults, int depth) {
    if (depth > deepest)
      fail("more than " + std::to_string(deepest) + " subgraphs inside each other");
    demand("{");
    std::vector<std::size_t> mentioned;
    while (!failed_ && !token_.isSign("}")) {
      if (take(";"))
        continue; // an empty statement
      statement(defaults, mentioned, depth);
      if (!take(";"))
        take(",");
    }
    demand("}");
    return mentioned;
  }

  void statement(Defaults &defaults, std::vector<std::size_t> &mentioned, int depth) {
    if (token_.isKeyword("graph") || token_.isKeyword("node") || token_.isKeyword("edge")) {
      const char first = lowered(token_.text)[0];
      advance();
      if (!token_.isSign("["))
        return fail("expected '[', found " + found());
      DotAttributes &into = first == 'n' ? defaults.node : first == 'e' ? defaults.edge : graph_.attributes;
      return attributeLists(into);
    }
    const bool isNode = token_.isName() && !token_.isKeyword("subgraph");
    const std::string name = token_.text;
    std::vector<std::size_t> ends = endpoint(defaults, depth);
    if (isNode && take("=")) // name = value: an attribute of the graph, and no node after all
      return graphAttribute(name, ends);
    mentioned.insert(mentioned.end(), ends.begin(), ends.end());
    if (token_.isSign("->") || token_.isSign("--"))
      return edges(std::move(ends), defaults, mentioned, depth);
    DotAttributes attributes;
    attributeLists(attributes);
    if (isNode && !ends.empty())
      graph_.nodes[ends.front()].attributes.setAll(attributes);
  }

  void graphAttribute(const std::string &name, const std::vector<std::size_t> &ends) {
    if (!ends.empty() && ends.front() + 1 == graph_.nodes.size() && isNew_) {
      indices_.erase(name);
      graph_.nodes.pop_back();
    }
    attributeValue(name, graph_.attributes);
  }

  void edges(std::vector<std::size_t> from, const Defaults &defaults, std::vector<std::size_t> &mentioned,
             int depth) {
    const std::size_t first = graph_.edges.size();
    while (!failed_ && (token_.isSign("->") || token_.isSign("--"))) {
      if (token_.isSign("--"))
        return fail("expected '->', found '--': an edge of a task graph has a direction");
      const SourceLocation where = here();
      advance();
      std::vector<std::size_t> to = endpoint(defaults, depth);
      mentioned.insert(mentioned.end(), to.begin(), to.end());
      for (std::size_t a : from)
        for (std::size_t b : to)
          graph_.edges.push_back({a, b, defaults.edge, where});
      from = std::move(to);
    }
    DotAttributes attributes;
    attributeLists(attributes);
    for (std::size_t i = first; i < graph_.edges.size(); ++i)
      graph_.edges[i].attributes.setAll(attributes);
  }

  /// One node, or the nodes of a subgraph.
  std::vector<std::size_t> endpoint(const Defaults &defaults, int depth) {
    if (token_.isKeyword("subgraph")) {
      advance();
      if (token_.isName())
        advance();
    }
    if (token_.isSign("{"))
      return statements(defaults, depth + 1);
    if (!token_.isName()) {
      fail("expected a node, found " + found());
      return {};
    }
    const SourceLocation where = here();
    std::string name = nameWithJoins();
    const auto [known, isNew] = indices_.try_emplace(name, graph_.nodes.size());
    isNew_ = isNew;
    if (isNew)
      graph_.nodes.push_back({name, defaults.node, where});
    while (take(":")) { // a port, and perhaps a compass point
      if (!token_.isName())
        fail("expected a port after ':', found " + found());
      advance();
    }
    return {known->second};
  }

  /// A name; quoted texts may be joined by +.
  std::string nameWithJoins() {
    std::string name = token_.text;
    bool quoted = token_.kind == TokenKind::quoted;
    advance();
    while (quoted && take("+")) {
      if (token_.kind != TokenKind::quoted)
        fail("expected a quoted text after '+', found " + found());
      name += token_.text;
      advance();
    }
    return name;
  }

  /// Any number of "[" name = value ... "]".
  void attributeLists(DotAttributes &into) {
    while (take("[")) {
      while (!failed_ && !token_.isSign("]")) {
        if (!token_.isName())
          return fail("expected an attribute or ']', found " + found());
        const std::string name = nameWithJoins();
        demand("=");
        attributeValue(name, into);
        if (!take(","))
          take(";");
      }
      demand("]");
    }
  }

  void attributeValue(const std::string &name, DotAttributes &into) {
    if (!failed_ && !token_.isName())
      return fail("expected the value of '" + abbreviated(name) + "', found " + found());
    const SourceLocation where = here();
    into.set({name, nameWithJoins(), where});
  }

  DotTokens tokens_;
  Token token_;
  std::string file_;
  Diagnostics *diagnostics_;
  DotGraph graph_;
  std::map<std::string, std::size_t> indices_;
  bool isNew_ = false; ///< the node that endpoint() read last had not been mentioned before
  bool failed_ = false;
};

} // namespace

void DotAttributes::set(DotAttribute attribute) {
  const auto known = std::ranges::find_if(
      all_, [&](const DotAttribute &other) { return lowered(other.name) == lowered(attribute.name); });
  if (known == all_.end())
    all_.push_back(std::move(attribute));
  else
    *known = std::move(attribute);
}

void DotAttributes::setAll(const DotAttributes &others) {
  for (const DotAttribute &attribute : others.all_)
    set(attribute);
}

const DotAttribute *DotAttributes::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      all_, [&](const DotAttribute &attribute) { return lowered(attribute.name) == lowered(name); });
  return found == all_.end() ? nullptr : &*found;
}

std::vector<std::string> DotAttributes::names() const {
  std::vector<std::string> names;
  for (const DotAttribute &attribute : all_)
    names.push_back(attribute.name);
  return names;
}

std::optional<DotGraph> parseDot(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  return DotParser(text, file, diagnostics).parse();
}

} // namespace streammap
