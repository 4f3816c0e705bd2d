#pragma once
// What the compiler says a kernel occupies: registers, shared memory, spills, local and constant memory.
//
//   kernelResources(job, {"sm_80", "sm_90"}, ResourceCompiler::automatic)
//     .byArchitecture.at("sm_90").at("_Z5saxpyifPKfPf").registersPerThread        // 10
//
// nvcc compiles the source once per architecture, two at a time, and prints ptxas' figures; names match since
// both front ends mangle alike. Where only ptxas is there, Clang's PTX goes through it, and `compiler` says
// so.
#include "analysis/CompileJob.h"
#include "analysis/KernelCosts.h"
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

/// By mangled name.
using ResourcesBySymbol = std::map<std::string, KernelResources>;

struct ArchitectureResources {
  std::map<std::string, ResourcesBySymbol> byArchitecture; ///< "sm_90"
  std::map<std::string, std::string> failures;             ///< by architecture: why there are none
};

/// Takes as long as the compilers, 0.2 to 2 seconds each; start it with std::async beside other work.
ArchitectureResources kernelResources(const CompileJob &job, const std::vector<std::string> &architectures,
                                      ResourceCompiler compiler);

/// The architectures that ptxas knows, oldest first; empty where there is no ptxas.
std::vector<std::string> knownArchitectures();

/// What `ptxas -v` prints, for kernels (entry functions) only.
ResourcesBySymbol parseResourceUsage(std::string_view text);

/// `flags` as nvcc takes them: architectures and output files left out, and what only Clang understands.
std::vector<std::string> nvccFlags(const std::vector<std::string> &flags);

} // namespace streammap
