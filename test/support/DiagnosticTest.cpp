#include "support/Diagnostic.h"
#include "support/Catch.h"
#include <nlohmann/json.hpp>

using namespace streammap;

namespace {

Diagnostics sample() {
  Diagnostics diagnostics;
  diagnostics.report(
      {Severity::error,
       {"chol esky.cu", 41, 24, {}},
       "unknown clause 'imout'; did you mean 'inout'?",
       "unknown-clause",
       "#pragma streammap task imout(a)\n                       ^~~~~",
       "inout",
       {{Severity::note, {"chol esky.cu", 9, 1, {}}, "'a' is declared here", {}, {}, {}, {}}}});
  diagnostics.error({"cluster.json", 0, 0, "/nodes/0/swich"}, "unknown key 'swich'; did you mean 'switch'?",
                    "unknown-key");
  diagnostics.warning({"a.cu", 3, 0, {}}, "nothing runs here");
  return diagnostics;
}

} // namespace

TEST_CASE("text shows place, message, source line, fix and the count") {
  CHECK(toText(sample()) ==
        "chol esky.cu:41:24: error: unknown clause 'imout'; did you mean 'inout'?\n"
        "    #pragma streammap task imout(a)\n"
        "                           ^~~~~\n"
        "                           inout\n"
        "chol esky.cu:9:1: note: 'a' is declared here\n"
        "cluster.json:/nodes/0/swich: error: unknown key 'swich'; did you mean 'switch'?\n"
        "a.cu:3: warning: nothing runs here\n"
        "2 errors, 1 warning\n");
}

TEST_CASE("nothing found prints nothing") {
  CHECK(toText(Diagnostics()).empty());
  CHECK(toJson(Diagnostics()) == "[]\n");
}

TEST_CASE("json carries every field") {
  auto json = nlohmann::json::parse(toJson(sample()));
  REQUIRE(json.size() == 3);
  CHECK(json[0]["severity"] == "error");
  CHECK(json[0]["file"] == "chol esky.cu");
  CHECK(json[0]["line"] == 41);
  CHECK(json[0]["column"] == 24);
  CHECK(json[0]["code"] == "unknown-clause");
  CHECK(json[0]["fix"] == "inout");
  CHECK(json[0]["notes"][0]["message"] == "'a' is declared here");
  CHECK(json[1]["pointer"] == "/nodes/0/swich");
  CHECK_FALSE(json[1].contains("line"));
}

TEST_CASE("sarif has the shape of version 2.1.0") {
  auto sarif = nlohmann::json::parse(toSarif(sample()));
  CHECK(sarif["version"] == "2.1.0");
  auto run = sarif["runs"][0];
  CHECK(run["tool"]["driver"]["name"] == "streammap");
  CHECK(run["tool"]["driver"]["rules"].size() == 2);
  auto first = run["results"][0];
  CHECK(first["level"] == "error");
  CHECK(first["ruleId"] == "unknown-clause");
  CHECK(first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "chol%20esky.cu");
  CHECK(first["locations"][0]["physicalLocation"]["region"]["startColumn"] == 24);
  CHECK(first["relatedLocations"][0]["message"]["text"] == "'a' is declared here");
  CHECK(run["results"][1]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "/nodes/0/swich");
}

TEST_CASE("a file name that is no UTF-8 does not stop the output") {
  Diagnostics diagnostics;
  diagnostics.error({"caf\xE9.cu", 1, 1, {}}, "bad", "x");
  CHECK(nlohmann::json::accept(toJson(diagnostics)));
  CHECK(nlohmann::json::accept(toSarif(diagnostics)));
}
