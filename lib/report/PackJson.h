#pragma once
// Long lists of objects by column, so that a page with many thousand tasks stays small: every key is written
// once, and so is every value that comes back.
//
//   [{"name": "a", "device": "n1:gpu0"}, {"name": "b", "device": "n1:gpu0"}]
//   {"#rows": 2, "#columns": {"name": {"each": ["a", "b"]}, "device": {"of": ["n1:gpu0"]}}}
//
// A column is the value of `each` row, or values `of` which a row has the one that `at` names by number
// (without `at`: the first). null stands for a key that the row does not have. page/report.js reads it back.
#include <nlohmann/json.hpp>

namespace streammap {

/// The same document with every list of two or more objects by column, at any depth. Expects no null in it
/// and no key that begins with '#'. O(size of the document).
nlohmann::ordered_json packed(const nlohmann::ordered_json &document);

} // namespace streammap
