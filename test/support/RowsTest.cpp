#include "support/Rows.h"
#include "support/Catch.h"
#include "support/ShortVector.h"
#include <algorithm>

using namespace streammap;

namespace {
using NameId = Id<struct NameTag>;
}

TEST_CASE("rows keep each id's items in the order given") {
  const std::vector<std::pair<NameId, int>> pairs{
      {NameId(2), 7}, {NameId(0), 1}, {NameId(2), 3}, {NameId(0), 9}};
  const auto rows = Rows<NameId, int>::collect(4, [&](auto give) {
    for (const auto &[id, item] : pairs)
      give(id, item);
  });
  REQUIRE(rows.size() == 4);
  CHECK(rows.itemCount() == 4);
  CHECK(std::ranges::equal(rows[NameId(0)], std::vector{1, 9}));
  CHECK(rows[NameId(1)].empty());
  CHECK(std::ranges::equal(rows[NameId(2)], std::vector{7, 3}));
  Rows<NameId, int> appended;
  appended.append(std::vector{1, 9});
  appended.append({});
  CHECK(appended.size() == 2);
  CHECK(std::ranges::equal(appended[NameId(0)], std::vector{1, 9}));
}

TEST_CASE("a short vector holds more than fits inside") {
  ShortVector<int, 3> numbers;
  CHECK(numbers.empty());
  for (int i = 0; i < 10; ++i) {
    numbers.push_back(i);
    const ShortVector<int, 3> copy = numbers;
    REQUIRE(copy.size() == static_cast<std::size_t>(i + 1));
    for (int j = 0; j <= i; ++j)
      CHECK(copy[static_cast<std::size_t>(j)] == j);
    CHECK(copy.end() - copy.begin() == i + 1);
  }
}
