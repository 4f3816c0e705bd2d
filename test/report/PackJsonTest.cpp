#include "report/PackJson.h"
#include "support/Catch.h"

using namespace streammap;
using Json = nlohmann::ordered_json;

namespace {

/// What page/report.js does with the packed document.
Json unpacked(const Json &json) {
  if (!json.is_structured())
    return json;
  Json result = json.is_array() ? Json::array() : Json::object();
  if (json.is_array()) {
    for (const Json &element : json)
      result.push_back(unpacked(element));
    return result;
  }
  if (!json.contains("#rows")) {
    for (const auto &[key, value] : json.items())
      result[key] = unpacked(value);
    return result;
  }
  result = Json::array();
  for (std::size_t row = 0; row < json["#rows"].get<std::size_t>(); ++row) {
    Json object = Json::object();
    for (const auto &[key, column] : json["#columns"].items()) {
      const Json &value = column.contains("each") ? column["each"][row]
                          : column.contains("at") ? column["of"][column["at"][row].get<std::size_t>()]
                                                  : column["of"][0];
      if (!value.is_null())
        object[key] = unpacked(value);
    }
    result.push_back(object);
  }
  return result;
}

Json parsed(const char *text) {
  return Json::parse(text);
}

} // namespace

TEST_CASE("lists of objects are packed by column") {
  CHECK(
      packed(parsed(R"([{"name": "a", "device": "g", "kind": "x"}, {"name": "b", "device": "g", "kind": "y"},
                          {"name": "c", "device": "g", "kind": "x"}, {"name": "d", "device": "g", "kind": "y"}])")) ==
      parsed(R"({"#rows": 4, "#columns": {"name": {"each": ["a", "b", "c", "d"]}, "device": {"of": ["g"]},
                   "kind": {"of": ["x", "y"], "at": [0, 1, 0, 1]}}})"));
}

TEST_CASE("what is no list of objects stays as it is") {
  for (const char *text :
       {"3", "[]", "{}", "[1, 2]", R"([{"a": 1}])", R"([{"a": 1}, 2])", R"({"a": ["b", "b"]})"})
    CHECK(packed(parsed(text)) == parsed(text));
}

TEST_CASE("unpacking gives the document back, with missing keys, empty lists and tables inside tables") {
  const Json document = parsed(R"({"tasks": [
      {"id": "a", "launches": [{"blocks": 1}, {"blocks": 1}], "low": 0},
      {"id": "b", "launches": [], "measured": 0.5},
      {"id": "c", "launches": [{"blocks": 1}, {"blocks": 1}], "low": 0}], "chain": []})");
  CHECK(nlohmann::json(unpacked(packed(document))) == nlohmann::json(document)); // keys in any order
}
