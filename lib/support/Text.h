#pragma once
// Small things done with words:
//
//   nearest("imout", {"in", "out", "inout"})   -> "inout"
//   split("a,b,,c", ',')                       -> "a" "b" "" "c"
//   join({"a", "b"}, ", ")                     -> "a, b"
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal string
/// alignment: Damerau 1964, each substring edited once). Letters that differ only in case count as equal.
/// O(|a| |b|).
std::size_t editDistance(std::string_view a, std::string_view b);

/// The candidate a person most likely meant by `word`: the smallest edit distance that is at most a third of
/// the longer word (and at least 1), ties to the earlier candidate; nothing if none is that near.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string_view> candidates);
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);
std::optional<std::string> nearest(std::string_view word, std::initializer_list<std::string_view> candidates);

/// "; did you mean 'switch'?", or nothing when there is nothing near: the end of an error message.
std::string didYouMean(std::string_view word, std::span<const std::string_view> candidates);
std::string didYouMean(std::string_view word, std::span<const std::string> candidates);

std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string join(std::span<const std::string_view> parts, std::string_view separator);
/// "n2" before "n10": runs of digits compare as numbers, everything else by character.
bool naturallyBefore(std::string_view a, std::string_view b);
std::string_view trim(std::string_view text);
/// The beginning of a text that is too long for a message: at most 60 bytes, "..." included.
std::string abbreviated(std::string_view text);
/// The fewest digits that read back as the same double: "0.1", "5e-324", "1e+23".
std::string shortest(double value);

} // namespace streammap
