#pragma once
// Walks over JSON text once, front to back, without building anything: for files of a gigabyte that are
// right. It judges as strictly as JsonDocument, but only says that something is not as expected; the caller
// then reads the file again with JsonDocument, which says what and where. Text with escapes or beyond ASCII
// counts as not expected, too.
//
//   JsonCursor at(text);
//   std::string_view key;
//   for (at.enterObject(); at.nextKey(key);)
//     if (key == "id")
//       id = at.text();
//     else
//       at.fail();
//   if (!at.isDone()) ...
#include <cstdint>
#include <string_view>

namespace streammap {

class JsonCursor {
public:
  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// After the first surprise nothing moves any more, and all answers are empty.
  bool failed() const { return at_ == nullptr; }
  void fail() { at_ = end_ = nullptr; }
  /// The whole text was one value, and right.
  bool isDone();

  void enterObject() { enter('{'); }
  void enterArray() { enter('['); }
  /// The next key of the object entered last; false behind its last member, and after a surprise.
  bool nextKey(std::string_view &key);
  /// Whether the array entered last has another element.
  bool nextElement() { return next(']'); }

  /// Values. A view is valid as long as the text.
  std::string_view text();
  double number();
  /// A number written without sign, point and exponent.
  std::uint64_t wholeNumber();
  /// Passes any value; the letters it has.
  std::string_view skip();

private:
  void passSpace() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'))
      ++at_;
  }
  bool pass(char letter);
  void enter(char bracket);
  bool next(char bracket);
  std::string_view numberLetters();

  const char *at_;
  const char *end_;
  bool fresh_ = false; ///< directly behind an opening bracket
};

} // namespace streammap
