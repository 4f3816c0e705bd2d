#include "support/Columns.h"
#include <algorithm>
#include <cstdio>

namespace streammap {
namespace {

std::string cut(std::string_view text, std::size_t columns) {
  return text.size() <= columns ? std::string(text)
                                : std::string(text.substr(0, columns < 2 ? 0 : columns - 2)) + "..";
}

} // namespace

std::string left(std::string_view text, std::size_t columns) {
  std::string result = cut(text, columns);
  result.resize(std::max(columns, result.size()), ' ');
  return result;
}

std::string right(std::string_view text, std::size_t columns) {
  const std::string result = cut(text, columns);
  return std::string(columns > result.size() ? columns - result.size() : 0, ' ') + result;
}

std::string wrapped(std::string_view text, std::size_t indent, std::string_view first) {
  std::string out;
  std::string line(first.empty() ? std::string(indent, ' ') : std::string(first));
  bool empty = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = text.find(' ', at);
    const std::string_view word = text.substr(at, blank == std::string_view::npos ? blank : blank - at);
    at = blank == std::string_view::npos ? text.size() : blank + 1;
    if (word.empty())
      continue;
    if (!empty && line.size() + 1 + word.size() > terminalWidth) {
      out += line + "\n";
      line.assign(indent, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + std::string(word);
    empty = false;
  }
  return out + line + "\n";
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string significant(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string counted(std::size_t number, std::string_view noun) {
  return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

} // namespace streammap
