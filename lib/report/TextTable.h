#pragma once
// A table for a terminal of 80 columns that cuts nothing: columns are as wide as their content, the widest
// text columns give way where that is more than a line holds, and what is too long for its column goes on in
// the next line.
//
//   TextTable table({{"Devices"}, {"busy", Align::right}});
//   table.add({"n1:gpu0", "71.0 %"});
//   table.text()                       Devices      busy
//                                        n1:gpu0  71.0 %
//
// The first column's title stands two columns left of its cells, as the heading of the section.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

/// Numbers stand right and are never broken.
enum class Align { left, right };

struct TextColumn {
  std::string title;
  Align align = Align::left;
};

class TextTable {
public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}
  /// One cell per column; cells at the end may be left out.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// A line of its own between two rows.
  void note(std::string text);
  /// Title line and rows, each with its line end; no line ends in blanks. O(characters).
  std::string text() const;

private:
  std::vector<std::size_t> widths() const;
  std::vector<TextColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::pair<std::size_t, std::string>> notes_; ///< before the row of this number
};

/// `text` in lines of at most `columns` characters: broken at blanks, a longer word after one of ":.,/_-]",
/// else anywhere between two characters of UTF-8.
std::vector<std::string> brokenToFit(std::string_view text, std::size_t columns);

} // namespace streammap
