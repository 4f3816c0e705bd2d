#pragma once
// Other people's JSON, which grows keys with every version: fields are looked up, and what is not known is
// passed over. (Our own files are read strictly, with JsonObject.)
#include "support/Json.h"
#include <optional>
#include <string>
#include <string_view>

namespace streammap {

/// The member `key` of an object; nothing when it has none or `value` is no object.
std::optional<JsonValue> member(JsonValue value, std::string_view key);

/// The member at a path of keys.
std::optional<JsonValue> memberAt(JsonValue value, std::initializer_list<std::string_view> path);

/// Its text; empty when it is absent or no text.
std::string textMember(JsonValue value, std::string_view key);

/// A whole number, plain or in Slurm's {"set": true, "infinite": false, "number": 5}; nothing when not set.
std::optional<std::uint64_t> numberMember(JsonValue value, std::string_view key);

} // namespace streammap
