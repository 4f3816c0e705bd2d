#include "report/TextTable.h"
#include "support/Catch.h"
#include <algorithm>

using namespace streammap;

using Lines = std::vector<std::string>;

TEST_CASE("text is broken at blanks, long words at their marks") {
  CHECK(brokenToFit("", 10) == Lines{""});
  CHECK(brokenToFit("one two", 10) == Lines{"one two"});
  CHECK(brokenToFit("one two three", 8) == Lines{"one two", "three"});
  CHECK(brokenToFit("over n001:gpu0:peer.out", 10) == Lines{"over", "n001:gpu0:", "peer.out"});
  CHECK(brokenToFit("abcdefgh", 3) == Lines{"abc", "def", "gh"});
}

TEST_CASE("a character of several bytes is never torn") {
  CHECK(brokenToFit("ééé", 2) == Lines{"éé", "é"});
}

TEST_CASE("columns are as wide as their content and numbers stand right") {
  TextTable table({{"Devices"}, {"busy", Align::right}});
  table.add({"n1:gpu0", "71.0 %"});
  table.add({"n1", "5.0 %"});
  CHECK(table.text() == "Devices      busy\n"
                        "  n1:gpu0  71.0 %\n"
                        "  n1        5.0 %\n");
}

TEST_CASE("too much text goes on in the next line and leaves the numbers whole") {
  TextTable table({{"Step"}, {"takes", Align::right}, {"why"}});
  table.add({std::string(60, 'x'), "1.00 ms", std::string(60, 'z')});
  table.note("between");
  table.add({"a", "2", "b"});
  const std::string text = table.text();
  CHECK(text.find("1.00 ms") != std::string::npos);
  CHECK(std::ranges::count(text, 'x') == 60);
  CHECK(std::ranges::count(text, 'z') == 60);
  CHECK(text.find("\nbetween\n  a") != std::string::npos);
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    CHECK(end - at <= 80);
}
