#include "support/Units.h"
#include "support/Catch.h"

using namespace streammap;

namespace {

/// The error's message; fails when there is none.
template <class T>
std::string errorOf(const Expected<T> &value) {
  REQUIRE_FALSE(value.has_value());
  return value.error().message;
}

} // namespace

TEST_CASE("sizes are parsed with decimal and binary prefixes") {
  CHECK(parseBytes("80GiB") == gibibytes(80));
  CHECK(parseBytes("80 GB") == bytes(80e9));
  CHECK(parseBytes("2TiB") == gibibytes(2048));
  CHECK(parseBytes("512B") == bytes(512));
  CHECK(parseBytes("1.5kB") == bytes(1500));
  CHECK(parseBytes(" 4MiB ") == mebibytes(4));
}

TEST_CASE("bandwidths are parsed in bytes and bits") {
  CHECK(parseBytesPerSecond("55GB/s") == gigabytesPerSecond(55));
  CHECK(parseBytesPerSecond("400Gb/s") == gigabitsPerSecond(400));
  CHECK(parseBytesPerSecond("400Gbit/s") == gigabitsPerSecond(400));
  CHECK(parseBytesPerSecond("400Gbps") == gigabitsPerSecond(400));
}

TEST_CASE("times, rates and powers are parsed exactly") {
  CHECK(parseSeconds("2us") == seconds(2e-6));
  CHECK(parseSeconds("3ms") == seconds(3e-3));
  CHECK(parseSeconds("250ns") == seconds(250e-9));
  CHECK(parseSeconds("2min") == seconds(120));
  CHECK(parseSeconds("1s") == seconds(1));
  CHECK(parseFlopsPerSecond("67TFLOP/s") == teraflopsPerSecond(67));
  CHECK(parseFlopsPerSecond("33 TOPS") == teraflopsPerSecond(33));
  CHECK(parseWatts("10.2kW") == watts(10200));
}

TEST_CASE("text that is no quantity says what was found and gives an example") {
  CHECK(errorOf(parseBytes("")) == "expected a size such as \"80GiB\", found ''");
  CHECK(errorOf(parseBytes("lots")) == "expected a size such as \"80GiB\", found 'lots'");
  CHECK(errorOf(parseBytes("80")) == "expected a size with its unit such as \"80GiB\", found '80'");
  CHECK(errorOf(parseBytes("80GiX")) == "unknown unit 'GiX' in '80GiX'; write a size like \"80GiB\"");
  CHECK(errorOf(parseBytes("80Gb")) == "a size is in bytes, but '80Gb' is in bits; write it like \"80GiB\"");
  CHECK(errorOf(parseBytes("-1GB")) == "a size must not be negative, found '-1GB'");
  CHECK(errorOf(parseBytes("infGB")) == "expected a size such as \"80GiB\", found 'infGB'");
  CHECK(errorOf(parseSeconds("2 fortnights")) ==
        "unknown unit 'fortnights' in '2 fortnights'; write a time like \"2us\"");
  CHECK(errorOf(parseBytesPerSecond("55GB")) ==
        "unknown unit 'GB' in '55GB'; write a bandwidth like \"55GB/s\" or \"400Gb/s\"");
  CHECK(errorOf(parseFlopsPerSecond("3GiFLOP/s")) ==
        "unknown unit 'GiFLOP/s' in '3GiFLOP/s'; write a rate like \"67TFLOP/s\"");
  CHECK(errorOf(parseWatts("7hp")) == "unknown unit 'hp' in '7hp'; write a power like \"10.2kW\"");
}

TEST_CASE("quantities print three digits that matter") {
  CHECK(toText(mebibytes(12)) == "12.0 MiB");
  CHECK(toText(bytes(1023)) == "1023 B");
  CHECK(toText(bytes(1024)) == "1.00 KiB");
  CHECK(toText(milliseconds(4.1)) == "4.10 ms");
  CHECK(toText(gigabytesPerSecond(55)) == "55.0 GB/s");
  CHECK(toText(flops(2.1e9)) == "2.10 GFLOP");
  CHECK(toText(watts(700)) == "700 W");
  CHECK(toText(joules(1.5e3)) == "1.50 kJ");
  CHECK(toText(teraflopsPerSecond(66.9)) == "66.9 TFLOP/s");
  CHECK(toText(seconds(0)) == "0 s");
  CHECK(toText(seconds(125)) == "125 s");
  CHECK(toText(bytes(0)) == "0 B");
}

TEST_CASE("rounding never prints a thousand of a unit") {
  CHECK(toText(seconds(999.96e-6)) == "1.00 ms");
  CHECK(toText(seconds(0.99996)) == "1.00 s");
  CHECK(toText(watts(999.9)) == "1.00 kW");
  CHECK(toText(gigabytesPerSecond(99.96)) == "100 GB/s");
  // Past the largest prefix the power of ten says the rest, however large.
  CHECK(toText(seconds(999999)) == "999999 s");
  CHECK(toText(seconds(1e6)) == "1.00e+06 s");
  CHECK(toText(seconds(1e300)) == "1.00e+300 s");
  CHECK(toText(flops(2.5e300)).starts_with("2.50e+"));
}

TEST_CASE("no limit prints as such") {
  CHECK(toText(unlimitedBandwidth) == "unlimited");
}

TEST_CASE("units combine as physics says") {
  Seconds time = gibibytes(55) / gigabytesPerSecond(55);
  CHECK(time.value() == Approx(1.073741824));
  Watts power = joules(10) / seconds(2);
  CHECK(power == watts(5));
  CHECK(teraflopsPerSecond(2) * seconds(3) == flops(6e12));
}
