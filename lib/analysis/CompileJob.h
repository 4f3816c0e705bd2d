#pragma once
// How one source file is compiled: what the user gave (a compile_commands.json, flags after `--`), turned
// into arguments that Clang takes for the host half or the device half of the file.
//
//   std::vector<CompileJob> jobs = resolveJobs({"app.cu", "io.cpp"}, {}, {"-O3", "-DN=8"}, diagnostics);
//   clangArguments(jobs[0], Side::device, "sm_90")
//     -> clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 --cuda-path=... -std=c++17 -DN=8 ... app.cu
#include "support/Diagnostic.h"
#include <optional>
#include <string>
#include <vector>

namespace streammap {

/// One translation unit and the compiler flags the user builds it with.
struct CompileJob {
  std::string source;             ///< as the user wrote it; relative to `directory`
  std::string directory;          ///< where the compiler runs; empty: here
  std::vector<std::string> flags; ///< nvcc's or Clang's, without compiler, input and output
  bool isCuda = false;            ///< parsed as CUDA rather than C++
};

/// The two halves of a CUDA compilation.
enum class Side { host, device };

struct CudaToolkit {
  std::string root;    ///< "/usr/local/cuda-13.0"
  std::string include; ///< the folder of cuda_runtime.h
  std::string nvcc;    ///< full path, empty where only the headers are installed
  unsigned major = 0;
  unsigned minor = 0;
};

/// Where CUDA is: CUDAToolkit_ROOT, nvcc on PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda, in this order.
/// Nothing: the sources are parsed with our own declarations of the runtime API (VirtualHeaders.h).
std::optional<CudaToolkit> findCudaToolkit();

/// One job per source. Flags come from `flagsAfterDashes` if there are any; otherwise from the
/// compile_commands.json at `compileCommands`, or, where that is empty, from one found in a folder above the
/// source. A file that does not exist, or is not in a database that was asked for, is an error.
std::vector<CompileJob> resolveJobs(const std::vector<std::string> &sources,
                                    const std::string &compileCommands,
                                    const std::vector<std::string> &flagsAfterDashes,
                                    Diagnostics &diagnostics);

/// nvcc's flags in Clang's words: -gencode, -arch, -rdc, -Xcompiler, -Xptxas, --expt-*, -ccbin ... are
/// translated or dropped; -I -D -U -include -std -O -f -m stay.
std::vector<std::string> clangFlags(const std::vector<std::string> &flags);

/// The whole command line, argv[0] included, for `createInvocation` or a driver. `arch` is "sm_90"; unused on
/// the host side of plain C++. Needs the file system of `analysisFileSystem()`: it force-includes files that
/// exist only there. Ends with the source.
std::vector<std::string> clangArguments(const CompileJob &job, Side side, const std::string &arch);

/// `source` made absolute against `directory`: the name to open.
std::string pathOf(const CompileJob &job);

} // namespace streammap
