#include "support/JsonCursor.h"
#include <charconv>
#include <cmath>
#include <string>

namespace streammap {
namespace {

bool isDigit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// Stands for itself inside a text.
bool isPlain(char letter) {
  return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
}

} // namespace

bool JsonCursor::isDone() {
  if (failed())
    return false;
  passSpace();
  return at_ == end_;
}

bool JsonCursor::pass(char letter) {
  passSpace();
  if (at_ == end_ || *at_ != letter)
    return false;
  ++at_;
  return true;
}

void JsonCursor::enter(char bracket) {
  if (!pass(bracket))
    return fail();
  fresh_ = true;
}

bool JsonCursor::next(char bracket) {
  if (failed())
    return false;
  const bool first = fresh_;
  fresh_ = false;
  if (pass(bracket))
    return false;
  if (!first && !pass(',')) {
    fail();
    return false;
  }
  return true;
}

bool JsonCursor::nextKey(std::string_view &key) {
  if (!next('}'))
    return false;
  key = text();
  if (failed() || !pass(':')) {
    fail();
    return false;
  }
  return true;
}

std::string_view JsonCursor::text() {
  if (!pass('"')) {
    fail();
    return {};
  }
  const char *begin = at_;
  while (at_ != end_ && isPlain(*at_))
    ++at_;
  if (at_ == end_ || *at_ != '"') {
    fail();
    return {};
  }
  return {begin, static_cast<std::size_t>(at_++ - begin)};
}

/// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
std::string_view JsonCursor::numberLetters() {
  if (failed())
    return {};
  passSpace();
  const char *begin = at_;
  auto digits = [&] {
    const char *first = at_;
    while (at_ != end_ && isDigit(*at_))
      ++at_;
    return at_ != first;
  };
  if (at_ != end_ && *at_ == '-')
    ++at_;
  const bool leadingZero = at_ != end_ && *at_ == '0';
  const char *firstDigit = at_;
  bool right = digits() && (!leadingZero || at_ == firstDigit + 1);
  if (right && at_ != end_ && *at_ == '.') {
    ++at_;
    right = digits();
  }
  if (right && at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-'))
      ++at_;
    right = digits();
  }
  if (!right) {
    fail();
    return {};
  }
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

double JsonCursor::number() {
  const std::string_view letters = numberLetters();
  double value = 0;
  if (failed())
    return value;
  const auto [end, error] = std::from_chars(letters.data(), letters.data() + letters.size(), value);
  if (error != std::errc() || end != letters.data() + letters.size() || !std::isfinite(value))
    fail();
  return value;
}

std::uint64_t JsonCursor::wholeNumber() {
  const std::string_view letters = numberLetters();
  std::uint64_t value = 0;
  if (failed())
    return value;
  const auto [end, error] = std::from_chars(letters.data(), letters.data() + letters.size(), value);
  if (error != std::errc() || end != letters.data() + letters.size())
    fail();
  return value;
}

std::string_view JsonCursor::skip() {
  if (failed())
    return {};
  passSpace();
  const char *begin = at_;
  std::string open; // the closing brackets to come
  do {
    passSpace();
    if (at_ == end_) {
      fail();
      return {};
    }
    const char letter = *at_;
    if (letter == '{' || letter == '[') {
      open += letter == '{' ? '}' : ']';
      ++at_;
    } else if (letter == '}' || letter == ']') {
      if (open.empty() || open.back() != letter) {
        fail();
        return {};
      }
      open.pop_back();
      ++at_;
    } else if (letter == '"') {
      for (++at_; at_ != end_ && *at_ != '"'; ++at_)
        if (*at_ == '\\' && ++at_ == end_)
          break;
      if (at_ == end_) {
        fail();
        return {};
      }
      ++at_;
    } else if (!open.empty() && (letter == ',' || letter == ':')) {
      ++at_;
    } else { // a number or a word; whoever reads the letters judges them
      const char *first = at_;
      while (at_ != end_ && (isDigit(*at_) || (*at_ >= 'a' && *at_ <= 'z') || *at_ == 'E' || *at_ == '+' ||
                             *at_ == '-' || *at_ == '.'))
        ++at_;
      if (at_ == first) {
        fail();
        return {};
      }
    }
  } while (!open.empty());
  fresh_ = false;
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

} // namespace streammap
