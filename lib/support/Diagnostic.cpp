#include "support/Diagnostic.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace streammap {
namespace {

using Json = nlohmann::ordered_json;

const char *nameOf(Severity severity) {
  switch (severity) {
  case Severity::note:
    return "note";
  case Severity::warning:
    return "warning";
  case Severity::error:
    break;
  }
  return "error";
}

/// The text of `json`; bytes that are no UTF-8 (a file name may hold any) become U+FFFD instead of a failure.
std::string dumped(const Json &json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string indented(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    std::size_t end = lines.find('\n');
    text += "    ";
    text += lines.substr(0, end);
    text += '\n';
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return text;
}

/// The replacement stands under the first marked column, as Clang prints its fix-its.
std::string fixUnder(const Diagnostic &diagnostic) {
  std::size_t caretLine = diagnostic.snippet.find('\n');
  if (caretLine == std::string::npos)
    return diagnostic.fix;
  std::size_t mark = diagnostic.snippet.find_first_of("^~", caretLine + 1);
  if (mark == std::string::npos)
    return diagnostic.fix;
  return std::string(mark - caretLine - 1, ' ') + diagnostic.fix;
}

void appendText(std::string &text, const Diagnostic &diagnostic) {
  std::string place = toText(diagnostic.location);
  if (!place.empty())
    text += place + ": ";
  text += std::string(nameOf(diagnostic.severity)) + ": " + diagnostic.message + "\n";
  text += indented(diagnostic.snippet);
  if (!diagnostic.fix.empty())
    text += indented(fixUnder(diagnostic));
  for (const Diagnostic &note : diagnostic.notes)
    appendText(text, note);
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string closingCount(const Diagnostics &diagnostics) {
  std::size_t warnings = 0;
  for (const Diagnostic &diagnostic : diagnostics.all())
    warnings += diagnostic.severity == Severity::warning;
  std::string text;
  if (diagnostics.hasErrors())
    text = counted(diagnostics.errorCount(), "error");
  if (warnings)
    text += (text.empty() ? "" : ", ") + counted(warnings, "warning");
  return text.empty() ? text : text + "\n";
}

Json asJson(const Diagnostic &diagnostic) {
  const SourceLocation &at = diagnostic.location;
  Json json{{"severity", nameOf(diagnostic.severity)}, {"file", at.file}};
  if (at.line)
    json["line"] = at.line;
  if (at.column)
    json["column"] = at.column;
  if (!at.jsonPointer.empty())
    json["pointer"] = at.jsonPointer;
  json["message"] = diagnostic.message;
  if (!diagnostic.code.empty())
    json["code"] = diagnostic.code;
  if (!diagnostic.snippet.empty())
    json["snippet"] = diagnostic.snippet;
  if (!diagnostic.fix.empty())
    json["fix"] = diagnostic.fix;
  for (const Diagnostic &note : diagnostic.notes)
    json["notes"].push_back(asJson(note));
  return json;
}

/// A path as a URI reference (RFC 3986): everything but unreserved characters and '/' is escaped.
std::string asUri(std::string_view path) {
  static constexpr char hex[] = "0123456789ABCDEF";
  std::string uri;
  if (path.starts_with('/'))
    uri = "file://";
  for (char letter : path) {
    auto byte = static_cast<unsigned char>(letter);
    bool plain = (byte < 128 && std::isalnum(byte)) ||
                 std::string_view("-._~/").find(letter) != std::string_view::npos;
    if (plain)
      uri += letter;
    else
      uri += {'%', hex[byte >> 4], hex[byte & 15]};
  }
  return uri;
}

Json sarifLocation(const SourceLocation &at) {
  Json location = Json::object();
  if (!at.file.empty()) {
    Json &physical = location["physicalLocation"];
    physical["artifactLocation"]["uri"] = asUri(at.file);
    if (at.line)
      physical["region"]["startLine"] = at.line;
    if (at.line && at.column)
      physical["region"]["startColumn"] = at.column;
  }
  if (!at.jsonPointer.empty())
    location["logicalLocations"] = Json::array({Json{{"fullyQualifiedName", at.jsonPointer}}});
  return location;
}

Json sarifResult(const Diagnostic &diagnostic) {
  Json result = Json::object();
  if (!diagnostic.code.empty())
    result["ruleId"] = diagnostic.code;
  result["level"] = nameOf(diagnostic.severity);
  result["message"]["text"] = diagnostic.message;
  Json location = sarifLocation(diagnostic.location);
  result["locations"] = location.empty() ? Json::array() : Json::array({std::move(location)});
  for (const Diagnostic &note : diagnostic.notes) {
    Json related = sarifLocation(note.location);
    related["message"]["text"] = note.message;
    result["relatedLocations"].push_back(std::move(related));
  }
  return result;
}

} // namespace

std::string toText(const SourceLocation &location) {
  std::string text = location.file;
  if (location.line)
    text += ":" + std::to_string(location.line);
  if (location.line && location.column)
    text += ":" + std::to_string(location.column);
  if (!location.jsonPointer.empty())
    text += ":" + location.jsonPointer;
  return text;
}

std::string toText(const Diagnostics &diagnostics) {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics.all())
    appendText(text, diagnostic);
  return text + closingCount(diagnostics);
}

std::string toJson(const Diagnostics &diagnostics) {
  Json json = Json::array();
  for (const Diagnostic &diagnostic : diagnostics.all())
    json.push_back(asJson(diagnostic));
  return dumped(json);
}

std::string toSarif(const Diagnostics &diagnostics) {
  std::set<std::string> codes;
  Json results = Json::array();
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    if (!diagnostic.code.empty())
      codes.insert(diagnostic.code);
    results.push_back(sarifResult(diagnostic));
  }
  Json rules = Json::array();
  for (const std::string &code : codes)
    rules.push_back(Json{{"id", code}});
  Json run;
  run["tool"]["driver"] = Json{{"name", "streammap"}, {"rules", std::move(rules)}};
  run["results"] = std::move(results);
  Json log;
  log["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  log["version"] = "2.1.0";
  log["runs"] = Json::array({std::move(run)});
  return dumped(log);
}

} // namespace streammap
