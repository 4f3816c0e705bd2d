#pragma once
// The kernels of a source, with their costs as formulas and what they occupy per architecture.
//
//   for (const KernelAnalysis &kernel : analyseKernels(job, {.architectures = {"sm_80", "sm_90"}},
//   diagnostics))
//     kernel.costs.at("flops_fp32").text();      // "2*max(0, min(n, blockDim.x*gridDim.x))"
//
// Device code goes through Clang to LLVM IR in this process (DeviceCompile.h), each basic block gets a
// formula for how often a launch executes it (BlockCounts.h), and cpudevice/CountingRules.h says what one
// execution costs. The CPU device counts by the same rules on the same IR, so where control flow follows from
// indices and arguments the two agree exactly.
//
// Taken for granted: index computations do not overflow; pitches and bounds that are compared as unsigned
// are not negative; loops end; assertions hold; blockDim and gridDim are at least 1.
#include "analysis/CompileJob.h"
#include "analysis/KernelAnalysis.h"
#include "support/Diagnostic.h"
#include <string>
#include <vector>

namespace streammap {

/// Who is asked for registers, shared memory and spills.
enum class ResourceCompiler {
  automatic, ///< nvcc if it is found, else Clang's PTX through ptxas if that is found
  nvcc,
  clang, ///< figures differ from nvcc's by 1 register at the median, 13 at p90 (1,535 kernels)
  none
};

struct KernelOptions {
  std::vector<std::string> architectures{"sm_80"}; ///< costs are counted in the IR for the first
  ResourceCompiler resources = ResourceCompiler::automatic;
};

/// Sorted by symbol; the device half of `job` is compiled once. An architecture that does not exist and
/// source that does not compile are errors; whatever else goes wrong costs only its own kernel, which then
/// has entries in `unknowns`.
std::vector<KernelAnalysis> analyseKernels(const CompileJob &job, const KernelOptions &options,
                                           Diagnostics &diagnostics);

} // namespace streammap
