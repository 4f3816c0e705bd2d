// What the counting CPU device measures, against counts worked out by hand for the kernels of
// programs/counted.cu.
#include "build/RunTool.h"
#include "support/Catch.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

using namespace streammap;

namespace {

using Counts = std::map<std::string, std::uint64_t>;

/// By kernel name up to the parameters: "void gemm<16>". One build and one run for all tests.
const std::map<std::string, Counts> &measured() {
  static const std::map<std::string, Counts> counts = [] {
    const std::string file = (std::filesystem::temp_directory_path() / "streammap-counts.json").string();
    std::filesystem::remove(file);
    const auto run = runTool({"env", "STREAMMAP_CPU_COUNTS=" + file, STREAMMAP_RUN_CPU_PROGRAM, "--count",
                              STREAMMAP_SOURCE_DIR "/test/cpudevice/programs/counted.cu"});
    INFO((run ? run->output : run.error().message));
    REQUIRE(run);
    REQUIRE(run->exitCode == 0);
    std::map<std::string, Counts> result;
    const auto document = nlohmann::json::parse(std::ifstream(file));
    for (const auto &kernel : document["kernels"]) {
      const std::string name = kernel["name"];
      result[name.substr(0, name.find('('))] = kernel["counts"].get<Counts>();
    }
    std::filesystem::remove(file);
    return result;
  }();
  return counts;
}

void checkCounts(const std::string &kernel, const Counts &expected) {
  REQUIRE(measured().contains(kernel));
  for (const auto &[metric, count] : measured().at(kernel)) {
    if (metric == "flops_integer") // index arithmetic: the compiler's choice
      continue;
    INFO(kernel << ": " << metric);
    const auto found = expected.find(metric);
    CHECK(count == (found == expected.end() ? 0 : found->second));
  }
}

} // namespace

TEST_CASE("saxpy: two flops and twelve bytes per element, over all launches") {
  checkCounts("saxpy",
              {{"flops_fp32", 2 * 1010}, {"global_load_bytes", 8 * 1010}, {"global_store_bytes", 4 * 1010}});
}

TEST_CASE("tiled gemm: 2 n^3 flops, each tile loaded once per block, read from shared memory") {
  constexpr std::uint64_t n = 64, tile = 16, threads = n * n, rounds = n / tile;
  checkCounts("void gemm<16>", {{"flops_fp64", 2 * n * n * n},
                                {"global_load_bytes", threads * rounds * 16},
                                {"global_store_bytes", threads * 8},
                                {"shared_store_bytes", threads * rounds * 16},
                                {"shared_load_bytes", threads * n * 16},
                                {"barriers", threads * rounds * 2}});
}

TEST_CASE("heat: seven flops and five loads per inner point, whatever contracts") {
  constexpr std::uint64_t inner = 62 * 31;
  checkCounts(
      "heat",
      {{"flops_fp32", 7 * inner}, {"global_load_bytes", 20 * inner}, {"global_store_bytes", 4 * inner}});
}

TEST_CASE("reduction: a tree in shared memory down to a warp, then shuffles") {
  // Per block of 256: the tree adds 128 + 64 + 32 pairs, the warp 5 times 32 lanes.
  constexpr std::uint64_t blocks = 4, pairs = 128 + 64 + 32;
  checkCounts("reduce", {{"flops_fp32", blocks * (pairs + 5 * 32)},
                         {"global_load_bytes", blocks * 256 * 4},
                         {"shared_store_bytes", blocks * (256 + pairs) * 4},
                         {"shared_load_bytes", blocks * (2 * pairs + 32) * 4},
                         {"barriers", blocks * 256 * (1 + 3)},
                         {"atomics", blocks}});
}

TEST_CASE("math functions count as special, __constant__ loads apart, fma as two flops") {
  // Multiplication, division, addition, subtraction, and two for fma; sin and sqrt; in[i] is loaded once.
  checkCounts("functions", {{"flops_fp32", 6 * 64},
                            {"flops_special", 2 * 64},
                            {"global_load_bytes", 4 * 64},
                            {"global_store_bytes", 4 * 64},
                            {"constant_bytes", 4 * 64}});
}
