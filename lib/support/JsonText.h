#pragma once
// Writes our files: one line per element, so that two versions can be compared with diff.
//
//   JsonText file("streammap.tasks/1");
//   file.member("program", {...});
//   file.beginList("tasks");
//   file.item({{"id", "t0"}, {"priority", jsonNumber(1)}});
//   file.endList();
//   file.finish();   // {\n  "schema": "streammap.tasks/1",\n  "program": {...},\n  "tasks": [\n    {...}\n
//   ]\n}\n
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace streammap {

class JsonText {
public:
  using Json = nlohmann::ordered_json;

  explicit JsonText(std::string_view schema);
  void member(std::string_view key, const Json &value);
  void beginList(std::string_view key);
  void item(const Json &value);
  void endList();
  /// An object with one line per member.
  void beginMap(std::string_view key);
  void entry(std::string_view key, const Json &value);
  void endMap();
  std::string finish();

private:
  void newLine(std::string_view indent);

  std::string text_;
  bool first_ = true; ///< of the innermost list, map or object
};

/// Whole values as integers ("524288", not "524288.0"), all others with the digits that read back the same.
nlohmann::ordered_json jsonNumber(double value);

} // namespace streammap
