#include "support/JsonText.h"
#include <cmath>

namespace streammap {
namespace {

/// On one line. Bytes that are no UTF-8 become U+FFFD: a file name must not stop the output.
std::string dumped(const JsonText::Json &value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

JsonText::JsonText(std::string_view schema) : text_("{") {
  member("schema", schema);
}

void JsonText::newLine(std::string_view indent) {
  text_ += first_ ? "\n" : ",\n";
  text_ += indent;
  first_ = false;
}

void JsonText::member(std::string_view key, const Json &value) {
  newLine("  ");
  text_ += dumped(key) + ": " + dumped(value);
}

void JsonText::beginList(std::string_view key) {
  newLine("  ");
  text_ += dumped(key) + ": [";
  first_ = true;
}

void JsonText::item(const Json &value) {
  newLine("    ");
  text_ += dumped(value);
}

void JsonText::endList() {
  text_ += first_ ? "]" : "\n  ]";
  first_ = false;
}

void JsonText::beginMap(std::string_view key) {
  newLine("  ");
  text_ += dumped(key) + ": {";
  first_ = true;
}

void JsonText::entry(std::string_view key, const Json &value) {
  newLine("    ");
  text_ += dumped(key) + ": " + dumped(value);
}

void JsonText::endMap() {
  text_ += first_ ? "}" : "\n  }";
  first_ = false;
}

std::string JsonText::finish() {
  return std::move(text_) + "\n}\n";
}

nlohmann::ordered_json jsonNumber(double value) {
  if (value == std::floor(value) && std::abs(value) < 9007199254740992.0)
    return static_cast<std::int64_t>(value);
  return value;
}

} // namespace streammap
