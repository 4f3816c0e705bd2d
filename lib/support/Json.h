#pragma once
// Reads JSON and judges it while reading: every mistake becomes a Diagnostic with its JSON pointer, what was
// found and what was expected. nlohmann/json does the parsing; the tree is ours so that 100,000 tasks stay
// small and so that every value knows its pointer.
//
//   std::optional<JsonDocument> document = JsonDocument::parse(text, "pod.json", diagnostics);
//   static constexpr JsonKey keys[] = {{"name", Need::required}, {"count"}};
//   JsonObject node(document->root(), keys, diagnostics);   // pod.json:/nmae: error: unknown key 'nmae'; did
//   you ... std::optional<std::string> name = node.text("name"); std::optional<std::uint64_t> count =
//   node.wholeNumber("count", {1, 1024});
//
// A getter returns nothing when the key is absent or its value is wrong; a wrong value has then been
// reported, and so has a required key that is missing.
#include "support/Diagnostic.h"
#include "support/Units.h"
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

enum class JsonKind : std::uint8_t { null, boolean, number, text, array, object };

class JsonTree; // the parsed file, in Json.cpp

/// One value of a document, as cheap to copy as a pointer; valid while its JsonDocument lives.
class JsonValue {
public:
  JsonValue() = default;
  JsonValue(const JsonTree *tree, std::uint32_t node) : tree_(tree), node_(node) {}
  JsonKind kind() const;
  /// Its key in the object around it; empty for elements of arrays and for the root.
  std::string_view key() const;
  /// Elements of an array, members of an object in file order; empty otherwise.
  std::vector<JsonValue> children() const;
  std::size_t size() const;
  std::string_view text() const; ///< of a text
  double number() const;         ///< of a number
  bool boolean() const;          ///< of a boolean
  /// The number when it is written as a whole one that fits.
  std::optional<std::uint64_t> wholeNumber() const;
  /// "/nodes/0/type" (RFC 6901); empty for the root.
  std::string pointer() const;
  SourceLocation location() const;
  /// What a person would call it: "the number 3", "the text 'x'", "an array".
  std::string description() const;

private:
  const JsonTree *tree_ = nullptr;
  std::uint32_t node_ = 0;
};

/// A whole file. A key that stands twice in one object is an error, as is text after the value.
class JsonDocument {
public:
  /// Nothing, and "file:line:column: error: ..." in `diagnostics`, when the text is no JSON.
  static std::optional<JsonDocument> parse(std::string_view text, const std::string &file,
                                           Diagnostics &diagnostics);
  JsonDocument(JsonDocument &&) noexcept;
  JsonDocument &operator=(JsonDocument &&) noexcept;
  ~JsonDocument();
  JsonValue root() const;

private:
  explicit JsonDocument(std::unique_ptr<JsonTree> tree);
  std::unique_ptr<JsonTree> tree_;
};

enum class Need { optional, required };

struct JsonKey {
  std::string_view name;
  Need need = Need::optional;
};

/// Least and greatest value allowed, both included.
struct WholeRange {
  std::uint64_t least = 0;
  std::uint64_t greatest = std::uint64_t{1} << 53; // beyond it JSON readers elsewhere lose digits
};
struct NumberRange {
  double least = 0;
  double greatest = std::numeric_limits<double>::max();
};

/// An object whose keys are known. Holds the diagnostics it reports into.
class JsonObject {
public:
  /// Reports a value that is no object, every key not in `keys`, and every required key that is missing.
  JsonObject(JsonValue value, std::span<const JsonKey> keys, Diagnostics &diagnostics);

  bool has(std::string_view key) const { return find(key).has_value(); }
  /// The raw value; its type is the caller's affair.
  std::optional<JsonValue> find(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  std::optional<double> number(std::string_view key, NumberRange range = {}) const;
  std::optional<std::uint64_t> wholeNumber(std::string_view key, WholeRange range = {}) const;
  std::optional<bool> boolean(std::string_view key) const;
  /// Elements; empty also when the key is absent.
  std::vector<JsonValue> array(std::string_view key) const;
  std::vector<std::string> textArray(std::string_view key) const;
  /// Members of an object whose keys are data; empty also when the key is absent.
  std::vector<JsonValue> members(std::string_view key) const;
  /// One of `words`, as its index.
  std::optional<std::size_t> oneOf(std::string_view key, std::span<const std::string_view> words) const;

  /// A quantity: text with its unit under `key` ("memory": "80GiB"), or a plain number in the base unit under
  /// the key that names it ("memory_bytes": 85899345920).
  std::optional<Bytes> sizeOf(std::string_view key) const;
  std::optional<Seconds> time(std::string_view key) const;
  std::optional<BytesPerSecond> bandwidth(std::string_view key) const;
  std::optional<FlopsPerSecond> rate(std::string_view key) const;
  std::optional<Watts> power(std::string_view key) const;

  JsonValue value() const { return value_; }
  SourceLocation location() const { return value_.location(); }
  /// The place of `key`'s value, or of the object when the key is absent.
  SourceLocation locationOf(std::string_view key) const;
  void error(std::string_view key, std::string message, std::string code = "bad-value") const;
  Diagnostics &diagnostics() const { return *diagnostics_; }

private:
  JsonValue value_;
  std::vector<JsonValue> children_;
  Diagnostics *diagnostics_;
};

/// The same checks for values that are not behind a key: elements of arrays, members of maps.
std::optional<std::string> readText(JsonValue value, Diagnostics &diagnostics);
std::optional<double> readNumber(JsonValue value, Diagnostics &diagnostics, NumberRange range = {});
std::optional<std::uint64_t> readWholeNumber(JsonValue value, Diagnostics &diagnostics,
                                             WholeRange range = {});

/// The root as an object whose "schema" is `schema` ("streammap.tasks/1"); nothing, and an error that says
/// what reads the file instead, when it is another.
bool hasSchema(JsonValue root, std::string_view schema, Diagnostics &diagnostics);

} // namespace streammap
