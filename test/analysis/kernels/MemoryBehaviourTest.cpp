// The kernels of memory.cu: sectors, footprints and bank conflicts, counted by hand beside each number.
#include "analysis/KernelCosts.h"
#include "analysis/TouchedBytes.h"
#include "support/Catch.h"
#include <algorithm>

using namespace streammap;

namespace {

const KernelAnalysis &kernel(const std::string &name) {
  static const std::vector<KernelAnalysis> all = [] {
    Diagnostics diagnostics;
    std::vector<KernelAnalysis> found;
    for (const CompileJob &job :
         resolveJobs({STREAMMAP_SOURCE_DIR "/test/analysis/kernels/memory.cu"}, {}, {}, diagnostics))
      found = analyseKernels(job, {.resources = ResourceCompiler::none}, diagnostics);
    INFO(toText(diagnostics));
    REQUIRE_FALSE(diagnostics.hasErrors());
    return found;
  }();
  const auto found = std::ranges::find(all, name, &KernelAnalysis::name);
  INFO("kernel " << name);
  REQUIRE(found != all.end());
  return *found;
}

struct Size {
  double x = 1, y = 1;
};

/// 0 where the kernel has no such cost.
double value(const std::string &name, const std::string &metric, Size grid, Size block, Bindings more = {}) {
  more.insert({{"gridDim.x", grid.x}, {"gridDim.y", grid.y}, {"gridDim.z", 1}});
  more.insert({{"blockDim.x", block.x}, {"blockDim.y", block.y}, {"blockDim.z", 1}});
  const auto &costs = kernel(name).costs;
  if (!costs.contains(metric))
    return 0;
  INFO(name << " " << metric << " = " << costs.at(metric).text());
  const auto result = evaluate(costs.at(metric), more);
  INFO((result ? "" : result.error().message));
  REQUIRE(result.has_value());
  return result->value;
}

std::size_t unknowns(const std::string &name, const std::string &metric) {
  return static_cast<std::size_t>(std::ranges::count(kernel(name).unknowns, metric, &UnknownCost::metric));
}

} // namespace

TEST_CASE("neighbouring lanes share sectors") {
  // 1,024 floats: 32 full warps of 4 sectors
  CHECK(value("copy", "global_load_sectors", {8}, {128}, {{"n", 1024}}) == 32 * 4);
  CHECK(value("copy", "global_store_sectors", {8}, {128}, {{"n", 1024}}) == 32 * 4);
  // 992 of them: 31 warps
  CHECK(value("copy", "global_load_sectors", {8}, {128}, {{"n", 992}}) == 31 * 4);
  // 32 lanes of 16 bytes: 16 sectors a warp
  CHECK(value("vectors", "global_load_sectors", {1}, {64}) == 2 * 16);
}

TEST_CASE("an address that is not aligned, or a stride, takes more sectors") {
  // bytes 4 to 132 of each 128: 5 sectors
  CHECK(value("shifted", "global_load_sectors", {4}, {128}) == 16 * 5);
  CHECK(value("shifted", "global_store_sectors", {4}, {128}) == 16 * 4);
  // 16 bytes apart: 31 * 16 + 8 bytes are 16 sectors; the stores are 32 * 8 bytes, 8 sectors
  CHECK(value("everySecond", "global_load_sectors", {1}, {256}) == 8 * 16);
  CHECK(value("everySecond", "global_store_sectors", {1}, {256}) == 8 * 8);
  // a pitch apart: every lane its own
  CHECK(value("column", "global_load_sectors", {1}, {64}, {{"pitch", 100}}) == 64);
  // structs of 16 bytes, two fields loaded by themselves: 16 sectors each
  CHECK(value("fields", "global_load_sectors", {1}, {32}) == 2 * 16);
}

TEST_CASE("one address for all lanes is one sector a warp") {
  CHECK(value("broadcast", "global_load_sectors", {4}, {64}) == 4 * 2);
}

TEST_CASE("a warp that spans rows of a narrow block asks for each row by itself") {
  // 16 x 16 blocks, two rows to a warp: a[row*n + k] 2 sectors, b[k*n + column] 2 times 2 sectors
  const double warps = 16 * 8, n = 64;
  CHECK(value("multiply", "global_load_sectors", {4, 4}, {16, 16}, {{"n", n}}) == warps * n * (2 + 4));
  CHECK(value("multiply", "global_store_sectors", {4, 4}, {16, 16}, {{"n", n}}) == warps * 4);
}

TEST_CASE("an address that is loaded is bounded, and said to be") {
  // the indices 4 a warp, the values one for each lane
  CHECK(value("gather", "global_load_sectors", {2}, {64}, {{"n", 128}}) == 4 * 4 + 128);
  CHECK(unknowns("gather", "global_load_sectors") == 1);
  CHECK(unknowns("gather", "footprint_bytes") == 1);
  CHECK(unknowns("copy", "global_load_sectors") == 0);
}

TEST_CASE("a footprint counts each byte once") {
  CHECK(value("copy", "footprint_bytes", {8}, {128}, {{"n", 1000}}) == 8000);
  CHECK(value("copy", "read_footprint_bytes", {8}, {128}, {{"n", 1000}}) == 4000);
  CHECK(value("copy", "written_footprint_bytes", {8}, {128}, {{"n", 1000}}) == 4000);
  // three matrices, though a and b are read n times
  CHECK(value("multiply", "footprint_bytes", {4, 4}, {16, 16}, {{"n", 64}}) == 3 * 64 * 64 * 4);
  CHECK(value("multiply", "read_footprint_bytes", {4, 4}, {16, 16}, {{"n", 60}}) == 2 * 60 * 60 * 4);
  CHECK(value("broadcast", "read_footprint_bytes", {4}, {64}) == 16);
  // x[0 ... n - 1] by a triangle of accesses
  CHECK(value("lowerTriangle", "read_footprint_bytes", {4}, {32}, {{"n", 100}}) == 400);
  // two of four fields
  CHECK(value("fields", "read_footprint_bytes", {1}, {32}) == 32 * 8);
}

TEST_CASE("neighbours in a stencil are the same bytes, arrays one behind the other are not") {
  // the interior once; the border is left out
  CHECK(value("smooth", "read_footprint_bytes", {4, 4}, {16, 16}, {{"nx", 64}, {"ny", 50}}) == 62 * 48 * 4);
  CHECK(value("structureOfArrays", "read_footprint_bytes", {4}, {32}, {{"n", 100}}) == 3 * 400);
}

TEST_CASE("bank conflicts: a column of 32 words, and none with padding") {
  // 32 x 32 threads: 32 warps, each reading a column of the tile: 31 passes more
  CHECK(value("transposeNaive", "shared_bank_conflicts", {1}, {32, 32}) == 32 * 31);
  CHECK(value("transposePadded", "shared_bank_conflicts", {1}, {32, 32}) == 0);
  // every second word: two lanes to a bank, on the way in and out
  CHECK(value("pairs", "shared_bank_conflicts", {1}, {64}) == 2 * 2);
  // 8 bytes: half warps, no conflict
  CHECK(value("wide", "shared_bank_conflicts", {1}, {128}) == 0);
}

TEST_CASE("bank conflicts of narrow blocks") {
  // 16 x 16: a warp is two rows; lanes (x, y) write word 16*x + y: banks 0, 16 and 1, 17, 8 words each: 7
  // more
  CHECK(value("rows", "shared_bank_conflicts", {1}, {16, 16}) == 8 * 7);
}

TEST_CASE("projection keeps the shadow of a triangle") {
  // 0 <= j <= i < n without i: 0 <= j < n
  const Expression i = Expression::symbol("i"), j = Expression::symbol("j"), n = Expression::symbol("n");
  const auto shadow = projected({{"i", "j"}, {j, i - j, n - 1 - i}, 1, {}}, {"j"});
  REQUIRE(shadow);
  CountingBudget budget;
  const auto count = countPoints(*shadow, budget);
  REQUIRE(count);
  CHECK(count->text() == "max(0, n)");
}

TEST_CASE("a variable inside a quotient cannot be projected") {
  const Expression i = Expression::symbol("i"), j = Expression::symbol("j"), n = Expression::symbol("n");
  CHECK_FALSE(projected({{"i", "j"}, {i, n - 1 - i, floorDiv(i, 3) - j}, 1, {}}, {"j"}));
}
