#include "report/PackJson.h"
#include <algorithm>
#include <string>
#include <unordered_map>

namespace streammap {
namespace {

using Json = nlohmann::ordered_json;

bool isTable(const Json &list) {
  return list.size() >= 2 && std::ranges::all_of(list, [](const Json &row) { return row.is_object(); });
}

/// Rows without the key have null.
Json column(const Json &rows, const std::string &key) {
  Json each = Json::array(), distinct = Json::array(), at = Json::array();
  std::unordered_map<std::string, std::size_t> numberOf; // only looked up, so its order is in no result
  for (const Json &row : rows) {
    const auto found = row.find(key);
    Json value = found == row.end() ? Json() : packed(*found);
    const auto [number, isNew] = numberOf.try_emplace(value.dump(), distinct.size());
    if (isNew)
      distinct.push_back(value);
    at.push_back(number->second);
    each.push_back(std::move(value));
  }
  if (distinct.size() == 1)
    return {{"of", std::move(distinct)}};
  if (distinct.size() * 2 > rows.size())
    return {{"each", std::move(each)}};
  return {{"of", std::move(distinct)}, {"at", std::move(at)}};
}

Json table(const Json &rows) {
  Json columns = Json::object();
  for (const Json &row : rows)
    for (const auto &[key, value] : row.items())
      if (!columns.contains(key))
        columns[key] = column(rows, key);
  return {{"#rows", rows.size()}, {"#columns", std::move(columns)}};
}

} // namespace

Json packed(const Json &document) {
  if (document.is_array()) {
    if (isTable(document))
      return table(document);
    Json list = Json::array();
    for (const Json &element : document)
      list.push_back(element.is_structured() ? packed(element) : element);
    return list;
  }
  if (!document.is_object())
    return document;
  Json object = Json::object();
  for (const auto &[key, value] : document.items())
    object[key] = packed(value);
  return object;
}

} // namespace streammap
