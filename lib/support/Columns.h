#pragma once
// Tables and paragraphs for a terminal of 80 columns:
//
//   left("n001:gpu0", 12) + right("1.20 ms", 10)     "n001:gpu0      1.20 ms"
//   wrapped("a long sentence ...", 4)                lines that start at column 4
#include <cstddef>
#include <string>
#include <string_view>

namespace streammap {

inline constexpr std::size_t terminalWidth = 80;

/// Padded or, with ".." at its end, cut to `columns` bytes.
std::string left(std::string_view text, std::size_t columns);
std::string right(std::string_view text, std::size_t columns);

/// Broken at blanks so that no line passes 80 columns, each line with `indent` blanks before it and a line
/// end behind it. A word longer than a line stays whole. `first` takes the place of the first line's indent.
std::string wrapped(std::string_view text, std::size_t indent, std::string_view first = "");

/// "12.3 %"
std::string percent(double share);
/// Three significant digits without a unit: "1.31", "0.0042", "120".
std::string significant(double value);
/// "1 task", "12 tasks".
std::string counted(std::size_t number, std::string_view noun);

} // namespace streammap
