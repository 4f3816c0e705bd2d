#pragma once
// Physical quantities with only the arithmetic physics allows.
//
//   Seconds t = gibibytes(80) / gigabytesPerSecond(55);
//   t.inMilliseconds();
//   Bytes b = gibibytes(1) + t;                  // does not compile
//
// Numbers enter through a named maker and leave through a named accessor; text is parsed and printed here and
// nowhere else. All values are doubles in SI base units: exact for whole bytes up to 2^53 (9 PB).
#include "support/Expected.h"
#include <cmath>
#include <compare>
#include <limits>
#include <string>
#include <string_view>

namespace streammap {

/// A value with dimension bytes^B flops^F seconds^S joules^J.
template <int B, int F, int S, int J>
class Quantity {
public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}
  /// The number in SI base units (bytes, flops, seconds, joules and their quotients).
  constexpr double value() const { return value_; }
  constexpr double inMilliseconds() const
    requires(B == 0 && F == 0 && S == 1 && J == 0)
  {
    return value_ * 1e3;
  }
  constexpr double inMicroseconds() const
    requires(B == 0 && F == 0 && S == 1 && J == 0)
  {
    return value_ * 1e6;
  }

  constexpr Quantity &operator+=(Quantity other) { return value_ += other.value_, *this; }
  constexpr Quantity &operator-=(Quantity other) { return value_ -= other.value_, *this; }
  constexpr Quantity &operator*=(double factor) { return value_ *= factor, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.value_ / k); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  constexpr auto operator<=>(const Quantity &) const = default;

private:
  double value_ = 0;
};

template <int B, int F, int S, int J, int B2, int F2, int S2, int J2>
  requires(B != B2 || F != F2 || S != S2 || J != J2)
constexpr auto operator/(Quantity<B, F, S, J> a, Quantity<B2, F2, S2, J2> b) {
  return Quantity<B - B2, F - F2, S - S2, J - J2>(a.value() / b.value());
}
template <int B, int F, int S, int J, int B2, int F2, int S2, int J2>
  requires(B + B2 != 0 || F + F2 != 0 || S + S2 != 0 || J + J2 != 0)
constexpr auto operator*(Quantity<B, F, S, J> a, Quantity<B2, F2, S2, J2> b) {
  return Quantity<B + B2, F + F2, S + S2, J + J2>(a.value() * b.value());
}

using Bytes = Quantity<1, 0, 0, 0>;
using Flops = Quantity<0, 1, 0, 0>;
using Seconds = Quantity<0, 0, 1, 0>;
using Joules = Quantity<0, 0, 0, 1>;
using BytesPerSecond = Quantity<1, 0, -1, 0>;
using FlopsPerSecond = Quantity<0, 1, -1, 0>;
using Watts = Quantity<0, 0, -1, 1>;

constexpr Bytes bytes(double n) {
  return Bytes(n);
}
constexpr Bytes kibibytes(double n) {
  return Bytes(n * 1024);
}
constexpr Bytes mebibytes(double n) {
  return Bytes(n * 1048576);
}
constexpr Bytes gibibytes(double n) {
  return Bytes(n * 1073741824);
}
constexpr Flops flops(double n) {
  return Flops(n);
}
constexpr Seconds seconds(double n) {
  return Seconds(n);
}
constexpr Seconds milliseconds(double n) {
  return Seconds(n * 1e-3);
}
constexpr Seconds microseconds(double n) {
  return Seconds(n * 1e-6);
}
constexpr Joules joules(double n) {
  return Joules(n);
}
constexpr Watts watts(double n) {
  return Watts(n);
}
constexpr BytesPerSecond bytesPerSecond(double n) {
  return BytesPerSecond(n);
}
constexpr BytesPerSecond gigabytesPerSecond(double n) {
  return BytesPerSecond(n * 1e9);
}
constexpr BytesPerSecond gigabitsPerSecond(double n) {
  return BytesPerSecond(n * 1e9 / 8);
}
constexpr FlopsPerSecond flopsPerSecond(double n) {
  return FlopsPerSecond(n);
}
constexpr FlopsPerSecond teraflopsPerSecond(double n) {
  return FlopsPerSecond(n * 1e12);
}

/// Faster than anything: the bandwidth of a link nobody described.
inline constexpr BytesPerSecond unlimitedBandwidth{std::numeric_limits<double>::infinity()};

/// Parse "80GiB", "55 GB/s", "400Gb/s", "2us", "10.2kW", "67TFLOP/s". Decimal prefixes k M G T P, binary
/// Ki Mi Gi Ti; B is bytes, b is bits. The error says what was found and gives an example of the unit.
Expected<Bytes> parseBytes(std::string_view text);
Expected<Seconds> parseSeconds(std::string_view text);
Expected<BytesPerSecond> parseBytesPerSecond(std::string_view text);
Expected<FlopsPerSecond> parseFlopsPerSecond(std::string_view text);
Expected<Watts> parseWatts(std::string_view text);

/// Print for people, three significant digits: "12.0 MiB", "4.10 ms", "55.0 GB/s", "2.10 GFLOP", "700 W".
std::string toText(Bytes value);
std::string toText(Flops value);
std::string toText(Seconds value);
std::string toText(Joules value);
std::string toText(BytesPerSecond value);
std::string toText(FlopsPerSecond value);
std::string toText(Watts value);

} // namespace streammap
