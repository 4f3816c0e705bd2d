#pragma once
// What the line-oriented parsers share: walking lines with their numbers, and fields of them.
//
//   for (LineScanner lines(text); lines.next();)
//     use(lines.line(), lines.number());
#include "support/Diagnostic.h"
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace streammap {

/// The lines of a text without their ends; a carriage return before the end is no part of the line.
class LineScanner {
public:
  explicit LineScanner(std::string_view text) : rest_(text) {}
  bool next();
  std::string_view line() const { return line_; }
  unsigned number() const { return number_; } ///< from 1

private:
  std::string_view rest_, line_;
  unsigned number_ = 0;
};

/// The words of a line: what stands between blanks and tabs.
std::vector<std::string_view> words(std::string_view line);

/// `Key=Value` pairs of a Slurm line. A value ends at a blank that is followed by the next key or the end, so
/// that `OS=Linux 6.1 #1` is one value.
std::vector<std::pair<std::string_view, std::string_view>> keyValues(std::string_view line);

/// A whole number that fills all of `text`.
template <class Number = unsigned>
std::optional<Number> wholeNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(number)
                                                                                   : std::nullopt;
}

/// The number a text begins with: 66.92 of "66.92 W". Nothing for "N/A".
std::optional<double> leadingNumber(std::string_view text);

/// The whole numbers of "0-3,7"; nothing when it is no such list, or has more than 4096 of them.
std::optional<std::vector<unsigned>> numberList(std::string_view text);

std::string lowered(std::string_view text);
bool equalIgnoringCase(std::string_view a, std::string_view b);

/// The place of `line` (from 1) of `file`.
inline SourceLocation lineOf(const std::string &file, unsigned line, unsigned column = 0) {
  return {file, line, column, {}};
}

} // namespace streammap
