#include "interchange/Lines.h"
#include "support/Text.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace streammap {
namespace {

std::vector<Word> wordsOf(std::string_view line, unsigned number, std::string_view separators) {
  const std::string gaps = " \t\r" + std::string(separators);
  std::vector<Word> words;
  for (std::size_t at = line.find_first_not_of(gaps); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(gaps, at), line.size());
    words.push_back({line.substr(at, end - at), number, static_cast<unsigned>(at + 1)});
    at = line.find_first_not_of(gaps, end);
  }
  return words;
}

} // namespace

std::vector<Line> linesOf(std::string_view text, std::string_view separators) {
  std::vector<Line> lines;
  unsigned number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (std::vector<Word> words = wordsOf(line, number, separators); !words.empty())
      lines.push_back({number, line, std::move(words)});
  }
  return lines;
}

std::optional<double> numberIn(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

void LineJudge::error(const Word &word, const std::string &message) const {
  diagnostics_->error(locationOf(word), message, "bad-value");
}

void LineJudge::expected(const Line &line, std::size_t index, const std::string &what) const {
  if (index < line.words.size())
    return error(line.words[index],
                 "expected " + what + ", found '" + abbreviated(line.words[index].text) + "'");
  const Word &last = line.words.back();
  error({{}, line.number, static_cast<unsigned>(last.column + last.text.size())},
        "expected " + what + ", found the end of the line");
}

void LineJudge::expectedAtEnd(const std::string &what) const {
  diagnostics_->error({file_, 0, 0, ""}, "expected " + what + ", found the end of the file", "bad-value");
}

std::optional<double> LineJudge::number(const Line &line, std::size_t index, const std::string &what) const {
  if (index < line.words.size())
    if (const std::optional<double> value = numberIn(line.words[index].text); value && *value >= 0)
      return value;
  expected(line, index, what + ", a number that is 0 or more");
  return std::nullopt;
}

std::optional<std::size_t> LineJudge::whole(const Line &line, std::size_t index, const std::string &what,
                                            std::size_t least, std::size_t greatest) const {
  if (index < line.words.size()) {
    const std::string_view word = line.words[index].text;
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && end == word.data() + word.size() && value >= least && value <= greatest)
      return value;
  }
  std::string range; // of one number, `what` says it already
  if (greatest >= mostOfAnything)
    range = ", a whole number that is " + std::to_string(least) + " or more";
  else if (greatest != least)
    range = ", a whole number from " + std::to_string(least) + " to " + std::to_string(greatest);
  expected(line, index, what + range);
  return std::nullopt;
}

} // namespace streammap
