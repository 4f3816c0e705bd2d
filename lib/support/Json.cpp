#include "support/Json.h"
#include "support/Text.h"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace streammap {

/// All values of a document in one array, in file order: an object's or array's members follow it.
class JsonTree {
public:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Node {
    JsonKind kind = JsonKind::null;
    bool whole = false; ///< a number without sign, point or exponent
    std::uint32_t parent = none;
    std::uint32_t next = none;  ///< following sibling
    std::uint32_t first = none; ///< first child
    std::uint32_t children = 0; ///< how many
    std::uint32_t position = 0; ///< among its siblings
    std::uint32_t keyLength = 0;
    std::uint32_t textLength = 0;
    std::size_t key = 0; ///< offset into letters
    union {
      double number;
      std::uint64_t wholeNumber;
      std::size_t text; ///< offset into letters
      bool boolean;
    };
    Node() : number(0) {}
  };

  std::string file;
  std::vector<Node> nodes;
  std::string letters; ///< every key and text, one after the other

  std::string_view keyOf(const Node &node) const {
    return std::string_view(letters).substr(node.key, node.keyLength);
  }
  std::string_view textOf(const Node &node) const {
    return std::string_view(letters).substr(node.text, node.textLength);
  }
};

namespace {

using Node = JsonTree::Node;

std::string escapedForPointer(std::string_view key) {
  std::string text;
  for (char letter : key)
    text += letter == '~' ? std::string("~0") : letter == '/' ? std::string("~1") : std::string(1, letter);
  return text;
}

/// Receives nlohmann's parse events and grows the tree.
class TreeBuilder {
public:
  TreeBuilder(JsonTree &tree, Diagnostics &diagnostics, std::string_view source)
      : tree_(tree), diagnostics_(diagnostics), source_(source) {}

  bool null() { return add(JsonKind::null); }
  bool boolean(bool value) {
    add(JsonKind::boolean);
    tree_.nodes.back().boolean = value;
    return true;
  }
  bool number_integer(std::int64_t value) {
    add(JsonKind::number);
    tree_.nodes.back().number = static_cast<double>(value);
    return true;
  }
  bool number_unsigned(std::uint64_t value) {
    add(JsonKind::number);
    tree_.nodes.back().whole = true;
    tree_.nodes.back().wholeNumber = value;
    return true;
  }
  bool number_float(double value, const std::string &) {
    add(JsonKind::number);
    tree_.nodes.back().number = value;
    return true;
  }
  bool string(std::string &value) {
    add(JsonKind::text);
    tree_.nodes.back().text = tree_.letters.size();
    tree_.nodes.back().textLength = static_cast<std::uint32_t>(value.size());
    tree_.letters += value;
    return true;
  }
  bool binary(nlohmann::json::binary_t &) { return false; } // no such thing in JSON text
  bool start_object(std::size_t) { return open(JsonKind::object); }
  bool start_array(std::size_t) { return open(JsonKind::array); }
  bool end_array() { return close(); }
  bool end_object() {
    reportDuplicates(open_.back().node);
    return close();
  }
  bool key(std::string &value) {
    key_ = tree_.letters.size();
    keyLength_ = static_cast<std::uint32_t>(value.size());
    tree_.letters += value;
    return true;
  }
  bool parse_error(std::size_t position, const std::string &, const nlohmann::json::exception &exception) {
    SourceLocation location{tree_.file, 1, 1, {}};
    std::string_view before = source_.substr(0, position == 0 ? 0 : std::min(position - 1, source_.size()));
    location.line += static_cast<unsigned>(std::ranges::count(before, '\n'));
    std::size_t lineStart = before.rfind('\n');
    location.column =
        static_cast<unsigned>(before.size() - (lineStart == std::string_view::npos ? 0 : lineStart + 1) + 1);
    diagnostics_.error(location, plainMessage(exception.what()), "json-syntax");
    return false;
  }

private:
  struct OpenNode {
    std::uint32_t node;
    std::uint32_t lastChild;
  };

  bool add(JsonKind kind) {
    auto index = static_cast<std::uint32_t>(tree_.nodes.size());
    Node node;
    node.kind = kind;
    if (!open_.empty()) {
      OpenNode &around = open_.back();
      node.parent = around.node;
      node.key = key_;
      node.keyLength = keyLength_;
      node.position = tree_.nodes[around.node].children++;
      std::uint32_t &link = around.lastChild == JsonTree::none ? tree_.nodes[around.node].first
                                                               : tree_.nodes[around.lastChild].next;
      link = index;
      around.lastChild = index;
    }
    keyLength_ = 0;
    tree_.nodes.push_back(node);
    return true;
  }
  bool open(JsonKind kind) {
    add(kind);
    open_.push_back({static_cast<std::uint32_t>(tree_.nodes.size() - 1), JsonTree::none});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  void reportDuplicates(std::uint32_t object) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t child = tree_.nodes[object].first; child != JsonTree::none;
         child = tree_.nodes[child].next)
      members.push_back(child);
    std::ranges::stable_sort(members, {},
                             [this](std::uint32_t node) { return tree_.keyOf(tree_.nodes[node]); });
    for (std::size_t i = 1; i < members.size(); ++i) {
      std::string_view key = tree_.keyOf(tree_.nodes[members[i]]);
      if (key == tree_.keyOf(tree_.nodes[members[i - 1]]))
        diagnostics_.error(JsonValue(&tree_, members[i]).location(),
                           "the key '" + abbreviated(key) + "' stands twice in one object", "duplicate-key");
    }
  }

  /// "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while parsing object -
  /// ..." without the parts that our own location says.
  static std::string plainMessage(std::string_view what) {
    if (std::size_t bracket = what.find("] "); what.starts_with('[') && bracket != std::string_view::npos)
      what.remove_prefix(bracket + 2);
    if (what.starts_with("parse error"))
      if (std::size_t colon = what.find(": "); colon != std::string_view::npos)
        what.remove_prefix(colon + 2);
    return std::string(what);
  }

  JsonTree &tree_;
  Diagnostics &diagnostics_;
  std::string_view source_;
  std::vector<OpenNode> open_;
  std::size_t key_ = 0;
  std::uint32_t keyLength_ = 0;
};

} // namespace

JsonKind JsonValue::kind() const {
  return tree_->nodes[node_].kind;
}
std::string_view JsonValue::key() const {
  return tree_->keyOf(tree_->nodes[node_]);
}
std::size_t JsonValue::size() const {
  return tree_->nodes[node_].children;
}
std::string_view JsonValue::text() const {
  return tree_->textOf(tree_->nodes[node_]);
}
bool JsonValue::boolean() const {
  return tree_->nodes[node_].boolean;
}

std::vector<JsonValue> JsonValue::children() const {
  std::vector<JsonValue> values;
  values.reserve(size());
  for (std::uint32_t child = tree_->nodes[node_].first; child != JsonTree::none;
       child = tree_->nodes[child].next)
    values.emplace_back(tree_, child);
  return values;
}

double JsonValue::number() const {
  const Node &node = tree_->nodes[node_];
  return node.whole ? static_cast<double>(node.wholeNumber) : node.number;
}

std::optional<std::uint64_t> JsonValue::wholeNumber() const {
  const Node &node = tree_->nodes[node_];
  if (node.whole)
    return node.wholeNumber;
  // 5.2e8 is a whole number too; from 2^53 on a double no longer tells neighbours apart.
  if (node.number < 0 || node.number > 9007199254740992.0 || node.number != std::floor(node.number))
    return std::nullopt;
  return static_cast<std::uint64_t>(node.number);
}

std::string JsonValue::pointer() const {
  std::vector<std::uint32_t> path; // from here up; no recursion, since a file may nest as deep as it likes
  for (std::uint32_t node = node_; tree_->nodes[node].parent != JsonTree::none;
       node = tree_->nodes[node].parent)
    path.push_back(node);
  std::string text;
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    const Node &node = tree_->nodes[*step];
    bool named = tree_->nodes[node.parent].kind == JsonKind::object;
    text += "/" + (named ? escapedForPointer(tree_->keyOf(node)) : std::to_string(node.position));
  }
  return text;
}

SourceLocation JsonValue::location() const {
  return {tree_->file, 0, 0, pointer()};
}

std::string JsonValue::description() const {
  switch (kind()) {
  case JsonKind::null:
    return "null";
  case JsonKind::boolean:
    return boolean() ? "true" : "false";
  case JsonKind::number: {
    const Node &node = tree_->nodes[node_];
    return "the number " + (node.whole ? std::to_string(node.wholeNumber) : shortest(node.number));
  }
  case JsonKind::text:
    return "the text '" + abbreviated(text()) + "'";
  case JsonKind::array:
    return "an array";
  case JsonKind::object:
    break;
  }
  return "an object";
}

JsonDocument::JsonDocument(std::unique_ptr<JsonTree> tree) : tree_(std::move(tree)) {}
JsonDocument::JsonDocument(JsonDocument &&) noexcept = default;
JsonDocument &JsonDocument::operator=(JsonDocument &&) noexcept = default;
JsonDocument::~JsonDocument() = default;
JsonValue JsonDocument::root() const {
  return {tree_.get(), 0};
}

std::optional<JsonDocument> JsonDocument::parse(std::string_view text, const std::string &file,
                                                Diagnostics &diagnostics) {
  auto tree = std::make_unique<JsonTree>();
  tree->file = file;
  TreeBuilder builder(*tree, diagnostics, text);
  if (!nlohmann::json::sax_parse(text, &builder))
    return std::nullopt;
  return JsonDocument(std::move(tree));
}

} // namespace streammap
