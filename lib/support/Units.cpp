#include "support/Units.h"
#include <charconv>
#include <cstdio>
#include <span>

namespace streammap {
namespace {

/// One spelling of a unit and its size in the SI base unit.
struct Spelling {
  std::string_view text;
  double factor;
};

enum class Prefixes { decimal, decimalAndBinary };

constexpr Spelling decimalPrefixes[] = {{"", 1},     {"k", 1e3},  {"M", 1e6}, {"G", 1e9},
                                        {"T", 1e12}, {"P", 1e15}, {"E", 1e18}};
constexpr Spelling binaryPrefixes[] = {{"Ki", 1024.0},
                                       {"Mi", 1048576.0},
                                       {"Gi", 1073741824.0},
                                       {"Ti", 1099511627776.0},
                                       {"Pi", 1125899906842624.0}};

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

struct NumberAndUnit {
  double number;
  std::string_view unit;
};

Expected<NumberAndUnit> splitNumber(std::string_view text, std::string_view kind, std::string_view example) {
  std::string_view rest = trimmed(text);
  double number = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || !std::isfinite(number))
    return failure("expected " + std::string(kind) + " such as " + std::string(example) + ", found " +
                   quoted(text));
  if (number < 0)
    return failure(std::string(kind) + " must not be negative, found " + quoted(text));
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return NumberAndUnit{number, trimmed(rest)};
}

/// The size of `unit` = prefix + one of `bases`, or nothing.
double factorOf(std::string_view unit, std::span<const Spelling> bases, std::span<const Spelling> prefixes) {
  for (const Spelling &base : bases)
    if (unit.ends_with(base.text))
      for (const Spelling &prefix : prefixes)
        if (unit.substr(0, unit.size() - base.text.size()) == prefix.text)
          return prefix.factor * base.factor;
  return 0;
}

template <class Quantity>
Expected<Quantity> withUnit(std::string_view text, std::string_view kind, std::string_view example,
                            std::span<const Spelling> bases, Prefixes allowed = Prefixes::decimal) {
  Expected<NumberAndUnit> parts = splitNumber(text, kind, example);
  if (!parts)
    return std::unexpected(parts.error());
  double factor = factorOf(parts->unit, bases, decimalPrefixes);
  if (factor == 0 && allowed == Prefixes::decimalAndBinary)
    factor = factorOf(parts->unit, bases, binaryPrefixes);
  if (factor != 0)
    return Quantity(parts->number * factor);
  if (parts->unit.empty())
    return failure("expected " + std::string(kind) + " with its unit such as " + std::string(example) +
                   ", found " + quoted(text));
  return failure("unknown unit " + quoted(parts->unit) + " in " + quoted(text) + "; write " +
                 std::string(kind) + " like " + std::string(example));
}

/// From here on a number is written with its power of ten: there is no larger prefix left for it.
constexpr double longestPlain = 999999.5;

/// Three significant digits, never "1000" where the next prefix would say "1.00".
std::string threeDigits(double value) {
  char buffer[64];
  const char *format = value < 9.995          ? "%.2f"
                       : value < 99.95        ? "%.1f"
                       : value < longestPlain ? "%.0f"
                                              : "%.2e";
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

std::string scaled(double value, double step, std::span<const char *const> names) {
  if (std::isnan(value))
    return "unknown";
  if (std::isinf(value))
    return "unlimited";
  if (value < 0)
    return "-" + scaled(-value, step, names);
  std::size_t level = 0;
  double limit = step == 1000 ? 999.5 : 1023.5;
  while (value >= limit && level + 1 < names.size()) {
    value /= step;
    ++level;
  }
  bool whole = level == 0 && value == std::floor(value) && value < longestPlain;
  char buffer[64];
  if (whole)
    std::snprintf(buffer, sizeof buffer, "%.0f", value);
  return (whole ? std::string(buffer) : threeDigits(value)) + " " + names[level];
}

} // namespace

Expected<Bytes> parseBytes(std::string_view text) {
  static constexpr Spelling bases[] = {{"B", 1}};
  Expected<Bytes> value = withUnit<Bytes>(text, "a size", "\"80GiB\"", bases, Prefixes::decimalAndBinary);
  if (value)
    return value;
  Expected<NumberAndUnit> parts = splitNumber(text, "a size", "\"80GiB\"");
  if (parts && (parts->unit.ends_with('b') || parts->unit.ends_with("bit")))
    return failure("a size is in bytes, but " + quoted(text) + " is in bits; write it like \"80GiB\"");
  return std::unexpected(value.error());
}

Expected<Seconds> parseSeconds(std::string_view text) {
  static constexpr std::string_view example = "\"2us\"";
  static constexpr Spelling units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"μs", 1e-6},
                                       {"ms", 1e-3}, {"s", 1},     {"min", 60},  {"h", 3600}};
  Expected<NumberAndUnit> parts = splitNumber(text, "a time", example);
  if (!parts)
    return std::unexpected(parts.error());
  for (const Spelling &unit : units)
    if (parts->unit == unit.text)
      return unit.factor < 1 ? Seconds(parts->number / std::round(1 / unit.factor))
                             : Seconds(parts->number * unit.factor);
  return withUnit<Seconds>(text, "a time", example, {});
}

Expected<BytesPerSecond> parseBytesPerSecond(std::string_view text) {
  static constexpr Spelling bases[] = {{"B/s", 1}, {"bit/s", 0.125}, {"b/s", 0.125}, {"bps", 0.125}};
  return withUnit<BytesPerSecond>(text, "a bandwidth", "\"55GB/s\" or \"400Gb/s\"", bases,
                                  Prefixes::decimalAndBinary);
}

Expected<FlopsPerSecond> parseFlopsPerSecond(std::string_view text) {
  static constexpr Spelling bases[] = {{"FLOP/s", 1}, {"FLOPS", 1}, {"OP/s", 1}, {"OPS", 1}};
  return withUnit<FlopsPerSecond>(text, "a rate", "\"67TFLOP/s\"", bases);
}

Expected<Watts> parseWatts(std::string_view text) {
  static constexpr Spelling bases[] = {{"W", 1}};
  return withUnit<Watts>(text, "a power", "\"10.2kW\"", bases);
}

std::string toText(Bytes value) {
  static constexpr const char *names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  return scaled(value.value(), 1024, names);
}

std::string toText(Flops value) {
  static constexpr const char *names[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"};
  return scaled(value.value(), 1000, names);
}

std::string toText(Seconds value) {
  static constexpr const char *names[] = {"ns", "us", "ms", "s"};
  double magnitude = std::abs(value.value());
  if (magnitude == 0)
    return "0 s";
  if (!std::isfinite(magnitude) || magnitude >= 0.9995) {
    static constexpr const char *whole[] = {"s"};
    return std::isfinite(magnitude) ? threeDigits(value.value()) + " s" : scaled(value.value(), 1000, whole);
  }
  return scaled(value.value() * 1e9, 1000, names);
}

std::string toText(Joules value) {
  static constexpr const char *names[] = {"J", "kJ", "MJ", "GJ", "TJ"};
  return scaled(value.value(), 1000, names);
}

std::string toText(BytesPerSecond value) {
  static constexpr const char *names[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
  return scaled(value.value(), 1000, names);
}

std::string toText(FlopsPerSecond value) {
  static constexpr const char *names[] = {"FLOP/s",  "kFLOP/s", "MFLOP/s", "GFLOP/s",
                                          "TFLOP/s", "PFLOP/s", "EFLOP/s"};
  return scaled(value.value(), 1000, names);
}

std::string toText(Watts value) {
  static constexpr const char *names[] = {"W", "kW", "MW", "GW"};
  return scaled(value.value(), 1000, names);
}

} // namespace streammap
