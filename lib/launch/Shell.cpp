#include "launch/Shell.h"
#include <algorithm>

namespace streammap {
namespace {

bool isPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_./:=,@%+-").find(c) != std::string_view::npos;
}

} // namespace

std::string shellQuoted(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, isPlain))
    return std::string(word);
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shellCommand(std::span<const std::string> words) {
  std::string line;
  for (const std::string &word : words)
    line += (line.empty() ? "" : " ") + shellQuoted(word);
  return line;
}

} // namespace streammap
