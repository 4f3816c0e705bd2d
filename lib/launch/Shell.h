#pragma once
// Words for a POSIX shell:
//
//   shellQuoted("8 32")                        -> '8 32'
//   shellCommand({"./app", "it's"})            -> ./app 'it'\''s'
#include <span>
#include <string>
#include <string_view>

namespace streammap {

/// The word as a shell reads it back unchanged; words of letters, digits and `_./:=,@%+-` stay as they are.
std::string shellQuoted(std::string_view word);
std::string shellCommand(std::span<const std::string> words);

} // namespace streammap
