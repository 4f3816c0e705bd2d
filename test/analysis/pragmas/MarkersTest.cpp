// Pragmas as they appear in the AST.
#include "analysis/Markers.h"
#include "ParseText.h"
#include "support/Catch.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace streammap::test {
namespace {

std::string dimensionText(const SectionDimension &dimension) {
  if (dimension.isIndex)
    return "[index]";
  return std::string("[") + (dimension.lower ? "l" : "") + (dimension.length ? "n" : "") +
         (dimension.stride ? "s" : "") + "]";
}

/// One line per marker: "task gemm: in float *a[ln]; flops(1)".
class MarkerPrinter : public clang::RecursiveASTVisitor<MarkerPrinter> {
public:
  explicit MarkerPrinter(const SiteTable &sites) : sites_(sites) {}
  std::vector<std::string> lines;

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitIfStmt(clang::IfStmt *statement) {
    if (const auto task = taskMarker(statement, sites_)) {
      std::string line = "task " + defaultTaskName(*task) + ":";
      for (const DataItem &item : task->data)
        line += data(item);
      for (const OtherClause &clause : task->clauses)
        line += " " + std::string(toText(clause.forms->kind)) + "(" + clause.forms->word + "/" +
                std::to_string(clause.arguments.size()) + ");";
      lines.push_back(line);
    } else if (rootMarker(statement, sites_)) {
      lines.push_back("root");
    } else if (const auto trips = tripsMarker(statement, sites_)) {
      lines.push_back("trips " + trips->trips->getType().getAsString() + " " +
                      trips->loop->getStmtClassName());
    }
    return true;
  }
  bool VisitCallExpr(clang::CallExpr *call) {
    if (const auto wait = waitMarker(call, sites_)) {
      std::string line = "wait";
      for (const DataItem &item : wait->data)
        line += data(item);
      lines.push_back(line);
    }
    return true;
  }

private:
  static std::string data(const DataItem &item) {
    std::string text = " " + std::string(toText(item.forms->kind)) + " " +
                       item.base->getType().getAsString() + " " + item.forms->baseText;
    for (std::size_t i = 0; i < item.shape.size(); ++i)
      text += "<shape>";
    for (const SectionDimension &dimension : item.dimensions)
      text += dimensionText(dimension);
    return text + ";";
  }
  const SiteTable &sites_;
};

std::vector<std::string> markers(const std::string &text, const std::string &name = "a.cu") {
  SourceFolder temporary;
  const ParsedText parsed = parseFile(temporary.write(name, text));
  INFO(toText(parsed.diagnostics));
  CHECK(parsed.diagnostics.all().empty());
  REQUIRE(parsed.unit);
  MarkerPrinter printer(parsed.unit->sites());
  printer.TraverseDecl(parsed.unit->context().getTranslationUnitDecl());
  return printer.lines;
}

using Lines = std::vector<std::string>;
const std::string kernel = "__global__ void k(float *a, int n) {}\n";

TEST_CASE("a section has the parts that were written") {
  CHECK(markers(kernel + "void f(float *a, int n, float (&m)[4][5]) {\n"
                         "#pragma streammap task in(a[0:n], a[1:n:2], a[:n], m[0:2][1:3], m[1:2][3], "
                         "([n][8])a[0:1][0:8], a)\n"
                         "k<<<1, 1>>>(a, n); }") ==
        Lines{"task k: in float * a[ln]; in float * a[lns]; in float * a[n]; in float[4][5] m[ln][ln]; "
              "in float[4][5] m[ln][index]; in float * a<shape><shape>[ln][ln]; in float * a;"});
}

TEST_CASE("'::' in a section is a scope where it can be one, two colons where not") {
  CHECK(markers(kernel +
                "namespace N { constexpr int n = 2; }\nvoid f(float *a) {\n"
                "#pragma streammap task inout(a[0:N::n], a[0:N::n:2], a[(0)::2])\nk<<<1, 1>>>(a, 2); }") ==
        Lines{"task k: inout float * a[ln]; inout float * a[lns]; inout float * a[ls];"});
}

TEST_CASE("the colon of ?: does not cut a section") {
  CHECK(markers(kernel +
                "void f(float *a, int n) {\n"
                "#pragma streammap task inout(a[n ? 1 : 2 : n > 3 ? 4 : 5])\nk<<<1, 1>>>(a, n); }") ==
        Lines{"task k: inout float * a[ln];"});
}

TEST_CASE("templates show their markers in the pattern and resolved in each instance") {
  CHECK(markers(kernel + "template <class T> void f(T *a, int n) {\n"
                         "#pragma streammap task inout(a[0:n]) name(scale, n)\nk<<<1, 1>>>(a, n); }\n"
                         "void g(float *a) { f(a, 3); }") ==
        Lines{"task k: inout T * a[ln]; name(scale/1);", "task k: inout float * a[ln]; name(scale/1);"});
}

TEST_CASE("macros in clauses expand, also when the pragma itself is in a macro") {
  CHECK(markers(kernel + "#define SIZE(x) x[0:n]\n#define TASK(p) _Pragma(\"streammap task inout(SIZE(a))\") "
                         "k<<<1, 1>>>(p, n)\nvoid f(float *a, int n) { TASK(a); TASK(a); }") ==
        Lines{"task k: inout float * a[ln];", "task k: inout float * a[ln];"});
}

TEST_CASE("the name of a task and the word of a device are not expanded") {
  CHECK(
      markers(
          kernel +
          "#define gpu 1\n#define scale 2\nvoid f(float *a, int n) {\n"
          "#pragma streammap task inout(a) name(scale, n) device(gpu) capability(9)\nk<<<1, 1>>>(a, n); }") ==
      Lines{"task k: inout float * a; name(scale/1); device(gpu/0); capability(9.0/0);"});
}

TEST_CASE("waits, roots and trip counts") {
  CHECK(markers(
            "__global__ void k(int n) {\n#pragma streammap trips(n * 0.5)\nfor (int i = 0; i < n; ++i) ; }\n"
            "void f(float *a, double t) {\n#pragma streammap wait\n#pragma streammap root\n{}\n"
            "#pragma streammap wait on(a[0:2], t)\n}") ==
        Lines{"trips double ForStmt", "wait", "root", "wait on float * a[ln]; on double t;"});
}

TEST_CASE("an else keeps its if") {
  // Were the marker an `if` without `else`, this would not be g's.
  CHECK(markers(kernel +
                "int g(float *a, int n) {\nif (n)\n#pragma streammap task inout(a)\nk<<<1, 1>>>(a, n);\n"
                "else return 1;\nreturn 0; }") == Lines{"task k: inout float * a;"});
}

TEST_CASE("a task without a kernel is named after what it calls") {
  CHECK(
      markers("struct Solver { void step(float *); };\nvoid f(Solver s, float *a) {\n"
              "#pragma streammap task inout(a)\ns.step(a);\n#pragma streammap task inout(a)\na[0] = 1; }") ==
      Lines{"task step: inout float * a;", "task task: inout float * a;"});
}

TEST_CASE("plain C++ files hold tasks as well") {
  CHECK(markers("void launch(float *a);\nint main() { float *a = nullptr;\n"
                "#pragma streammap task inout(a[0:1])\nlaunch(a); }",
                "a.cpp") == Lines{"task launch: inout float * a[ln];"});
}

} // namespace
} // namespace streammap::test
