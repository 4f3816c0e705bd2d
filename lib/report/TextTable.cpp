#include "report/TextTable.h"
#include "support/Columns.h"
#include <algorithm>

namespace streammap {
namespace {

constexpr std::size_t indent = 2, between = 2;
constexpr std::size_t narrowest = 8; // of a column that gives way

bool continuesCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::size_t characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continuesCharacter));
}

/// Bytes of the first `count` characters.
std::size_t bytesOf(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size() && (count != 0 || continuesCharacter(text[at])))
    count -= !continuesCharacter(text[at++]);
  return at;
}

/// Where to break a word that is longer than its column: its first part, in bytes.
std::size_t partOf(std::string_view word, std::size_t columns) {
  const std::size_t most = bytesOf(word, columns);
  const std::size_t mark = word.substr(0, most).find_last_of(":.,/_-]");
  return mark == std::string_view::npos || mark + 1 < most / 3 ? most : mark + 1;
}

std::string padded(std::string_view text, std::size_t columns, Align align) {
  const std::size_t width = characters(text);
  const std::string blanks(columns > width ? columns - width : 0, ' ');
  return align == Align::left ? std::string(text) + blanks : blanks + std::string(text);
}

void appendLine(std::string &out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

} // namespace

std::vector<std::string> brokenToFit(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  auto flush = [&] {
    lines.push_back(line);
    line.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    std::string_view word = text.substr(at, blank - at);
    at = blank + 1;
    if (!line.empty() && characters(line) + 1 + characters(word) > columns)
      flush();
    for (; characters(word) > columns; word.remove_prefix(partOf(word, columns)))
      lines.emplace_back(word.substr(0, partOf(word, columns)));
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  if (!line.empty() || lines.empty())
    flush();
  return lines;
}

void TextTable::note(std::string text) {
  notes_.emplace_back(rows_.size(), std::move(text));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  std::size_t total = indent + between * (columns_.size() - 1);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    // The first title may reach into the indent.
    std::size_t width = characters(columns_[c].title);
    width -= c == 0 ? std::min(width, indent) : 0;
    for (const auto &row : rows_)
      if (c < row.size())
        width = std::max(width, characters(row[c]));
    widths.push_back(width);
    total += width;
  }
  while (total > terminalWidth) {
    std::size_t widest = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].align == Align::left && widths[c] > narrowest &&
          (widest == columns_.size() || widths[c] > widths[widest]))
        widest = c;
    if (widest == columns_.size())
      break; // numbers alone fill the line: it is longer, but whole
    --widths[widest];
    --total;
  }
  return widths;
}

std::string TextTable::text() const {
  const std::vector<std::size_t> width = widths();
  std::string out, head;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    head += (c == 0 ? "" : std::string(between, ' ')) +
            padded(columns_[c].title, width[c] + (c == 0 ? indent : 0), columns_[c].align);
  appendLine(out, head);
  auto note = notes_.begin();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (; note != notes_.end() && note->first == r; ++note)
      appendLine(out, note->second);
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      cells.push_back(columns_[c].align == Align::left
                          ? brokenToFit(rows_[r][c], std::max<std::size_t>(1, width[c]))
                          : std::vector{rows_[r][c]});
      height = std::max(height, cells.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line(indent, ' ');
      for (std::size_t c = 0; c < cells.size(); ++c)
        line += (c == 0 ? "" : std::string(between, ' ')) +
                padded(l < cells[c].size() ? cells[c][l] : "", width[c], columns_[c].align);
      appendLine(out, line);
    }
  }
  for (; note != notes_.end(); ++note)
    appendLine(out, note->second);
  return out;
}

} // namespace streammap
