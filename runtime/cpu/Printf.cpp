#include "cpu/Printf.h"
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace streammap::cpu {
namespace {

/// Reads the packed arguments in order.
class PackedArguments {
public:
  explicit PackedArguments(const void *start) : start_(static_cast<const char *>(start)) {}
  template <class T>
  T next() {
    offset_ = (offset_ + alignof(T) - 1) / alignof(T) * alignof(T);
    T value;
    std::memcpy(&value, start_ + offset_, sizeof value);
    offset_ += sizeof value;
    ++consumed_;
    return value;
  }
  int consumed() const { return consumed_; }

private:
  const char *start_;
  std::size_t offset_ = 0;
  int consumed_ = 0;
};

/// One conversion: flags, width and precision as they stand (with * replaced), length, and the letter.
struct Conversion {
  std::string shape = "%";
  std::string_view length;
  char letter = 0;
};

/// Parses behind the '%' and moves `at` past the conversion; letter 0 if the format ends first.
Conversion readConversion(const char *&at, PackedArguments &arguments) {
  Conversion conversion;
  const auto star = [&] {
    conversion.shape += std::to_string(arguments.next<int>());
    ++at;
  };
  while (*at && std::strchr("-+ #0", *at))
    conversion.shape += *at++;
  if (*at == '*')
    star();
  while (*at >= '0' && *at <= '9')
    conversion.shape += *at++;
  if (*at == '.') {
    conversion.shape += *at++;
    if (*at == '*')
      star();
    while (*at >= '0' && *at <= '9')
      conversion.shape += *at++;
  }
  const char *length = at;
  while (*at && std::strchr("hlLjzt", *at))
    ++at;
  conversion.length = std::string_view(length, static_cast<std::size_t>(at - length));
  if (*at)
    conversion.letter = *at++;
  return conversion;
}

template <class T>
void print(std::string &text, const std::string &format, T value) {
  char small[128];
  const int size = std::snprintf(small, sizeof small, format.c_str(), value);
  if (size < 0)
    return;
  if (static_cast<std::size_t>(size) < sizeof small) {
    text.append(small, static_cast<std::size_t>(size));
    return;
  }
  const std::size_t before = text.size();
  text.resize(before + static_cast<std::size_t>(size) + 1);
  std::snprintf(text.data() + before, static_cast<std::size_t>(size) + 1, format.c_str(), value);
  text.resize(before + static_cast<std::size_t>(size));
}

/// Integers of 64 bits: l, ll, j, z and t all are on every GPU.
bool isLong(std::string_view length) {
  return length == "l" || length == "ll" || length == "j" || length == "z" || length == "t";
}

void printInteger(std::string &text, const Conversion &conversion, PackedArguments &arguments) {
  const std::string letter(1, conversion.letter);
  if (isLong(conversion.length))
    print(text, conversion.shape + "ll" + letter, arguments.next<long long>());
  else
    print(text, conversion.shape + std::string(conversion.length) + letter, arguments.next<int>());
}

void printConversion(std::string &text, const Conversion &conversion, std::string_view source,
                     PackedArguments &arguments) {
  switch (conversion.letter) {
  case 'd':
  case 'i':
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    printInteger(text, conversion, arguments);
    return;
  case 'c':
    print(text, conversion.shape + "c", arguments.next<int>());
    return;
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    print(text, conversion.shape + conversion.letter, arguments.next<double>());
    return;
  case 's': {
    const char *string = arguments.next<const char *>();
    print(text, conversion.shape + "s", string ? string : "(null)");
    return;
  }
  case 'p':
    print(text, conversion.shape + "p", arguments.next<const void *>());
    return;
  case 'n':
    arguments.next<const void *>();
    return;
  default:
    text += source;
  }
}

} // namespace

int formatDevicePrintf(std::string &text, const char *format, const void *packedArguments) {
  if (!format)
    return -1;
  PackedArguments arguments(packedArguments);
  for (const char *at = format; *at;) {
    if (*at != '%') {
      text += *at++;
      continue;
    }
    const char *begin = at++;
    if (*at == '%') {
      text += *at++;
      continue;
    }
    const Conversion conversion = readConversion(at, arguments);
    printConversion(text, conversion, std::string_view(begin, static_cast<std::size_t>(at - begin)),
                    arguments);
  }
  return arguments.consumed();
}

} // namespace streammap::cpu
