// Strided regions against the obvious: a set of bytes.
#include "model/Regions.h"
#include "support/Catch.h"
#include <random>
#include <set>

using namespace streammap;

namespace {

std::set<std::uint64_t> bytesOf(const Region &region) {
  std::set<std::uint64_t> bytes;
  for (std::uint64_t run = 0; run < region.count; ++run)
    for (std::uint64_t byte = 0; byte < region.size; ++byte)
      bytes.insert(region.offset + run * region.stride + byte);
  return bytes;
}

/// All bytes of all regions; fails when two of them share one.
std::set<std::uint64_t> bytesOf(const std::vector<Region> &regions) {
  std::set<std::uint64_t> bytes;
  for (const Region &region : regions)
    for (std::uint64_t byte : bytesOf(region))
      REQUIRE(bytes.insert(byte).second);
  return bytes;
}

Region randomRegion(std::mt19937 &random) {
  auto below = [&](unsigned limit) { return random() % limit; };
  Region region{below(60), below(9), 0, 1 + below(6)};
  region.stride = region.count > 1 ? region.size + below(12) : 0;
  if (below(20) == 0)
    region.count = 0;
  return region;
}

} // namespace

TEST_CASE("two tiles side by side share rows and no byte") {
  CHECK_FALSE(regionsOverlap({0, 64, 256, 8}, {64, 64, 256, 8}));
  CHECK(regionsOverlap({0, 65, 256, 8}, {64, 64, 256, 8}));
  CHECK(overlapBytes({0, 65, 256, 8}, {64, 64, 256, 8}) == 8);
  CHECK(overlapBytes({0, 100, 0, 1}, {64, 64, 256, 8}) == 36);
}

TEST_CASE("a tile whose runs cross the rows of the other's table") {
  CHECK(overlapBytes({200, 100, 256, 2}, {0, 10, 256, 3}) == 20);
}

TEST_CASE("columns of a matrix against rows of one with another pitch") {
  CHECK(overlapBytes({0, 4, 12, 4}, {0, 4, 8, 4}) == 8); // bytes 0-3 and 24-27
}

TEST_CASE("normalised joins runs that touch and forgets empty ones") {
  CHECK(normalised({16, 8, 8, 4}) == Region{16, 32, 0, 1});
  CHECK(normalised({16, 8, 99, 1}) == Region{16, 8, 0, 1});
  CHECK(normalised({16, 0, 8, 4}) == Region{0, 0, 0, 1});
  CHECK(normalised({16, 8, 8, 0}) == Region{0, 0, 0, 1});
}

TEST_CASE("regions behave as sets of bytes") {
  std::mt19937 random(20240501);
  for (int round = 0; round < 20000; ++round) {
    Region a = randomRegion(random), b = randomRegion(random);
    INFO("round " << round << ": " << a.offset << "+" << a.size << " every " << a.stride << " x" << a.count
                  << " and " << b.offset << "+" << b.size << " every " << b.stride << " x" << b.count);
    std::set<std::uint64_t> x = bytesOf(a), y = bytesOf(b), both, onlyA;
    for (std::uint64_t byte : x)
      (y.contains(byte) ? both : onlyA).insert(byte);
    REQUIRE(overlapBytes(a, b) == both.size());
    REQUIRE(regionsOverlap(a, b) == !both.empty());
    REQUIRE(bytesOf(intersection(a, b)) == both);
    REQUIRE(bytesOf(difference(a, b)) == onlyA);
    REQUIRE(bytesOf(normalised(a)) == x);
  }
}

TEST_CASE("regions of a terabyte cost no more than small ones") {
  const std::uint64_t tera = std::uint64_t{1} << 40;
  CHECK(overlapBytes({0, tera, 0, 1}, {tera / 2, tera, 0, 1}) == tera / 2);
  CHECK(overlapBytes({0, 1024, 4096, tera / 4096}, {0, tera, 0, 1}) == tera / 4);
  CHECK(difference({0, tera, 0, 1}, {0, 1024, 4096, tera / 4096}).size() == 1);
}
