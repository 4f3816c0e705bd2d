// BusyTimes against a list that is walked from its start.
#include "sim/Reservations.h"
#include "support/Catch.h"
#include <algorithm>
#include <random>

using namespace streammap;

namespace {

Seconds slowEarliest(std::vector<Interval> busy, Seconds ready, Seconds length) {
  std::ranges::sort(busy, {}, &Interval::start);
  Seconds start = ready;
  for (const Interval &interval : busy)
    if (interval.end > ready && interval.start < start + length)
      start = std::max(start, interval.end);
    else if (interval.end > ready)
      break;
  return start;
}

} // namespace

TEST_CASE("the first gap is the one a walk from the start finds, with and without joining neighbours") {
  std::mt19937 random(11);
  auto number = [&](unsigned limit) { return seconds(static_cast<double>(random() % limit) / 16); };
  for (int round = 0; round < 40; ++round) {
    BusyTimes apart, joined;
    std::vector<Interval> all;
    for (int i = 0; i < 600; ++i) {
      const Seconds ready = number(3000), length = number(40) + seconds(1.0 / 16);
      const Seconds start = apart.earliest(ready, length);
      REQUIRE(start == slowEarliest(all, ready, length));
      REQUIRE(joined.earliest(ready, length) == start);
      apart.add({start, start + length});
      joined.addJoined({start, start + length});
      all.push_back({start, start + length});
      REQUIRE(apart.lastEnd() == joined.lastEnd());
    }
    const std::vector<Interval> intervals = joined.intervals();
    CHECK(intervals.size() < apart.intervals().size());
    for (std::size_t i = 1; i < intervals.size(); ++i)
      CHECK(intervals[i - 1].end <= intervals[i].start);
    std::size_t visited = 0;
    apart.visit(seconds(50), seconds(90), [&](const Interval &interval) {
      CHECK((interval.end > seconds(50) && interval.start < seconds(90)));
      ++visited;
    });
    CHECK(visited == static_cast<std::size_t>(std::ranges::count_if(all, [](const Interval &interval) {
            return interval.end > seconds(50) && interval.start < seconds(90);
          })));
  }
}

TEST_CASE("nothing fits between two intervals that touch but something without length") {
  BusyTimes busy;
  busy.add({seconds(0), seconds(1)});
  busy.add({seconds(1), seconds(2)});
  CHECK(busy.earliest(seconds(0.5), seconds(0)) == seconds(1));
  CHECK(busy.earliest(seconds(0.5), seconds(0.1)) == seconds(2));
}
