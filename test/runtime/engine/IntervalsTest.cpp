#include "streammap/IntervalMap.h"
#include "support/Catch.h"
#include <random>

namespace streammap::engine {

TEST_CASE("a strided region is one interval per run, and runs that touch are one") {
  CHECK(intervalsOf({8, 4, 16, 2}) == Intervals{{8, 12}, {24, 28}});
  CHECK(intervalsOf({0, 4, 4, 3}) == Intervals{{0, 12}});
  CHECK(intervalsOf({5, 0, 0, 1}).empty());
}

TEST_CASE("equal rows at equal distance are one rectangle") {
  const auto single = rectangles({{8, 12}, {24, 28}, {40, 44}});
  REQUIRE(single.size() == 1);
  CHECK(single[0].begin == 8);
  CHECK(single[0].width == 4);
  CHECK(single[0].stride == 16);
  CHECK(single[0].rows == 3);
  CHECK(rectangles({{0, 4}, {8, 12}, {20, 24}}).size() == 2);
  CHECK(rectangles({{0, 4}, {8, 16}}).size() == 2);
}

TEST_CASE("two sets of intervals overlap when they share a byte") {
  CHECK(overlap(Intervals{{0, 4}, {8, 12}}, Intervals{{11, 20}}));
  CHECK_FALSE(overlap(Intervals{{0, 4}, {8, 12}}, Intervals{{4, 8}, {12, 20}}));
}

TEST_CASE("an interval map agrees with one value per byte, and stores runs once") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    CAPTURE(seed);
    IntervalMap<int> map(100, 0);
    std::vector<int> bytes(100, 0);
    for (int step = 0; step < 60; ++step) {
      const std::uint64_t begin = random() % 100, end = begin + random() % (110 - begin);
      const int value = static_cast<int>(random() % 3);
      if (random() % 2) {
        map.assign({begin, end}, value);
        for (std::uint64_t i = begin; i < end && i < 100; ++i)
          bytes[i] = value;
      } else {
        map.update({begin, end}, [&](Interval, int &piece) { piece = (piece + value) % 3; });
        for (std::uint64_t i = begin; i < end && i < 100; ++i)
          bytes[i] = (bytes[i] + value) % 3;
      }
      std::vector<int> seen;
      std::size_t runs = 0;
      map.visit({0, 200}, [&](Interval piece, int pieceValue) {
        REQUIRE(piece.begin == seen.size());
        seen.resize(piece.end, pieceValue);
        ++runs;
      });
      REQUIRE(seen == bytes);
      std::size_t expectedRuns = 1;
      for (std::size_t i = 1; i < bytes.size(); ++i)
        expectedRuns += bytes[i] != bytes[i - 1];
      REQUIRE(runs == expectedRuns);
    }
  }
}

TEST_CASE("a visit of a part cuts the pieces at its ends") {
  IntervalMap<int> map(100, 0);
  map.assign({10, 20}, 7);
  Intervals seen;
  map.visit({15, 25}, [&](Interval piece, int) { seen.push_back(piece); });
  CHECK(seen == Intervals{{15, 20}, {20, 25}});
}

} // namespace streammap::engine
