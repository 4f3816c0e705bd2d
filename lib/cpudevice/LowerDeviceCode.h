#pragma once
// The CPU-device compiler: device IR of one CUDA translation unit -> a host object with its kernels.
//
//   Diagnostics diagnostics;
//   auto object = lowerDeviceCode("app.bc", {.moduleId = "app-1"}, diagnostics);
//
// The object's constructor registers an SmcpuModule (runtime/cpu/ModuleAbi.h) under the module id. The input
// is what
//   clang++ -x cuda --cuda-device-only -nogpulib -O2 -Xclang -disable-llvm-passes -gline-tables-only
//   -emit-llvm -c
// writes: unoptimised, so that only our pipeline decides, and with lines, so that refusals can name them.
#include "support/Diagnostic.h"
#include "support/Expected.h"
#include <string>

namespace streammap {

enum class Counting { off, on };
enum class AccessChecks { off, on };

struct LowerOptions {
  std::string moduleId;              ///< what the host object's "GPU binary" contains
  Counting counting = Counting::off; ///< add up CostMetric amounts per launch; slower, see CountingRules.h
  AccessChecks accessChecks =
      AccessChecks::off;     ///< ask the runtime about each global access (SmcpuLaunch::checkAccess)
  unsigned optimisation = 2; ///< 0 to 3, of the host code
};

/// The bytes of an ELF object. A kernel that the CPU device cannot run is an error in `diagnostics` that
/// names the instruction, the kernel and the line; then the result is empty. Fails where the file is not
/// device IR.
Expected<std::string> lowerDeviceCode(const std::string &bitcodePath, const LowerOptions &options,
                                      Diagnostics &diagnostics);

} // namespace streammap
