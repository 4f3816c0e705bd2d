// The kernels of costs.cu: their formulas, the numbers these give for a launch, and what is said where no
// formula exists.
#include "analysis/KernelCosts.h"
#include "support/Catch.h"
#include <algorithm>

using namespace streammap;

namespace {

const std::vector<KernelAnalysis> &kernels() {
  static const std::vector<KernelAnalysis> all = [] {
    Diagnostics diagnostics;
    const auto jobs =
        resolveJobs({STREAMMAP_SOURCE_DIR "/test/analysis/kernels/costs.cu"}, {}, {}, diagnostics);
    std::vector<KernelAnalysis> result;
    for (const CompileJob &job : jobs)
      result = analyseKernels(job, {.resources = ResourceCompiler::none}, diagnostics);
    INFO(toText(diagnostics));
    REQUIRE_FALSE(diagnostics.hasErrors());
    return result;
  }();
  return all;
}

const KernelAnalysis &kernel(const std::string &name) {
  const auto found = std::ranges::find(kernels(), name, &KernelAnalysis::name);
  INFO("kernel " << name);
  REQUIRE(found != kernels().end());
  return *found;
}

std::string formula(const std::string &name, const std::string &metric) {
  const auto &costs = kernel(name).costs;
  return costs.contains(metric) ? costs.at(metric).text() : "absent";
}

/// The value for a launch of one-dimensional blocks.
double value(const std::string &name, const std::string &metric, double grid, double block, Bindings more) {
  more.insert({{"gridDim.x", grid}, {"gridDim.y", 1}, {"gridDim.z", 1}});
  more.insert({{"blockDim.x", block}, {"blockDim.y", 1}, {"blockDim.z", 1}});
  INFO(name << " " << metric << " = " << formula(name, metric));
  REQUIRE(kernel(name).costs.contains(metric));
  const auto result = evaluate(kernel(name).costs.at(metric), more);
  INFO((result ? "" : result.error().message));
  REQUIRE(result.has_value());
  return result->value;
}

std::vector<UnknownCost> unknownsOf(const std::string &name, const std::string &metric) {
  std::vector<UnknownCost> found;
  std::ranges::copy_if(kernel(name).unknowns, std::back_inserter(found),
                       [&](const UnknownCost &unknown) { return unknown.metric == metric; });
  return found;
}

} // namespace

TEST_CASE("a guarded kernel costs what the threads inside the guard cost") {
  CHECK(formula("saxpy", "flops_fp32") ==
        "2*blockDim.y*blockDim.z*gridDim.y*gridDim.z*max(0, min(blockDim.x*gridDim.x, n))");
  CHECK(value("saxpy", "flops_fp32", 8, 128, {{"n", 1000}}) == 2000);
  CHECK(value("saxpy", "flops_fp32", 8, 128, {{"n", 2000}}) == 2 * 1024);
  CHECK(value("saxpy", "flops_fp32", 8, 128, {{"n", -5}}) == 0);
  CHECK(value("saxpy", "global_load_bytes", 8, 128, {{"n", 1000}}) == 8000);
  CHECK(value("saxpy", "global_store_bytes", 8, 128, {{"n", 1000}}) == 4000);
  CHECK(formula("saxpy", "flops_fp64") == "absent");
  CHECK(kernel("saxpy").unknowns.empty());
}

TEST_CASE("a grid-stride loop costs n iterations whatever the launch") {
  CHECK(formula("stride", "flops_fp64") == "blockDim.y*blockDim.z*gridDim.y*gridDim.z*max(0, n)");
}

TEST_CASE("template instances are kernels of their own") {
  CHECK(value("repeat<double, 100>", "flops_fp64", 2, 32, {}) == 2 * 32 * 200);
  CHECK(value("repeat<float, 7>", "flops_fp32", 1, 10, {}) == 10 * 14);
  CHECK(kernel("repeat<float, 7>").symbol == "_Z6repeatIfLi7EEvPT_");
}

TEST_CASE("fields of a struct passed by value are named") {
  CHECK(value("structs", "flops_fp32", 4, 32, {{"range.size.length", 100}}) == 100);
  const auto &parameters = kernel("structs").parameters;
  CHECK(std::ranges::count(parameters, "range.begin", &KernelParameter::name) == 1);
  CHECK(std::ranges::count(parameters, "range.values", &KernelParameter::name) == 0);
}

TEST_CASE("a function that is not inlined is counted with the caller's arguments") {
  CHECK(value("callsFunction", "flops_fp32", 1, 32, {{"n", 50}}) == 32 * 50);
  CHECK(value("callsFunction", "global_load_bytes", 1, 32, {{"n", 50}}) == 32 * 50 * 4);
}

TEST_CASE("a loop with loaded bounds is an unknown with its line and the pragma that settles it") {
  const auto unknowns = unknownsOf("sparse", "flops_fp32");
  REQUIRE(unknowns.size() == 1);
  CHECK(unknowns[0].location.ends_with("costs.cu:50:3"));
  CHECK(unknowns[0].reason == "the number of iterations depends on loaded data");
  CHECK(unknowns[0].remedy.starts_with("put '#pragma streammap trips(expr)' before the loop"));
  CHECK(kernel("sparse").costs.at("flops_fp32").symbols().contains("trips@costs.cu:50"));
  CHECK(value("sparse", "flops_fp32", 2, 32, {{"rows", 50}, {"trips@costs.cu:50", 6}}) == 50 * 6);
  // What does not depend on it is known all the same.
  CHECK(value("sparse", "global_store_bytes", 2, 32, {{"rows", 50}}) == 200);
}

TEST_CASE("a trips pragma settles it") {
  CHECK(value("sparseStated", "flops_fp32", 2, 32, {{"rows", 50}, {"nonZeros", 400}}) == 50 * 8);
  CHECK(unknownsOf("sparseStated", "flops_fp32").empty());
}

TEST_CASE("a branch on data is an unknown share") {
  REQUIRE(unknownsOf("dependsOnData", "flops_fp32").size() == 1);
  CHECK(unknownsOf("dependsOnData", "flops_fp32")[0].location.ends_with("costs.cu:67:22"));
  CHECK(value("dependsOnData", "flops_fp32", 1, 64, {{"taken@costs.cu:67", 0.25}}) == 16);
  CHECK(value("dependsOnData", "global_load_bytes", 1, 64, {}) == 256);
}

TEST_CASE("a call through a pointer leaves everything unknown") {
  REQUIRE(unknownsOf("throughPointer", "all").size() == 1);
  CHECK(unknownsOf("throughPointer", "all")[0].reason == "a call through a pointer is not counted");
}

TEST_CASE("an empty kernel costs nothing, and that is known") {
  CHECK(kernel("nothing").costs.empty());
  CHECK(kernel("nothing").unknowns.empty());
  CHECK(kernel("nothing").location.ends_with("costs.cu:73:17"));
}

TEST_CASE("source that does not compile is an error with its place") {
  Diagnostics diagnostics;
  CompileJob job{STREAMMAP_SOURCE_DIR "/test/analysis/kernels/broken.cu", {}, {}, true};
  CHECK(analyseKernels(job, {.resources = ResourceCompiler::none}, diagnostics).empty());
  REQUIRE(diagnostics.hasErrors());
  CHECK(diagnostics.all()[0].location.line == 2);
}

TEST_CASE("an unknown architecture is an error that names the nearest one") {
  Diagnostics diagnostics;
  const CompileJob job{STREAMMAP_SOURCE_DIR "/test/analysis/kernels/costs.cu", {}, {}, true};
  for (const char *arch : {"sm90", "gfx900", "sm_x"}) {
    INFO(arch);
    Diagnostics found;
    CHECK(analyseKernels(job, {.architectures = {arch}, .resources = ResourceCompiler::none}, found).empty());
    REQUIRE(found.errorCount() == 1);
    CHECK(found.all()[0].message.starts_with("unknown GPU architecture '" + std::string(arch) + "'"));
  }
}
