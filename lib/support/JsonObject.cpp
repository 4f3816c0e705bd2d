#include "support/Json.h"
#include "support/Text.h"
#include <algorithm>

namespace streammap {
namespace {

std::string rangeText(double least, double greatest, double unlimited) {
  if (greatest >= unlimited)
    return shortest(least) + " or more";
  return "from " + shortest(least) + " to " + shortest(greatest);
}

void expected(JsonValue value, const std::string &what, Diagnostics &diagnostics) {
  diagnostics.error(value.location(), "expected " + what + ", found " + value.description(), "bad-value");
}

std::vector<std::string_view> namesOf(std::span<const JsonKey> keys) {
  std::vector<std::string_view> names;
  for (const JsonKey &key : keys)
    names.push_back(key.name);
  return names;
}

/// The text under `key` parsed by `parse`, or the number under `key` + `suffix`.
template <class Quantity>
std::optional<Quantity> quantity(const JsonObject &object, std::string_view key, std::string_view suffix,
                                 Expected<Quantity> (*parse)(std::string_view), std::string_view example) {
  const std::string plainKey = std::string(key) + std::string(suffix);
  std::optional<JsonValue> text = object.find(key), plain = object.find(plainKey);
  if (text && plain)
    object.error(plainKey, "'" + std::string(key) + "' already says this; keep one of the two");
  if (!text) {
    std::optional<double> number = object.number(plainKey);
    return number ? std::optional(Quantity(*number)) : std::nullopt;
  }
  if (text->kind() != JsonKind::text) {
    std::string plainToo =
        text->kind() == JsonKind::number ? "; a plain number goes under '" + plainKey + "'" : "";
    object.error(key, "expected text with a unit such as " + std::string(example) + ", found " +
                          text->description() + plainToo);
    return std::nullopt;
  }
  Expected<Quantity> parsed = parse(text->text());
  if (parsed)
    return *parsed;
  object.error(key, parsed.error().message, "bad-unit");
  return std::nullopt;
}

} // namespace

JsonObject::JsonObject(JsonValue value, std::span<const JsonKey> keys, Diagnostics &diagnostics)
    : value_(value), diagnostics_(&diagnostics) {
  if (value.kind() != JsonKind::object) {
    expected(value, "an object", diagnostics);
    return;
  }
  children_ = value.children();
  for (JsonValue child : children_)
    if (std::ranges::find(keys, child.key(), &JsonKey::name) == keys.end())
      diagnostics.error(child.location(),
                        "unknown key '" + abbreviated(child.key()) + "'" +
                            didYouMean(child.key(), namesOf(keys)),
                        "unknown-key");
  for (const JsonKey &key : keys)
    if (key.need == Need::required && !has(key.name))
      diagnostics.error(value.location(), "missing key '" + std::string(key.name) + "'", "missing-key");
}

std::optional<JsonValue> JsonObject::find(std::string_view key) const {
  for (JsonValue child : children_)
    if (child.key() == key)
      return child;
  return std::nullopt;
}

std::optional<std::string> JsonObject::text(std::string_view key) const {
  std::optional<JsonValue> value = find(key);
  return value ? readText(*value, *diagnostics_) : std::nullopt;
}

std::optional<double> JsonObject::number(std::string_view key, NumberRange range) const {
  std::optional<JsonValue> value = find(key);
  return value ? readNumber(*value, *diagnostics_, range) : std::nullopt;
}

std::optional<std::uint64_t> JsonObject::wholeNumber(std::string_view key, WholeRange range) const {
  std::optional<JsonValue> value = find(key);
  return value ? readWholeNumber(*value, *diagnostics_, range) : std::nullopt;
}

std::optional<bool> JsonObject::boolean(std::string_view key) const {
  const std::optional<JsonValue> value = find(key);
  if (value && value->kind() == JsonKind::boolean)
    return value->boolean();
  if (value)
    expected(*value, "true or false", *diagnostics_);
  return std::nullopt;
}

std::vector<JsonValue> JsonObject::array(std::string_view key) const {
  std::optional<JsonValue> value = find(key);
  if (value && value->kind() == JsonKind::array)
    return value->children();
  if (value)
    expected(*value, "an array", *diagnostics_);
  return {};
}

std::vector<std::string> JsonObject::textArray(std::string_view key) const {
  std::vector<std::string> texts;
  for (JsonValue element : array(key))
    if (std::optional<std::string> text = readText(element, *diagnostics_))
      texts.push_back(std::move(*text));
  return texts;
}

std::vector<JsonValue> JsonObject::members(std::string_view key) const {
  std::optional<JsonValue> value = find(key);
  if (value && value->kind() == JsonKind::object)
    return value->children();
  if (value)
    expected(*value, "an object", *diagnostics_);
  return {};
}

std::optional<std::size_t> JsonObject::oneOf(std::string_view key,
                                             std::span<const std::string_view> words) const {
  std::optional<std::string> word = text(key);
  if (!word)
    return std::nullopt;
  auto found = std::ranges::find(words, *word);
  if (found != words.end())
    return static_cast<std::size_t>(found - words.begin());
  error(key, "expected one of " + join(words, ", ") + ", found the text '" + abbreviated(*word) + "'" +
                 didYouMean(*word, words));
  return std::nullopt;
}

std::optional<Bytes> JsonObject::sizeOf(std::string_view key) const {
  return quantity<Bytes>(*this, key, "_bytes", parseBytes, "\"80GiB\"");
}
std::optional<Seconds> JsonObject::time(std::string_view key) const {
  return quantity<Seconds>(*this, key, "_seconds", parseSeconds, "\"2us\"");
}
std::optional<BytesPerSecond> JsonObject::bandwidth(std::string_view key) const {
  return quantity<BytesPerSecond>(*this, key, "_bytes_per_second", parseBytesPerSecond, "\"400Gb/s\"");
}
std::optional<FlopsPerSecond> JsonObject::rate(std::string_view key) const {
  return quantity<FlopsPerSecond>(*this, key, "_flops_per_second", parseFlopsPerSecond, "\"67TFLOP/s\"");
}
std::optional<Watts> JsonObject::power(std::string_view key) const {
  return quantity<Watts>(*this, key, "_watts", parseWatts, "\"10.2kW\"");
}

SourceLocation JsonObject::locationOf(std::string_view key) const {
  std::optional<JsonValue> value = find(key);
  return value ? value->location() : location();
}

void JsonObject::error(std::string_view key, std::string message, std::string code) const {
  diagnostics_->error(locationOf(key), std::move(message), std::move(code));
}

std::optional<std::string> readText(JsonValue value, Diagnostics &diagnostics) {
  if (value.kind() == JsonKind::text)
    return std::string(value.text());
  expected(value, "text", diagnostics);
  return std::nullopt;
}

std::optional<double> readNumber(JsonValue value, Diagnostics &diagnostics, NumberRange range) {
  bool right =
      value.kind() == JsonKind::number && value.number() >= range.least && value.number() <= range.greatest;
  if (right)
    return value.number();
  bool free = range.least <= std::numeric_limits<double>::lowest();
  expected(value,
           free ? "a number"
                : "a number, " + rangeText(range.least, range.greatest, std::numeric_limits<double>::max()),
           diagnostics);
  return std::nullopt;
}

std::optional<std::uint64_t> readWholeNumber(JsonValue value, Diagnostics &diagnostics, WholeRange range) {
  if (value.kind() == JsonKind::number)
    if (std::optional<std::uint64_t> whole = value.wholeNumber();
        whole && *whole >= range.least && *whole <= range.greatest)
      return whole;
  std::string least = std::to_string(range.least), greatest = std::to_string(range.greatest);
  const bool isBeyond =
      value.kind() == JsonKind::number && value.number() > static_cast<double>(range.greatest);
  expected(value,
           range.greatest >= WholeRange{}.greatest && !isBeyond
               ? "a whole number, " + least + " or more"
               : "a whole number from " + least + " to " + greatest +
                     (range.greatest == WholeRange{}.greatest ? " (2^53)" : ""),
           diagnostics);
  return std::nullopt;
}

bool hasSchema(JsonValue root, std::string_view schema, Diagnostics &diagnostics) {
  if (root.kind() != JsonKind::object) {
    expected(root, "an object with \"schema\": \"" + std::string(schema) + "\"", diagnostics);
    return false;
  }
  for (JsonValue member : root.children()) {
    if (member.key() != "schema")
      continue;
    if (member.kind() == JsonKind::text && member.text() == schema)
      return true;
    std::string_view family = schema.substr(0, schema.rfind('/') + 1);
    std::string hint;
    if (member.kind() == JsonKind::text && member.text().starts_with(family))
      hint = "; this version of streammap reads version " + std::string(schema.substr(family.size())) +
             " only: use the version that wrote the file, or write it again with this one";
    else if (member.kind() == JsonKind::text && member.text().starts_with("streammap."))
      hint = "; this is another kind of StreamMAP file";
    diagnostics.error(member.location(),
                      "expected \"" + std::string(schema) + "\", found " + member.description() + hint,
                      "wrong-schema");
    return false;
  }
  diagnostics.error(root.location(),
                    "missing key 'schema'; a file of this kind starts with \"schema\": \"" +
                        std::string(schema) + "\"",
                    "wrong-schema");
  return false;
}

} // namespace streammap
