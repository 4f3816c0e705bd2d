// Device printf: formatting, and when output shows.
#include "cpu/Printf.h"
#include "runtime/cpu/CapturedOutput.h"
#include "runtime/cpu/FakeProgram.h"
#include "support/Catch.h"
#include <cstring>

using namespace streammap::test;

namespace {

/// Packs arguments as the compiler does.
class Packed {
public:
  template <class T>
  Packed &add(T value) {
    while (bytes_.size() % sizeof(T) != 0)
      bytes_.push_back(0);
    bytes_.resize(bytes_.size() + sizeof(T));
    std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }
  const void *data() const { return bytes_.data(); }

private:
  std::vector<char> bytes_;
};

std::string formatted(const char *format, const Packed &packed) {
  std::string text;
  streammap::cpu::formatDevicePrintf(text, format, packed.data());
  return text;
}

void hello(SmcpuLaunch *launch, uint32_t x, uint32_t, uint32_t, char *) {
  Packed packed;
  packed.add(static_cast<int>(x));
  smcpuPrintf(launch, "block %d;", packed.data());
  smcpuPrintf(launch, "\n", packed.data());
}

} // namespace

TEST_CASE("each argument is read at its own alignment") {
  CHECK(formatted("%d %f %c|%s", Packed().add(7).add(2.5).add(int{'x'}).add("text")) == "7 2.500000 x|text");
  CHECK(formatted("%lld %d %p", Packed().add(-5000000000LL).add(1).add(reinterpret_cast<void *>(0x10))) ==
        "-5000000000 1 0x10");
  CHECK(formatted("%zu %lu %hd %hhu", Packed().add(std::size_t{1} << 40).add(3UL).add(-2).add(300)) ==
        "1099511627776 3 -2 44");
}

TEST_CASE("flags, widths and precisions are honoured, stars included") {
  CHECK(formatted("[%5d|%-5d|%05d|%+d|%x|%#X]", Packed().add(42).add(42).add(42).add(42).add(255).add(255)) ==
        "[   42|42   |00042|+42|ff|0XFF]");
  CHECK(formatted("[%*.*f|%.3s|%10.2e]", Packed().add(8).add(2).add(3.14159).add("abcdef").add(12345.678)) ==
        "[    3.14|abc|  1.23e+04]");
}

TEST_CASE("odd formats do no harm") {
  CHECK(formatted("100%% %y %", Packed().add(1)) == "100% %y %");
  CHECK(formatted("%s", Packed().add(static_cast<const char *>(nullptr))) == "(null)");
  CHECK(formatted("%300d", Packed().add(1)).size() == 300);
  std::string text;
  CHECK(streammap::cpu::formatDevicePrintf(text, nullptr, nullptr) == -1);
}

TEST_CASE("the return value counts the arguments") {
  std::string text;
  CHECK(streammap::cpu::formatDevicePrintf(text, "a %d b %d", Packed().add(1).add(2).data()) == 2);
  CHECK(streammap::cpu::formatDevicePrintf(text, "none", nullptr) == 0);
}

TEST_CASE("output shows at synchronisation, in the order of blocks, whole lines of each") {
  static const FakeProgram program("printf-test", {{.symbol = "hello", .run = hello}});
  CapturedOutput output(1);
  REQUIRE(program.launch("hello", {12, 1}, nullptr) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  std::string expected;
  for (int block = 0; block != 12; ++block)
    expected += "block " + std::to_string(block) + ";\n";
  CHECK(output.text() == expected);
}
