#include "support/Json.h"
#include "support/Catch.h"
#include "support/JsonCursor.h"
#include "support/JsonText.h"
#include <random>

using namespace streammap;

TEST_CASE("a line is written in the letters of the value it stands for") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    const double number = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 120) - 100);
    const std::string text = round % 3 == 0 ? "plain [1,2]" : round % 3 == 1 ? "say \"\\\"" : "\xc3\xa9\n";
    const JsonText::Json value{
        {"a", jsonNumber(number)}, {text, text}, {"list", {text, 7}}, {"none", nullptr}};
    std::string line = "    ";
    JsonLine(line)
        .beginObject()
        .member("a", number)
        .member(text, text)
        .key("list")
        .beginArray()
        .value(text)
        .value(std::uint64_t{7})
        .endArray()
        .key("none")
        .null()
        .endObject();
    REQUIRE(line == "    " + value.dump());
  }
}

TEST_CASE("a cursor walks over right text and stops at what is not") {
  JsonCursor at(R"( {"a": [1, 2.5e0, {}], "b": {"c": "x"}, "d": [[], {"e": "\"]"}]} )");
  std::string_view key;
  at.enterObject();
  REQUIRE(at.nextKey(key));
  CHECK(key == "a");
  at.enterArray();
  REQUIRE(at.nextElement());
  CHECK(at.wholeNumber() == 1);
  REQUIRE(at.nextElement());
  CHECK(at.number() == 2.5);
  REQUIRE(at.nextElement());
  CHECK(at.skip() == "{}");
  CHECK_FALSE(at.nextElement());
  REQUIRE(at.nextKey(key));
  CHECK(at.skip() == R"({"c": "x"})");
  REQUIRE(at.nextKey(key));
  CHECK(at.skip() == R"([[], {"e": "\"]"}])");
  CHECK_FALSE(at.nextKey(key));
  CHECK(at.isDone());
  for (const char *wrong : {"[1 2]", "[1,]", "[,1]", "[01]", "[1.]", "[-]", "[1", "[+1]", "[1]]"}) {
    INFO(wrong);
    JsonCursor cursor(wrong);
    for (cursor.enterArray(); cursor.nextElement();)
      (void)cursor.number();
    CHECK_FALSE(cursor.isDone());
  }
}

namespace {

/// What reading `text` as {"name" (required), "count", "memory", "mode", "list"} reports.
std::string reported(std::string_view text) {
  Diagnostics diagnostics;
  std::optional<JsonDocument> document = JsonDocument::parse(text, "in.json", diagnostics);
  if (document) {
    static constexpr JsonKey keys[] = {
        {"name", Need::required}, {"count"}, {"memory"}, {"memory_bytes"}, {"mode"}, {"list"}, {"weight"}};
    static constexpr std::string_view modes[] = {"in", "out", "inout"};
    JsonObject object(document->root(), keys, diagnostics);
    (void)object.text("name");
    (void)object.wholeNumber("count", {1, 1024});
    (void)object.sizeOf("memory");
    (void)object.oneOf("mode", modes);
    (void)object.textArray("list");
    (void)object.number("weight");
  }
  return toText(diagnostics);
}

} // namespace

TEST_CASE("a right object reports nothing") {
  CHECK(
      reported(R"({"name": "x", "count": 3, "memory": "80GiB", "mode": "in", "list": ["a"], "weight": 0.5})")
          .empty());
}

TEST_CASE("all mistakes of an object are listed, each at its pointer") {
  CHECK(
      reported(
          R"({"nmae": "x", "count": 0, "memory": "80Gigs", "mode": "imout", "list": ["a", 3], "weight": -1})") ==
      "in.json:/nmae: error: unknown key 'nmae'; did you mean 'name'?\n"
      "in.json: error: missing key 'name'\n"
      "in.json:/count: error: expected a whole number from 1 to 1024, found the number 0\n"
      "in.json:/memory: error: unknown unit 'Gigs' in '80Gigs'; write a size like \"80GiB\"\n"
      "in.json:/mode: error: expected one of in, out, inout, found the text 'imout'; did you mean 'inout'?\n"
      "in.json:/list/1: error: expected text, found the number 3\n"
      "in.json:/weight: error: expected a number, 0 or more, found the number -1\n"
      "7 errors\n");
}

TEST_CASE("a plain number where a unit belongs says where plain numbers go") {
  CHECK(reported(R"({"name": "x", "memory": 80})") ==
        "in.json:/memory: error: expected text with a unit such as \"80GiB\", found the number 80; a plain "
        "number goes "
        "under 'memory_bytes'\n1 error\n");
}

TEST_CASE("one quantity given twice is an error") {
  CHECK(reported(R"({"name": "x", "memory": "1GiB", "memory_bytes": 5})") ==
        "in.json:/memory_bytes: error: 'memory' already says this; keep one of the two\n1 error\n");
}

TEST_CASE("a whole number may be written as 5e2 but not as 1.5") {
  CHECK(reported(R"({"name": "x", "count": 5e2})").empty());
  CHECK(reported(R"({"name": "x", "count": 1.5})") ==
        "in.json:/count: error: expected a whole number from 1 to 1024, found the number 1.5\n1 error\n");
}

TEST_CASE("wrong types say what was found") {
  CHECK(reported(R"({"name": null})") == "in.json:/name: error: expected text, found null\n1 error\n");
  CHECK(reported(R"({"name": [1]})") == "in.json:/name: error: expected text, found an array\n1 error\n");
  CHECK(reported(R"({"name": true})") == "in.json:/name: error: expected text, found true\n1 error\n");
  CHECK(reported(R"([1])") == "in.json: error: expected an object, found an array\n1 error\n");
}

TEST_CASE("a key that stands twice is an error") {
  CHECK(reported(R"({"name": "x", "name": "y"})") ==
        "in.json:/name: error: the key 'name' stands twice in one object\n1 error\n");
}

TEST_CASE("truncated text says where it ends and what was expected") {
  CHECK(reported("{\"name\": \"x\",\n \"list\": [\"a\"") ==
        "in.json:2:14: error: syntax error while parsing array - unexpected end of input; expected ']'\n1 "
        "error\n");
  CHECK(reported("") ==
        "in.json:1:1: error: syntax error while parsing value - unexpected end of input; expected '[', "
        "'{', or a literal\n1 error\n");
}

TEST_CASE("text that is no JSON says line and column") {
  CHECK(reported("{\n  \"name\": NaN\n}") == "in.json:2:11: error: syntax error while parsing value - "
                                             "invalid literal; last read: '\"name\": N'\n1 error\n");
  CHECK_FALSE(reported("{} {}").empty());
  CHECK_FALSE(reported("{\"name\": \"x\", \"weight\": 1e999}").empty());
  CHECK_FALSE(reported("{\"name\": \"\xFF\"}").empty());
}

TEST_CASE("pointers escape what RFC 6901 says") {
  CHECK(reported(R"({"name": "x", "a/b~c": 1})") ==
        "in.json:/a~1b~0c: error: unknown key 'a/b~c'\n1 error\n");
}

TEST_CASE("nesting as deep as the file likes is no danger") {
  std::string deep = std::string(200000, '[') + std::string(200000, ']');
  CHECK(reported(deep) == "in.json: error: expected an object, found an array\n1 error\n");
}

TEST_CASE("another schema says what to do") {
  auto told = [](std::string_view text) {
    Diagnostics diagnostics;
    std::optional<JsonDocument> document = JsonDocument::parse(text, "in.json", diagnostics);
    REQUIRE(document);
    CHECK_FALSE(hasSchema(document->root(), "streammap.tasks/1", diagnostics));
    return toText(diagnostics);
  };
  CHECK(told(R"({"schema": "streammap.tasks/2"})") ==
        "in.json:/schema: error: expected \"streammap.tasks/1\", found the text 'streammap.tasks/2'; this "
        "version of "
        "streammap reads version 1 only: use the version that wrote the file, or write it again with this "
        "one\n1 error\n");
  CHECK(told(R"({"schema": "streammap.cluster/1"})") ==
        "in.json:/schema: error: expected \"streammap.tasks/1\", found the text 'streammap.cluster/1'; this "
        "is another "
        "kind of StreamMAP file\n1 error\n");
  CHECK(told("{}") == "in.json: error: missing key 'schema'; a file of this kind starts with \"schema\": "
                      "\"streammap.tasks/1\"\n1 error\n");
}

TEST_CASE("files are written one element a line") {
  JsonText file("streammap.x/1");
  file.member("name", "a");
  file.beginList("none");
  file.endList();
  file.beginList("some");
  file.item({{"id", 1}});
  file.item({{"id", 2}});
  file.endList();
  file.beginMap("map");
  file.entry("k", true);
  file.endMap();
  CHECK(file.finish() ==
        "{\n  \"schema\": \"streammap.x/1\",\n  \"name\": \"a\",\n  \"none\": [],\n  \"some\": [\n"
        "    {\"id\":1},\n    {\"id\":2}\n  ],\n  \"map\": {\n    \"k\": true\n  }\n}\n");
}

TEST_CASE("numbers are written with the digits that read back the same") {
  CHECK(jsonNumber(524288).dump() == "524288");
  CHECK(jsonNumber(0.1).dump() == "0.1");
  CHECK(jsonNumber(4.1e-4).dump() == "0.00041");
  CHECK(jsonNumber(1.0 / 3).dump() == "0.3333333333333333");
  CHECK(jsonNumber(-2).dump() == "-2");
}
