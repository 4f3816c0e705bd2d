#include "support/Text.h"
#include <algorithm>
#include <charconv>

namespace streammap {
namespace {

char lowered(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

template <class Text>
std::optional<std::string> nearestOf(std::string_view word, std::span<const Text> candidates) {
  std::optional<std::string> best;
  std::size_t bestDistance = 0;
  for (const Text &candidate : candidates) {
    std::size_t longer = std::max(word.size(), candidate.size());
    std::size_t shorter = std::min(word.size(), candidate.size());
    std::size_t allowed = std::max<std::size_t>(1, longer / 3);
    if (longer - shorter > allowed || (best && longer - shorter >= bestDistance))
      continue;
    std::size_t distance = editDistance(word, candidate);
    if (distance > allowed || (best && distance >= bestDistance))
      continue;
    best = std::string(candidate);
    bestDistance = distance;
  }
  return best;
}

template <class Text>
std::string joined(std::span<const Text> parts, std::string_view separator) {
  std::string text;
  for (const Text &part : parts) {
    if (&part != &parts.front())
      text += separator;
    text += part;
  }
  return text;
}

std::string question(const std::optional<std::string> &word) {
  return word ? "; did you mean '" + *word + "'?" : std::string();
}

} // namespace

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> beforeLast, last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      bool same = lowered(a[i - 1]) == lowered(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      bool swapped =
          i > 1 && j > 1 && lowered(a[i - 1]) == lowered(b[j - 2]) && lowered(a[i - 2]) == lowered(b[j - 1]);
      if (swapped)
        now[j] = std::min(now[j], beforeLast[j - 2] + 1);
    }
    beforeLast = last;
    std::swap(last, now);
  }
  return last[b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  return nearestOf(word, candidates);
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  return nearestOf(word, candidates);
}

std::optional<std::string> nearest(std::string_view word,
                                   std::initializer_list<std::string_view> candidates) {
  return nearestOf(word, std::span<const std::string_view>(candidates.begin(), candidates.size()));
}

std::string didYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  return question(nearest(word, candidates));
}

std::string didYouMean(std::string_view word, std::span<const std::string> candidates) {
  return question(nearest(word, candidates));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return joined(parts, separator);
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return joined(parts, separator);
}

std::string_view trim(std::string_view text) {
  std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string abbreviated(std::string_view text) {
  if (text.size() <= 60)
    return std::string(text);
  std::size_t end = 57;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end; // never between the bytes of one UTF-8 letter
  return std::string(text.substr(0, end)) + "...";
}

std::string shortest(double value) {
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

bool naturallyBefore(std::string_view a, std::string_view b) {
  const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  while (!a.empty() && !b.empty()) {
    if (isDigit(a.front()) && isDigit(b.front())) {
      const auto number = [&](std::string_view &text) {
        std::size_t zeros = std::min(text.find_first_not_of('0'), text.size());
        text.remove_prefix(zeros);
        std::string_view digits = text.substr(0, std::ranges::find_if_not(text, isDigit) - text.begin());
        text.remove_prefix(digits.size());
        return digits;
      };
      std::string_view x = number(a), y = number(b);
      if (x != y)
        return x.size() != y.size() ? x.size() < y.size() : x < y;
      continue;
    }
    if (a.front() != b.front())
      return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

} // namespace streammap
