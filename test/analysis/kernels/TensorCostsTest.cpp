// Nothing that computes costs zero: matrix instructions, half precision and memory, also as inline PTX.
#include "analysis/KernelCosts.h"
#include "support/Catch.h"
#include <algorithm>

using namespace streammap;

namespace {

/// For one block of 32 threads; 0 where the kernel has no such cost.
double value(const std::string &name, const std::string &metric) {
  static const std::vector<KernelAnalysis> kernels = [] {
    Diagnostics diagnostics;
    std::vector<KernelAnalysis> found;
    for (const CompileJob &job :
         resolveJobs({STREAMMAP_SOURCE_DIR "/test/analysis/kernels/tensor.cu"}, {}, {}, diagnostics))
      found =
          analyseKernels(job, {.architectures = {"sm_80"}, .resources = ResourceCompiler::none}, diagnostics);
    INFO(toText(diagnostics));
    REQUIRE_FALSE(diagnostics.hasErrors());
    return found;
  }();
  const auto kernel = std::ranges::find(kernels, name, &KernelAnalysis::name);
  REQUIRE(kernel != kernels.end());
  const auto cost = kernel->costs.find(metric);
  if (cost == kernel->costs.end())
    return 0;
  const auto result = evaluate(cost->second, {{"gridDim.x", 1.0},
                                              {"gridDim.y", 1.0},
                                              {"gridDim.z", 1.0},
                                              {"blockDim.x", 32.0},
                                              {"blockDim.y", 1.0},
                                              {"blockDim.z", 1.0}});
  INFO(name << " " << metric << " " << cost->second.text());
  REQUIRE(result.has_value());
  return result->value;
}

} // namespace

TEST_CASE("wmma and mma.sync cost 2*m*n*k a warp") {
  CHECK(value("wmmaTile", "flops_tensor") == 4 * 2 * 16 * 16 * 16);
  CHECK(value("mmaSync", "flops_tensor") == 3 * 2 * 16 * 8 * 16);
  CHECK(value("mmaSync", "flops_fp32") == 32 * 3);
}

TEST_CASE("half and bfloat arithmetic is never free") {
  // x*x + x: a product and a sum, or one fma; __hfma2: two of them; 32 threads
  CHECK(value("halves", "flops_fp16") == 32 * (2 + 4));
  CHECK(value("halves", "flops_bf16") >= 32);
}

TEST_CASE("inline PTX that moves data has bytes") {
  CHECK(value("ptxMemory", "global_load_bytes") == 32 * (16 + 16));
  CHECK(value("ptxMemory", "global_store_bytes") == 32 * 16);
  CHECK(value("ptxMemory", "shared_store_bytes") == 32 * 16);
  CHECK(value("ptxMemory", "shared_load_bytes") == 32 * 16);
  CHECK(value("ptxMemory", "flops_integer") >= 32);
}
