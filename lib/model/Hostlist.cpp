#include "model/Hostlist.h"
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace streammap {
namespace {

struct Number {
  std::uint64_t value;
  std::size_t width; ///< digits written
};

std::string padded(std::uint64_t value, std::size_t width) {
  std::string digits = std::to_string(value);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

bool isDigit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// Reads one list from left to right. The first mistake ends it.
class Expander {
public:
  explicit Expander(std::string_view text) : text_(text) {}

  Expected<std::vector<std::string>> expand() {
    do {
      if (!readName())
        return std::unexpected(*error_);
    } while (take(','));
    return std::move(names_);
  }

private:
  /// One element between top-level commas; with brackets it stands for many names.
  bool readName() {
    const std::size_t start = at_;
    std::vector<std::string> heads{""};
    while (at_ < text_.size() && text_[at_] != ',') {
      bool fine = text_[at_] == '[' ? readBracket(heads) : readLetter(heads);
      if (!fine)
        return false;
    }
    if (at_ == start)
      return fail(at_, "expected a node name");
    if (names_.size() + heads.size() > maxHostlistNames)
      return tooMany(start);
    std::ranges::move(heads, std::back_inserter(names_));
    return true;
  }

  bool readLetter(std::vector<std::string> &heads) {
    char letter = text_[at_];
    if (letter == ']')
      return fail(at_, "']' without '['");
    if (letter == ' ' || letter == '\t' || letter == '\n')
      return fail(at_, "a blank in a node name; separate names with ','");
    for (std::string &head : heads)
      head += letter;
    ++at_;
    return true;
  }

  bool readBracket(std::vector<std::string> &heads) {
    const std::size_t open = at_++;
    std::vector<std::string> numbers;
    do {
      if (!readRange(numbers, open))
        return false;
    } while (take(','));
    if (!take(']'))
      return at_ == text_.size() ? fail(open, "'[' is never closed") : fail(at_, "expected ',', '-' or ']'");
    if (heads.size() * numbers.size() > maxHostlistNames)
      return tooMany(open);
    std::vector<std::string> next;
    next.reserve(heads.size() * numbers.size());
    for (const std::string &head : heads)
      for (const std::string &number : numbers)
        next.push_back(head + number);
    heads = std::move(next);
    return true;
  }

  bool readRange(std::vector<std::string> &numbers, std::size_t open) {
    const std::size_t start = at_;
    std::optional<Number> first = readNumber(open);
    if (!first)
      return false;
    std::optional<Number> last = first;
    if (take('-'))
      last = readNumber(open);
    if (!last)
      return false;
    if (last->value < first->value)
      return fail(start, "the range runs backwards");
    if (last->value - first->value >= maxHostlistNames)
      return tooMany(start);
    for (std::uint64_t value = first->value; value <= last->value; ++value)
      numbers.push_back(padded(value, first->width));
    return true;
  }

  std::optional<Number> readNumber(std::size_t open) {
    const std::size_t start = at_;
    while (at_ < text_.size() && isDigit(text_[at_]))
      ++at_;
    if (at_ == start) {
      if (at_ == text_.size())
        fail(open, "'[' is never closed");
      else
        fail(at_, "expected a number");
      return std::nullopt;
    }
    Number number{0, at_ - start};
    auto [end, error] = std::from_chars(text_.data() + start, text_.data() + at_, number.value);
    if (error == std::errc() && number.width <= 18)
      return number;
    fail(start, "the number is too long");
    return std::nullopt;
  }

  bool take(char letter) {
    if (at_ == text_.size() || text_[at_] != letter)
      return false;
    ++at_;
    return true;
  }

  bool fail(std::size_t position, const std::string &what) {
    error_ = Error{"character " + std::to_string(position + 1) + ": " + what};
    return false;
  }
  bool tooMany(std::size_t position) {
    return fail(position, "more than " + std::to_string(maxHostlistNames) + " names");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> names_;
  std::optional<Error> error_;
};

/// A name around its last number: "gpu-a1b07-ib" is "gpu-a1b", 07, "-ib".
struct NameParts {
  std::string_view head, digits, tail;
};

NameParts partsOf(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && !isDigit(name[end - 1]))
    --end;
  std::size_t start = end;
  while (start > 0 && isDigit(name[start - 1]) && end - start < 18)
    --start;
  return {name.substr(0, start), name.substr(start, end - start), name.substr(end)};
}

std::uint64_t valueOf(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// Neighbouring names that share head and tail, and their numbers as ranges.
class Group {
public:
  explicit Group(const NameParts &parts) : parts_(parts) { startRange(parts.digits); }

  bool takes(const NameParts &next) const {
    return !next.digits.empty() && !parts_.digits.empty() && next.head == parts_.head &&
           next.tail == parts_.tail;
  }
  void add(std::string_view digits) {
    if (padded(last_ + 1, width_) == digits)
      ++last_;
    else {
      closeRange();
      startRange(digits);
    }
  }
  std::string text() {
    closeRange();
    bool single = ranges_.find_first_of(",-") == std::string::npos;
    return std::string(parts_.head) + (single ? ranges_ : "[" + ranges_ + "]") + std::string(parts_.tail);
  }

private:
  void startRange(std::string_view digits) {
    width_ = digits.size();
    first_ = last_ = valueOf(digits);
  }
  void closeRange() {
    if (width_ == 0)
      return;
    ranges_ += (ranges_.empty() ? "" : ",") + padded(first_, width_);
    if (last_ != first_)
      ranges_ += "-" + padded(last_, width_);
    width_ = 0;
  }

  NameParts parts_;
  std::string ranges_;
  std::size_t width_ = 0;
  std::uint64_t first_ = 0, last_ = 0;
};

} // namespace

Expected<std::vector<std::string>> expandHostlist(std::string_view text) {
  return Expander(text).expand();
}

std::string compressHostlist(std::span<const std::string> names) {
  std::string text;
  std::optional<Group> group;
  auto close = [&] {
    if (group)
      text += (text.empty() ? "" : ",") + group->text();
  };
  for (const std::string &name : names) {
    NameParts parts = partsOf(name);
    if (group && group->takes(parts)) {
      group->add(parts.digits);
      continue;
    }
    close();
    group.emplace(parts);
  }
  close();
  return text;
}

} // namespace streammap
