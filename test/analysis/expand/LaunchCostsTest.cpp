// Formulas of kernels with the values of launches put in. The formulas are written by hand: what the analysis
// of kernels finds is tested elsewhere.
#include "../pragmas/ParseText.h"
#include "analysis/BuildTaskGraph.h"
#include "support/Catch.h"
#include "support/Files.h"
#include "support/TemporaryFolder.h"

using namespace streammap;

namespace {

std::string write(const std::string &path, const std::string &text) {
  REQUIRE(writeFileWhole(path, text).has_value());
  return path;
}

std::optional<TaskGraph> expand(const std::string &text, const std::vector<KernelAnalysis> &kernels,
                                Diagnostics &diagnostics) {
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<ParsedUnit>> units;
  test::ParsedText parsed = test::parseFile(write(folder / "app.cu", text));
  REQUIRE(toText(parsed.diagnostics) == "");
  units.push_back(std::move(parsed.unit));
  return buildTaskGraph(units, kernels, {}, diagnostics);
}

KernelAnalysis kernel(std::string symbol, std::map<std::string, std::string> costs) {
  KernelAnalysis analysis;
  analysis.symbol = std::move(symbol);
  analysis.name = "k";
  for (const auto &[metric, formula] : costs)
    analysis.costs[metric] = parseExpression(formula).value();
  return analysis;
}

std::string program(const std::string &clauses, const std::string &launch) {
  return "#include <cuda_runtime.h>\n"
         "struct Size { int rows; struct { double scale; } inner; };\n"
         "__global__ void k(float *p, int n, Size size) { *p = 1; }\n"
         "int unknown();\n"
         "int main() {\n"
         "  float *d; Size size{5, {2.0}};\n"
         "  cudaMalloc(&d, 4000);\n"
         "#pragma streammap task name(t) " +
         clauses + "\n  " + launch + "\n}\n";
}
const char *const launch = "k<<<3, 64>>>(d, 100, size);";
const char *const symbol = "_Z1kPfi4Size";

} // namespace

TEST_CASE("arguments, members of struct arguments and geometry are put into the formulas") {
  Diagnostics diagnostics;
  const auto graph = expand(program("inout(d[0:1000])", launch),
                            {kernel(symbol, {{"flops_fp32", "2*n*size.rows*gridDim.x + blockDim.x"},
                                             {"flops_fp64", "size.inner.scale"},
                                             {"global_load_bytes", "4*n"},
                                             {"global_store_bytes", "8*n"}})},
                            diagnostics);
  CHECK(toText(diagnostics) == "");
  REQUIRE(graph);
  REQUIRE(graph->tasks[TaskId(0)].work);
  const Work &work = *graph->tasks[TaskId(0)].work;
  CHECK(work[FlopType::fp32].value() == 2 * 100 * 5 * 3 + 64);
  CHECK(work[FlopType::fp64].value() == 2);
  CHECK(work.dram.value() == 1200);
  CHECK(work.origin == Origin::stat);
}

TEST_CASE("several launches of one task add up") {
  Diagnostics diagnostics;
  const auto graph = expand(program("inout(d)", std::string("{ ") + launch + launch + " }"),
                            {kernel(symbol, {{"flops_fp32", "n"}, {"global_load_bytes", "n"}})}, diagnostics);
  REQUIRE(graph);
  CHECK(graph->tasks[TaskId(0)].work->flops[static_cast<std::size_t>(FlopType::fp32)].value() == 200);
  CHECK(graph->tasks[TaskId(0)].launches.size() == 2);
}

TEST_CASE("bytes that are requested again and again are served by caches: at most the sections, once a way") {
  Diagnostics diagnostics;
  const auto graph =
      expand(program("in(d[0:10]) inout(d[20:10])", launch),
             {kernel(symbol, {{"flops_fp32", "n"}, {"global_load_bytes", "1000000*n"}})}, diagnostics);
  REQUIRE(graph);
  CHECK(graph->tasks[TaskId(0)].work->dram.value() == 40 + 2 * 40);
}

TEST_CASE("figures in clauses win, and keep the mix of types that was counted") {
  Diagnostics diagnostics;
  const auto graph = expand(
      program("inout(d) flops(3000) bytes(77)", launch),
      {kernel(symbol, {{"flops_fp32", "n"}, {"flops_fp64", "2*n"}, {"flops_integer", "5"}})}, diagnostics);
  REQUIRE(graph);
  const Work &work = *graph->tasks[TaskId(0)].work;
  CHECK(work[FlopType::fp32].value() == 1000);
  CHECK(work[FlopType::fp64].value() == 2000);
  CHECK(work[FlopType::integer].value() == 5);
  CHECK(work.dram.value() == 77);
  CHECK(work.origin == Origin::pragma);
}

TEST_CASE("work that nobody could count is absent, never zero, and said once per kernel") {
  Diagnostics diagnostics;
  KernelAnalysis csr = kernel(symbol, {{"flops_fp32", "2*trips@app.cu:3"}, {"global_load_bytes", "n"}});
  csr.unknowns = {{"flops_fp32", "app.cu:3:1", "the trip count depends on loaded data",
                   "put '#pragma streammap trips(expr)' before the loop"}};
  const auto graph =
      expand(program("inout(d)", std::string("{ ") + launch + launch + " }"), {csr}, diagnostics);
  REQUIRE(graph);
  CHECK(!graph->tasks[TaskId(0)].work);
  CHECK(graph->kernels[KernelId(0)].unknowns.size() == 1);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].code == "unknown-cost");
  CHECK(diagnostics.all()[0].message ==
        "the cost of kernel 'k' is not fully known: the trip count depends on loaded data (app.cu:3:1); put "
        "'#pragma streammap trips(expr)' before the loop");
}

TEST_CASE("an argument that is unknown leaves the work that depends on it unknown") {
  Diagnostics diagnostics;
  const auto graph = expand(program("inout(d)", "k<<<3, 64>>>(d, unknown(), size);"),
                            {kernel(symbol, {{"flops_fp32", "n"}})}, diagnostics);
  REQUIRE(graph);
  CHECK(!graph->tasks[TaskId(0)].work);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].code == "unknown-cost");
}

TEST_CASE("a kernel that was not analysed has no work unless clauses say so") {
  Diagnostics diagnostics;
  const auto without = expand(program("inout(d)", launch), {}, diagnostics);
  REQUIRE(without);
  CHECK(!without->tasks[TaskId(0)].work);
  const auto with = expand(program("inout(d) flops(10)", launch), {}, diagnostics);
  REQUIRE(with);
  CHECK(with->tasks[TaskId(0)].work->flops[static_cast<std::size_t>(FlopType::fp32)].value() == 10);
}

namespace {

/// The kernel reaches `bytes` from its pointer.
KernelAnalysis reaching(const char *bytes, bool isWritten) {
  KernelAnalysis analysis = kernel(symbol, {});
  ParameterExtent extent;
  extent.isRead = true;
  extent.isWritten = isWritten;
  extent.firsts = {Expression(0)};
  extent.ends = {parseExpression(bytes).value()};
  analysis.extents = {extent};
  return analysis;
}

std::vector<std::string> codesOf(const std::string &clauses, const KernelAnalysis &analysis,
                                 const std::string &statement = launch) {
  Diagnostics diagnostics;
  REQUIRE(expand(program(clauses, statement), {analysis}, diagnostics));
  std::vector<std::string> codes;
  for (const Diagnostic &diagnostic : diagnostics.all())
    codes.push_back(diagnostic.code);
  return codes;
}

} // namespace

TEST_CASE("a section that a kernel leaves is a warning at the launch, one that holds is none") {
  CHECK(codesOf("inout(d[0:100])", reaching("4*n", true)).empty());
  CHECK(codesOf("inout(d[0:99])", reaching("4*n", true)) == std::vector<std::string>{"section-too-small"});
  CHECK(codesOf("inout(d)", reaching("4*n", true)).empty());
  // the pointer's own offset counts
  CHECK(codesOf("inout(d[50:100])", reaching("4*n", true), "k<<<3, 64>>>(d + 50, 100, size);").empty());
  CHECK(codesOf("inout(d[50:100])", reaching("4*n", true), "k<<<3, 64>>>(d + 51, 100, size);").size() == 1);
  // holes of a strided section are on purpose
  CHECK(codesOf("inout(d[0:50:2])", reaching("4*n - 4", true)).empty());
}

TEST_CASE("what a kernel writes must not be in in() alone, and what it accesses must be named") {
  CHECK(codesOf("in(d[0:100])", reaching("4*n", true)) == std::vector<std::string>{"undeclared-write"});
  CHECK(codesOf("in(d[0:100])", reaching("4*n", false)).empty());
  // a second task, whose only clause is about something else
  const std::string two = launch +
                          std::string("\n  float *e; cudaMalloc(&e, 4000);\n"
                                      "#pragma streammap task inout(e)\n  ") +
                          launch;
  CHECK(codesOf("inout(d)", reaching("4*n", true), two) == std::vector<std::string>{"undeclared-access"});
}

TEST_CASE("--param gives a value to what nobody could count, and is not unused then") {
  const std::string text = program("inout(d)", launch);
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<ParsedUnit>> units;
  test::ParsedText parsed = test::parseFile(write(folder / "app.cu", text));
  units.push_back(std::move(parsed.unit));
  Diagnostics diagnostics;
  const std::vector<KernelAnalysis> kernels{kernel(symbol, {{"flops_fp32", "n*trips@csr.cu:14"}})};
  const auto graph = buildTaskGraph(units, kernels, {{}, {{"trips@csr.cu:14", 6}}, false}, diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(graph);
  CHECK_FALSE(diagnostics.hasErrors());
  REQUIRE(graph->tasks[TaskId(0)].work);
  CHECK((*graph->tasks[TaskId(0)].work)[FlopType::fp32] == flops(600));
}
