#pragma once
// Compiles and links a CUDA program's sources, by running the compilers.
//
//   BuildOptions options{.sources = {"app.cu", "io.cpp"}, .output = "app", .flags = {"-O2"}};
//   if (auto built = buildCpuProgram(options, diagnostics); !built)
//     ...                                  // a compiler is missing: "cannot find clang++ ... apt-get install
//     clang-22"
//   if (diagnostics.hasErrors())
//     ...                                  // a source is wrong; its compiler has already said what on stderr
//
// For the CPU device, each .cu becomes two objects: its kernels (device IR through streammap-lower) and its
// host code. For CUDA, nvcc does it all.
#include "support/Diagnostic.h"
#include "support/Expected.h"
#include <string>
#include <vector>

namespace streammap {

enum class CountOperations { no, yes };
enum class CheckAccesses { no, yes };

struct BuildOptions {
  std::vector<std::string> sources{};  ///< .cu is CUDA, everything else plain C++
  std::string output{};                ///< the executable
  std::vector<std::string> flags{};    ///< for every source; nvcc's or Clang's, translated for the other
  std::vector<std::string> includes{}; ///< directories, searched before the system's
  std::vector<std::string>
      linkInputs{}; ///< objects, libraries, -L, -l and -Wl, in order after the sources' objects
  std::vector<std::string> wrappedSymbols{}; ///< linked with --wrap=SYMBOL
  std::string
      toolFolder{}; ///< holds streammap-lower, and ../lib the CPU device; empty: the running program's folder
  CountOperations counting = CountOperations::no; ///< CPU device only: kernels count flops and bytes
  CheckAccesses accessChecks = CheckAccesses::no; ///< CPU device only: see smcpuCheckAccesses
  std::string keepDirectory{}; ///< intermediate files stay there; empty: a temporary one that goes
  unsigned jobs = 2;           ///< compilers at once
};

/// Builds for the CPU device with Clang and streammap-lower. What the compilers print goes to stderr. A
/// source that does not compile, or a kernel that the CPU device cannot run, is an error in `diagnostics`; a
/// missing tool is a failure.
Expected<void> buildCpuProgram(const BuildOptions &options, Diagnostics &diagnostics);

/// Builds for GPUs with nvcc; architectures and the like are in BuildOptions::flags.
Expected<void> buildCudaProgram(const BuildOptions &options, Diagnostics &diagnostics);

} // namespace streammap
