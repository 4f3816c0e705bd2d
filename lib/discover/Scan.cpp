#include "discover/Scan.h"
#include <algorithm>
#include <cctype>
#include <cmath>

namespace streammap {
namespace {

bool isBlank(char letter) {
  return letter == ' ' || letter == '\t';
}

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Whether `text` begins with `Key=`, where Key is a word that begins with a letter.
std::size_t keyLength(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
    ++end;
  const bool isKey =
      end != 0 && end < text.size() && text[end] == '=' && std::isalpha(static_cast<unsigned char>(text[0]));
  return isKey ? end : 0;
}

} // namespace

bool LineScanner::next() {
  if (rest_.empty())
    return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (line_.ends_with('\r'))
    line_.remove_suffix(1);
  ++number_;
  return true;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i < line.size();) {
    while (i < line.size() && isBlank(line[i]))
      ++i;
    const std::size_t begin = i;
    while (i < line.size() && !isBlank(line[i]))
      ++i;
    if (i != begin)
      found.push_back(line.substr(begin, i - begin));
  }
  return found;
}

std::vector<std::pair<std::string_view, std::string_view>> keyValues(std::string_view line) {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  for (std::size_t i = 0; i < line.size();) {
    if (isBlank(line[i])) {
      ++i;
      continue;
    }
    const std::size_t key = keyLength(line.substr(i));
    if (key == 0) {
      while (i < line.size() && !isBlank(line[i]))
        ++i;
      continue;
    }
    const std::size_t begin = i + key + 1;
    std::size_t end = begin;
    while (end < line.size() && !(isBlank(line[end]) && keyLength(line.substr(end + 1)) != 0))
      ++end;
    std::size_t last = end;
    while (last > begin && isBlank(line[last - 1]))
      --last;
    pairs.emplace_back(line.substr(i, key), line.substr(begin, last - begin));
    i = end;
  }
  return pairs;
}

std::optional<double> leadingNumber(std::string_view text) {
  while (!text.empty() && isBlank(text.front()))
    text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

std::optional<std::vector<unsigned>> numberList(std::string_view text) {
  constexpr std::size_t most = 4096;
  std::vector<unsigned> numbers;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t dash = range.find('-');
    const std::optional<unsigned> low = wholeNumber(range.substr(0, dash));
    const std::optional<unsigned> high =
        dash == std::string_view::npos ? low : wholeNumber(range.substr(dash + 1));
    if (!low || !high || *high < *low || *high - *low >= most || numbers.size() + (*high - *low) >= most)
      return std::nullopt;
    for (unsigned number = *low; number <= *high; ++number)
      numbers.push_back(number);
  }
  return numbers;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

bool equalIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

} // namespace streammap
