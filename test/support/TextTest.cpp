#include "support/Text.h"
#include "support/Catch.h"
#include "support/Digest.h"
#include "support/Ids.h"

using namespace streammap;

TEST_CASE("one edit is an insertion, deletion, substitution or swap of neighbours") {
  CHECK(editDistance("in", "in") == 0);
  CHECK(editDistance("imout", "inout") == 1);
  CHECK(editDistance("swich", "switch") == 1);
  CHECK(editDistance("otu", "out") == 1);
  CHECK(editDistance("IN", "in") == 0);
  CHECK(editDistance("", "abc") == 3);
}

TEST_CASE("the nearest word is suggested, and none when all are far") {
  CHECK(nearest("imout", {"in", "out", "inout"}) == "inout");
  CHECK(nearest("nmae", {"names", "name"}) == "name");
  CHECK(nearest("colour", {"in", "out"}) == std::nullopt);
  CHECK(nearest("x", std::initializer_list<std::string_view>{}) == std::nullopt);
}

TEST_CASE("text is split, joined and shortened") {
  CHECK(split("a,b,,c", ',') == std::vector<std::string_view>{"a", "b", "", "c"});
  CHECK(split("", ',') == std::vector<std::string_view>{""});
  CHECK(join(std::vector<std::string>{"a", "b"}, ", ") == "a, b");
  CHECK(trim(" \ta b\n") == "a b");
  CHECK(abbreviated("short") == "short");
  CHECK(abbreviated(std::string(100, 'x')).size() == 60);
  CHECK(abbreviated(std::string(56, 'x') + "\xC3\xA9" + std::string(40, 'y')) ==
        std::string(56, 'x') + "...");
}

TEST_CASE("the digest is 64-bit FNV-1a") {
  CHECK(digest("") == "fnv1a64:cbf29ce484222325");
  CHECK(digest("a") == "fnv1a64:af63dc4c8601ec8c");      // the authors' test vectors
  CHECK(digest("foobar") == "fnv1a64:85944171f73967e8"); // http://www.isthe.com/chongo/src/fnv/test_fnv.c
}

TEST_CASE("ids start invalid and index their own vector") {
  using PlanetId = Id<struct PlanetTag>;
  IndexedVector<PlanetId, std::string> planets{"Mercury", "Venus"};
  CHECK_FALSE(PlanetId().valid());
  CHECK(PlanetId(1) < PlanetId());
  CHECK(planets[planets.push("Earth")] == "Earth");
  std::size_t count = 0;
  for (PlanetId planet : planets.ids())
    count += planets[planet].size();
  CHECK(count == 17);
}
