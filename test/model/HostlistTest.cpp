#include "model/Hostlist.h"
#include "support/Catch.h"
#include <random>

using namespace streammap;
using Names = std::vector<std::string>;

namespace {

std::string errorOf(std::string_view text) {
  Expected<Names> names = expandHostlist(text);
  REQUIRE_FALSE(names.has_value());
  return names.error().message;
}

} // namespace

TEST_CASE("hostlists expand in the order written") {
  CHECK(expandHostlist("n1") == Names{"n1"});
  CHECK(expandHostlist("a,b,a") == Names{"a", "b", "a"});
  CHECK(expandHostlist("n[001-003,020]") == Names{"n001", "n002", "n003", "n020"});
  CHECK(expandHostlist("n[9-11]") == Names{"n9", "n10", "n11"});
  CHECK(expandHostlist("n[09-11]") == Names{"n09", "n10", "n11"});
  CHECK(expandHostlist("gpu-a[1-2]b[01-02]x,z") ==
        Names{"gpu-a1b01x", "gpu-a1b02x", "gpu-a2b01x", "gpu-a2b02x", "z"});
  CHECK(expandHostlist("n[5]") == Names{"n5"});
}

TEST_CASE("mistakes in hostlists are told at their character") {
  CHECK(errorOf("") == "character 1: expected a node name");
  CHECK(errorOf("a,,b") == "character 3: expected a node name");
  CHECK(errorOf("n[1-3") == "character 2: '[' is never closed");
  CHECK(errorOf("n[") == "character 2: '[' is never closed");
  CHECK(errorOf("n1-3]") == "character 5: ']' without '['");
  CHECK(errorOf("n[3-1]") == "character 3: the range runs backwards");
  CHECK(errorOf("n[a-b]") == "character 3: expected a number");
  CHECK(errorOf("n[1;2]") == "character 4: expected ',', '-' or ']'");
  CHECK(errorOf("n1 n2") == "character 3: a blank in a node name; separate names with ','");
  CHECK(errorOf("n[0-9999999]") == "character 3: more than 1000000 names");
  CHECK(errorOf("n[0-9999]m[0-9999]") == "character 11: more than 1000000 names");
  CHECK(errorOf("n[11111111111111111111]") == "character 3: the number is too long");
}

TEST_CASE("names compress to the shortest ranges that keep their order") {
  CHECK(compressHostlist(Names{"n001", "n002", "n003", "n020"}) == "n[001-003,020]");
  CHECK(compressHostlist(Names{"n9", "n10", "n11"}) == "n[9-11]");
  CHECK(compressHostlist(Names{"n3", "n2"}) == "n[3,2]");
  CHECK(compressHostlist(Names{"login", "n7", "n8-ib", "n9-ib"}) == "login,n7,n[8-9]-ib");
  CHECK(compressHostlist(Names{"n099", "n100", "n0100"}) == "n[099-100,0100]");
  CHECK(compressHostlist(Names{}).empty());
}

TEST_CASE("expanding what was compressed gives the same names in the same order") {
  std::mt19937 random(99);
  for (int round = 0; round < 500; ++round) {
    Names names;
    for (std::size_t i = random() % 30 + 1; i-- > 0;) {
      std::string number = std::to_string(random() % 15);
      if (random() % 2)
        number = "0" + number;
      static const char *heads[] = {"n", "gpu-a1b", "rack7-", "n"};
      static const char *tails[] = {"", "", "-ib"};
      names.push_back(heads[random() % 4] + number + tails[random() % 3]);
      if (random() % 10 == 0)
        names.push_back("login");
    }
    std::string text = compressHostlist(names);
    INFO("round " << round << ": " << text);
    REQUIRE(expandHostlist(text) == names);
  }
}
