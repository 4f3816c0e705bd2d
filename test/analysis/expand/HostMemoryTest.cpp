#include "analysis/HostMemory.h"
#include "analysis/UnknownReasons.h"
#include "support/Catch.h"

using namespace streammap;

namespace {
constexpr Reason why = 7;
} // namespace

TEST_CASE("bytes come back as they were written, whatever the width") {
  HostMemory memory;
  const Address p = memory.allocate(16, HostMemory::Fill::zero);
  memory.store(p, 8, {0x1122334455667788, 0});
  CHECK(memory.load(p + 2, 2).bits == 0x5566);
  memory.store(p + 3, 1, {0xff, 0});
  CHECK(memory.load(p, 8).bits == 0x11223344ff667788);
  CHECK(memory.load(p + 8, 8).bits == 0);
}

TEST_CASE("a value is unknown if one of its bytes is, and says why") {
  HostMemory memory;
  const Address p = memory.allocate(16, HostMemory::Fill::zero);
  memory.invalidate(p + 5, 1, why);
  CHECK(memory.load(p, 4).isKnown());
  CHECK(memory.load(p + 4, 4).reason == why);
  memory.store(p + 5, 1, {1, 0});
  CHECK(memory.load(p + 4, 4).bits == 0x100);
}

TEST_CASE("memory that is not there is unknown, and writes to it are lost") {
  HostMemory memory;
  const Address p = memory.allocate(8, HostMemory::Fill::zero);
  CHECK(memory.load(p + 8, 4).reason == UnknownReasons::nowhere);
  CHECK(memory.load(0, 8).reason == UnknownReasons::nowhere);
  memory.store(p + 8, 4, {1, 0});
  memory.release(p);
  CHECK(memory.load(p, 4).reason == UnknownReasons::nowhere);
}

TEST_CASE("terabytes of zeros are allocated, copied and filled at once") {
  HostMemory memory;
  constexpr std::uint64_t size = std::uint64_t{8} << 30;
  const Address a = memory.allocate(size, HostMemory::Fill::unknown, why);
  const Address b = memory.allocate(size, HostMemory::Fill::zero);
  CHECK(memory.load(a + size - 8, 8).reason == why);
  memory.store(b + size / 2, 4, {5, 0});
  memory.copy(a, b, size);
  CHECK(memory.load(a + size / 2, 4).bits == 5);
  CHECK(memory.load(a + size - 8, 8).isKnown());
  CHECK(memory.allocate(std::uint64_t{1} << 41, HostMemory::Fill::zero) == 0);
}

TEST_CASE("copies into untouched memory may begin anywhere in a page") {
  HostMemory memory;
  const Address from = memory.allocate(16384, HostMemory::Fill::zero);
  const Address to = memory.allocate(16384, HostMemory::Fill::unknown, why);
  for (std::uint64_t i = 0; i < 8192; i += 8)
    memory.store(from + i, 8, {i + 1, 0});
  memory.copy(to + 104, from, 8192);
  CHECK(memory.load(to + 96, 8).reason == why);
  for (std::uint64_t i = 0; i < 8192; i += 8)
    REQUIRE(memory.load(to + 104 + i, 8).bits == i + 1);
  CHECK(memory.load(to + 104 + 8192, 8).reason == why);
}

TEST_CASE("overlapping copies behave like memmove") {
  HostMemory memory;
  const Address p = memory.allocate(8, HostMemory::Fill::zero);
  memory.store(p, 8, {0x0807060504030201, 0});
  memory.copy(p + 2, p, 6);
  CHECK(memory.load(p, 8).bits == 0x0605040302010201);
  memory.copy(p, p + 2, 6);
  CHECK(memory.load(p, 8).bits == 0x0605060504030201);
}

TEST_CASE("patterns are written out, or given up where they are too long") {
  HostMemory memory;
  const Address pattern = memory.allocate(4, HostMemory::Fill::zero);
  memory.store(pattern, 4, {3, 0});
  const Address p = memory.allocate(40, HostMemory::Fill::zero);
  memory.fill(p, pattern, 4, 10, why);
  CHECK(memory.load(p + 36, 4).bits == 3);
  const Address large = memory.allocate(std::uint64_t{1} << 30, HostMemory::Fill::zero);
  memory.fill(large, pattern, 4, std::uint64_t{1} << 28, why);
  CHECK(memory.load(large, 4).reason == why);
}

TEST_CASE("writes are noted while recording") {
  HostMemory memory;
  const Address p = memory.allocate(16, HostMemory::Fill::zero);
  memory.store(p, 4, {1, 0});
  CHECK(memory.writes().empty());
  memory.startRecording();
  memory.store(p + 4, 4, {1, 0});
  memory.invalidate(p + 8, 8, why);
  CHECK(memory.writes() == std::vector<HostMemory::Range>{{p + 4, 4}, {p + 8, 8}});
  memory.stopRecording();
  CHECK(memory.writes().empty());
}

TEST_CASE("reasons keep the first variable that held the value, and say what settles it") {
  UnknownReasons reasons;
  const Reason r = reasons.add("the result of 'getenv'", {"a.cu", 3, 5, {}});
  CHECK(reasons.add("the result of 'getenv'", {"a.cu", 3, 5, {}}) == r);
  CHECK(reasons.remedy(r) == "keep the value in a variable and pass --param NAME=VALUE");
  const Reason n = reasons.named(r, "n", {"a.cu", 3, 1, {}});
  CHECK(reasons.named(n, "m", {"a.cu", 4, 1, {}}) == n);
  CHECK(reasons.describe(n) == "the value of 'n' is unknown: the result of 'getenv' (a.cu:3:5)");
  CHECK(reasons.remedy(n) == "pass --param n=VALUE");
  CHECK(reasons.named(0, "n", {}) == 0);
}
