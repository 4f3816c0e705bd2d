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
#include <vector>

namespace streammap {

/// Appends one value to a text, member by member, in the very letters that a Json value would be written in,
/// at a tenth of the cost: for the lists that have millions of elements.
///
///   JsonLine(text).beginObject().member("id", "t0").member("bytes", 4096.0).endObject();   // {"id":"t0",...
class JsonLine {
public:
  explicit JsonLine(std::string &text) : text_(&text) {}
  JsonLine &key(std::string_view key);
  JsonLine &value(std::string_view text);
  JsonLine &value(double number); ///< as jsonNumber writes it
  JsonLine &value(std::uint64_t number);
  JsonLine &null();
  JsonLine &beginObject() { return open('{'); }
  JsonLine &endObject() { return close('}'); }
  JsonLine &beginArray() { return open('['); }
  JsonLine &endArray() { return close(']'); }
  template <class T>
  JsonLine &member(std::string_view name, const T &item) {
    return key(name).value(item);
  }
  JsonLine &member(std::string_view name, const std::vector<std::string> &items);

private:
  JsonLine &open(char bracket);
  JsonLine &close(char bracket);
  void separate();
  void quote(std::string_view text);

  std::string *text_;
};

class JsonText {
public:
  using Json = nlohmann::ordered_json;

  explicit JsonText(std::string_view schema);
  void member(std::string_view key, const Json &value);
  void beginList(std::string_view key);
  void item(const Json &value);
  /// The next item, to be written as one value.
  JsonLine item();
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
