#include "support/JsonText.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace streammap {
namespace {

/// On one line. Bytes that are no UTF-8 become U+FFFD: a file name must not stop the output.
std::string dumped(const JsonText::Json &value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool isPlain(char letter) {
  return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
}

} // namespace

/// Every value but the first behind an opening bracket or a key follows a comma.
void JsonLine::separate() {
  if (const char last = text_->back(); last != '{' && last != '[' && last != ':' && last != ' ')
    *text_ += ',';
}

void JsonLine::quote(std::string_view text) {
  if (!std::ranges::all_of(text, isPlain)) {
    *text_ += dumped(JsonText::Json(text));
    return;
  }
  *text_ += '"';
  *text_ += text;
  *text_ += '"';
}

JsonLine &JsonLine::key(std::string_view key) {
  separate();
  quote(key);
  *text_ += ':';
  return *this;
}

JsonLine &JsonLine::value(std::string_view text) {
  separate();
  quote(text);
  return *this;
}

JsonLine &JsonLine::value(double number) {
  separate();
  char letters[64];
  if (number == std::floor(number) && std::abs(number) < 9007199254740992.0) {
    const auto written = std::to_chars(letters, letters + sizeof letters, static_cast<std::int64_t>(number));
    text_->append(letters, written.ptr);
  } else if (std::isfinite(number)) {
    // The library's own routine, since not every shortest form is the same.
    text_->append(letters, nlohmann::detail::to_chars(letters, letters + sizeof letters, number));
  } else {
    *text_ += "null";
  }
  return *this;
}

JsonLine &JsonLine::value(std::uint64_t number) {
  separate();
  *text_ += std::to_string(number);
  return *this;
}

JsonLine &JsonLine::null() {
  separate();
  *text_ += "null";
  return *this;
}

JsonLine &JsonLine::open(char bracket) {
  separate();
  *text_ += bracket;
  return *this;
}

JsonLine &JsonLine::close(char bracket) {
  *text_ += bracket;
  return *this;
}

JsonLine &JsonLine::member(std::string_view name, const std::vector<std::string> &items) {
  key(name).beginArray();
  for (const std::string &item : items)
    value(item);
  return endArray();
}

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

JsonLine JsonText::item() {
  newLine("    ");
  return JsonLine(text_);
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
