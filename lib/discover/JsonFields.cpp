#include "discover/JsonFields.h"

namespace streammap {

std::optional<JsonValue> member(JsonValue value, std::string_view key) {
  if (value.kind() != JsonKind::object)
    return std::nullopt;
  for (JsonValue child : value.children())
    if (child.key() == key)
      return child;
  return std::nullopt;
}

std::optional<JsonValue> memberAt(JsonValue value, std::initializer_list<std::string_view> path) {
  std::optional<JsonValue> at = value;
  for (std::string_view key : path)
    if (at)
      at = member(*at, key);
  return at;
}

std::string textMember(JsonValue value, std::string_view key) {
  const std::optional<JsonValue> found = member(value, key);
  return found && found->kind() == JsonKind::text ? std::string(found->text()) : std::string();
}

std::optional<std::uint64_t> numberMember(JsonValue value, std::string_view key) {
  std::optional<JsonValue> found = member(value, key);
  if (found && found->kind() == JsonKind::object) {
    if (const std::optional<JsonValue> set = member(*found, "set");
        set && set->kind() == JsonKind::boolean && !set->boolean())
      return std::nullopt;
    found = member(*found, "number");
  }
  return found && found->kind() == JsonKind::number ? found->wholeNumber() : std::nullopt;
}

} // namespace streammap
