// Registers, shared memory and spills: what ptxas prints, the flags nvcc gets, and who is asked.
#include "analysis/Resources.h"
#include "analysis/RunCompiler.h"
#include "support/Catch.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

using namespace streammap;

namespace {

const CompileJob costs{STREAMMAP_SOURCE_DIR "/test/analysis/kernels/costs.cu", {}, {}, true};
const char *const saxpy = "_Z5saxpyifPKfPf";

bool hasNvcc() {
  const auto toolkit = findCudaToolkit();
  if (!toolkit || toolkit->nvcc.empty())
    std::cout << "skipped: nvcc is not found\n";
  return toolkit && !toolkit->nvcc.empty();
}

/// Takes CUDA away for the length of a test.
struct WithoutCuda {
  WithoutCuda() { setenv("STREAMMAP_NO_CUDA", "1", 1); }
  ~WithoutCuda() { unsetenv("STREAMMAP_NO_CUDA"); }
};

} // namespace

TEST_CASE("ptxas' figures are read, of kernels only") {
  const ResourcesBySymbol found =
      parseResourceUsage("ptxas info    : 0 bytes gmem\n"
                         "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
                         "ptxas info    : Function properties for _Z1kPf\n"
                         "    40 bytes stack frame, 36 bytes spill stores, 44 bytes spill loads\n"
                         "ptxas info    : Used 255 registers, used 1 barriers, 40 bytes cumulative stack "
                         "size, 8192 bytes smem, 380 "
                         "bytes cmem[0], 16 bytes cmem[2]\n"
                         "ptxas info    : Function properties for _Z6helperf\n"
                         "    800 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                         "ptxas info    : Compiling entry function '_Z1lv' for 'sm_90'\n"
                         "ptxas info    : Function properties for _Z1lv\n"
                         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                         "ptxas info    : Used 4 registers, used 0 barriers\n");
  REQUIRE(found.size() == 2);
  const KernelResources &k = found.at("_Z1kPf");
  CHECK(k.registersPerThread == 255);
  CHECK(k.staticShared == bytes(8192));
  CHECK(k.spill == bytes(36));
  CHECK(k.local == bytes(40));
  CHECK(k.constant == bytes(396));
  CHECK(found.at("_Z1lv").registersPerThread == 4);
  CHECK(parseResourceUsage("nothing of the kind").empty());
}

TEST_CASE("nvcc gets the flags it understands") {
  CHECK(nvccFlags({"-Iinclude", "-D", "N=8", "-O3", "-std=c++17", "--use_fast_math"}) ==
        std::vector<std::string>{"-Iinclude", "-D", "N=8", "-O3", "-std=c++17", "--use_fast_math"});
  CHECK(nvccFlags({"--cuda-gpu-arch=sm_80", "-x", "cuda", "-fgpu-rdc", "-Wall", "-march=native", "-o", "a.o",
                   "-c", "-gencode", "arch=compute_80,code=sm_80", "-arch=sm_70"}) ==
        std::vector<std::string>{"-rdc=true"});
}

TEST_CASE("two architectures have figures of their own") {
  if (!hasNvcc())
    return;
  const auto found = kernelResources(costs, {"sm_80", "sm_90"}, ResourceCompiler::automatic);
  CHECK(found.failures.empty());
  for (const char *arch : {"sm_80", "sm_90"}) {
    REQUIRE(found.byArchitecture.contains(arch));
    REQUIRE(found.byArchitecture.at(arch).contains(saxpy));
    const KernelResources &resources = found.byArchitecture.at(arch).at(saxpy);
    CHECK(resources.registersPerThread >= 4);
    CHECK(resources.registersPerThread <= 24);
    CHECK(resources.spill == bytes(0));
    CHECK(resources.origin == Origin::ptxas);
    CHECK(resources.compiler.starts_with("nvcc "));
  }
}

TEST_CASE("figures through Clang are marked as such") {
  if (!hasNvcc())
    return;
  const auto found = kernelResources(costs, {"sm_80"}, ResourceCompiler::clang);
  INFO((found.failures.empty() ? "" : found.failures.begin()->second));
  REQUIRE(found.byArchitecture.contains("sm_80"));
  CHECK(found.byArchitecture.at("sm_80").at(saxpy).compiler.starts_with("clang "));
}

TEST_CASE("a source that nvcc refuses has a reason instead of figures") {
  if (!hasNvcc())
    return;
  const CompileJob broken{STREAMMAP_SOURCE_DIR "/test/analysis/kernels/broken.cu", {}, {}, true};
  const auto found = kernelResources(broken, {"sm_80"}, ResourceCompiler::nvcc);
  REQUIRE(found.failures.contains("sm_80"));
  CHECK(found.failures.at("sm_80").find("undeclared") != std::string::npos);
}

TEST_CASE("without nvcc and ptxas resources are unknown, with the reason and the remedy") {
  const WithoutCuda absent;
  CHECK(knownArchitectures().empty());
  const auto found = kernelResources(costs, {"sm_80"}, ResourceCompiler::automatic);
  CHECK(found.byArchitecture.empty());
  REQUIRE(found.failures.contains("sm_80"));
  CHECK(found.failures.at("sm_80") == "neither nvcc nor ptxas is found");

  Diagnostics diagnostics;
  const auto kernels = analyseKernels(costs, {.architectures = {"sm_80"}}, diagnostics);
  INFO(toText(diagnostics));
  const auto kernel = std::ranges::find(kernels, std::string(saxpy), &KernelAnalysis::symbol);
  REQUIRE(kernel != kernels.end());
  CHECK(kernel->resources.empty());
  CHECK(kernel->costs.contains("flops_fp32"));
  const auto unknown =
      std::ranges::find(kernel->unknowns, std::string("registers_per_thread"), &UnknownCost::metric);
  REQUIRE(unknown != kernel->unknowns.end());
  CHECK(unknown->reason == "sm_80: neither nvcc nor ptxas is found");
}

TEST_CASE("a compiler that hangs is stopped with all it started") {
  const auto run = runCompiler({"sh", "-c", "sleep 600 & sleep 600"}, {}, std::chrono::seconds(1));
  REQUIRE_FALSE(run.has_value());
  CHECK(run.error().message == "sh was stopped after 1 seconds");
  CHECK(runCompiler({"/does/not/exist"}, {}, std::chrono::seconds(1)).error().message ==
        "cannot start /does/not/exist: No such file or directory");
  CHECK(runCompiler({"sh", "-c", "kill -9 $$"}, {}, std::chrono::seconds(5))->exitCode == 137);
}
