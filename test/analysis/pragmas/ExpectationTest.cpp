// Every .cu and .cpp of this folder says beside its code what `streammap check` says about it:
//
//   #pragma streammap task imout(a) // expect-error(unknown-clause) {{did you mean 'inout'?}}
//
// Whatever is said must be expected on its line, and whatever is expected must be said.
#include "ParseText.h"
#include "analysis/Check.h"
#include "support/Catch.h"
#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

namespace streammap::test {
namespace {

namespace fs = std::filesystem;
const fs::path folder = fs::path(STREAMMAP_SOURCE_DIR) / "test/analysis/pragmas";

std::string contents(const fs::path &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Expected {
  std::string file;
  unsigned line;
  std::string severity, code, text;
  bool isMet = false;
};

void readExpectations(const fs::path &path, std::vector<Expected> &into) {
  static const std::regex pattern(R"(expect-(error|warning)\(([a-z-]+)\) \{\{(.*?)\}\})");
  std::istringstream lines(contents(path));
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    for (std::sregex_iterator i(line.begin(), line.end(), pattern), end; i != end; ++i)
      into.push_back({path.filename().string(), number, (*i)[1], (*i)[2], (*i)[3]});
  }
}

std::string name(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

std::vector<fs::path> sources() {
  std::vector<fs::path> paths;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".cu" || entry.path().filename() == "plain.cpp")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Diagnostics check(const fs::path &path) {
  ParsedText parsed = parseFile(path.string());
  if (parsed.unit)
    checkUnit(*parsed.unit, parsed.diagnostics);
  return parsed.diagnostics;
}

TEST_CASE("check says what the sources expect and nothing else") {
  for (const fs::path &path : sources()) {
    DYNAMIC_SECTION(path.filename().string()) {
      std::vector<Expected> expectations;
      readExpectations(path, expectations);
      if (fs::path header = fs::path(path).replace_extension(".h"); fs::exists(header))
        readExpectations(header, expectations);
      const Diagnostics said = check(path);
      for (const Diagnostic &diagnostic : said.all()) {
        const auto found =
            std::find_if(expectations.begin(), expectations.end(), [&](const Expected &expected) {
              return !expected.isMet && expected.line == diagnostic.location.line &&
                     fs::path(diagnostic.location.file).filename() == expected.file &&
                     expected.severity == name(diagnostic.severity) && expected.code == diagnostic.code &&
                     diagnostic.message.find(expected.text) != std::string::npos;
            });
        INFO("said: " << toText(diagnostic.location) << ": " << name(diagnostic.severity) << "("
                      << diagnostic.code << "): " << diagnostic.message);
        CHECK(found != expectations.end());
        if (found != expectations.end())
          found->isMet = true;
      }
      for (const Expected &expected : expectations) {
        INFO("expected: " << expected.file << ":" << expected.line << ": " << expected.severity << "("
                          << expected.code << "): " << expected.text);
        CHECK(expected.isMet);
      }
    }
  }
}

TEST_CASE("docs/diagnostics.md explains every code that the sources trigger, and no other") {
  std::set<std::string> triggered;
  for (const fs::path &path : sources()) {
    std::vector<Expected> expectations;
    readExpectations(path, expectations);
    for (const Expected &expected : expectations)
      triggered.insert(expected.code);
  }
  const std::string text = contents(fs::path(STREAMMAP_SOURCE_DIR) / "docs/diagnostics.md");
  const std::size_t begin = text.find("## Pragmas"), end = text.find("\n## ", begin + 1);
  REQUIRE(begin != std::string::npos);
  const std::string section = text.substr(begin, end - begin);
  std::set<std::string> documented;
  static const std::regex heading(R"(### `([a-z-]+)`)");
  for (std::sregex_iterator i(section.begin(), section.end(), heading), last; i != last; ++i)
    documented.insert((*i)[1]);
  CHECK(documented == triggered);
}

TEST_CASE("carets stand under what is wrong, the right word under them") {
  const Diagnostics found = check(folder / "grammar.cu");
  const auto clause = std::find_if(found.all().begin(), found.all().end(),
                                   [](const Diagnostic &d) { return d.code == "unknown-clause"; });
  REQUIRE(clause != found.all().end());
  const std::size_t lineEnd = clause->snippet.find('\n');
  const std::string line = clause->snippet.substr(0, lineEnd), marks = clause->snippet.substr(lineEnd + 1);
  CHECK(line.find("imout") == marks.find('^'));
  CHECK(marks.substr(marks.find('^')) == "^~~~~");
  CHECK(clause->location.column == line.find("imout") + 1);
  CHECK(clause->fix == "inout");
}

TEST_CASE("a source that is not there is an error, not a crash") {
  const ParsedText parsed = parseFile("/nowhere/app.cu");
  CHECK(parsed.unit == nullptr);
  REQUIRE(parsed.diagnostics.errorCount() == 1);
  CHECK(parsed.diagnostics.all()[0].code == "no-source");
}

TEST_CASE("an include that is not there is Clang's error, said once") {
  SourceFolder temporary;
  const ParsedText parsed = parseFile(temporary.write("a.cu", "#include \"gone.h\"\nint main() {}\n"));
  REQUIRE(parsed.diagnostics.errorCount() == 1);
  CHECK(parsed.diagnostics.all()[0].message == "'gone.h' file not found");
}

TEST_CASE("no garbage in a pragma is more than an error") {
  // What made trouble once, or might: open brackets, odd tokens, keywords, empty macros, ends of lines.
  const char *const pragmas[] = {"task in(a[0:n]) in(",
                                 "task in(a[[])",
                                 "task in(a])",
                                 "task in((a)",
                                 "task in(a[0:n)]",
                                 "task in({)",
                                 "task in(:)",
                                 "task in(::)",
                                 "task in(a[::])",
                                 "task in(a[:::])",
                                 "task in(a[?:])",
                                 "task in(,)",
                                 "task in(([n])",
                                 "task in(([n][n]))",
                                 "task in(([n])a[])",
                                 "task in(if)",
                                 "task in(#)",
                                 "task in(@)",
                                 "task in(a...)",
                                 "task in(MAC(1)",
                                 "task in(MAC)",
                                 "task in(EMPTY)",
                                 "task EMPTY",
                                 "task in(\"x)",
                                 "task in('",
                                 "task flops(return)",
                                 "task name(EMPTY)",
                                 "task device()",
                                 "task capability(1e)",
                                 "task capability(.)",
                                 "task in(sizeof(a)[0:1])",
                                 "task in(new int[3])",
                                 "wait on(a[0:1]",
                                 "wait wait",
                                 "trips",
                                 "trips(",
                                 "trips()",
                                 "root in(a)",
                                 "root root",
                                 "task \\",
                                 "task task(a)",
                                 "\"task\"",
                                 "()",
                                 "task in(a) \x01",
                                 "task in(0)",
                                 "task in(this)"};
  for (const char *pragma : pragmas) {
    SourceFolder temporary;
    const std::string path =
        temporary.write("a.cu", "#define MAC(x) x\n#define EMPTY\n__global__ void k(float *a, int n) "
                                "{}\nvoid f(float *a, int n) {\n#pragma streammap " +
                                    std::string(pragma) + "\n  k<<<1, 1>>>(a, n);\n}\n");
    INFO(pragma);
    const Diagnostics said = check(path);
    CHECK(!said.all().empty());
  }
}

} // namespace
} // namespace streammap::test
