#pragma once
// Text formats made of lines of words and numbers, and what is wrong with a word:
//
//   std::vector<Line> lines = linesOf("4 7\n\n1 x 3", " ");       // two lines: empty ones are left out
//   LineJudge judge("a.stg", diagnostics);
//   judge.number(lines[1], 1, "the processing time");
//   // a.stg:3:3: error: expected the processing time, a number that is 0 or more, found 'x'
#include "support/Diagnostic.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

struct Word {
  std::string_view text;
  unsigned line = 0, column = 0; ///< from 1
};

struct Line {
  unsigned number = 0;     ///< from 1
  std::string_view text;   ///< all of it, without the line's end
  std::vector<Word> words; ///< never empty
};

/// The lines of `text` that have words. `separators` stand between words and are dropped; tabs, carriage
/// returns and blanks always are.
std::vector<Line> linesOf(std::string_view text, std::string_view separators = "");

/// Reports what is wrong with words; a getter returns nothing after it has reported why.
class LineJudge {
public:
  LineJudge(std::string file, Diagnostics &diagnostics)
      : file_(std::move(file)), diagnostics_(&diagnostics) {}

  SourceLocation locationOf(const Word &word) const { return {file_, word.line, word.column, ""}; }
  void error(const Word &word, const std::string &message) const;
  /// "expected <what>, found 'word'", or "..., found the end of the line" when the line has no such word.
  void expected(const Line &line, std::size_t index, const std::string &what) const;
  /// "expected <what>, found the end of the file".
  void expectedAtEnd(const std::string &what) const;

  /// The word at `index` as a finite number that is not negative.
  std::optional<double> number(const Line &line, std::size_t index, const std::string &what) const;
  /// The word at `index` as a whole number from `least` to `greatest`.
  std::optional<std::size_t> whole(const Line &line, std::size_t index, const std::string &what,
                                   std::size_t least = 0, std::size_t greatest = mostOfAnything) const;

  static constexpr std::size_t mostOfAnything = 100000000;

private:
  std::string file_;
  Diagnostics *diagnostics_;
};

/// All of `word` as a finite number.
std::optional<double> numberIn(std::string_view word);

} // namespace streammap
