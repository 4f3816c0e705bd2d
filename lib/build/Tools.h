#pragma once
// Where the compilers are.
#include "support/Expected.h"
#include <string>

namespace streammap {

struct CudaInstallation {
  std::string root; ///< holds include/ and, if complete, bin/
  std::string nvcc; ///< empty where only the headers are installed
  unsigned major = 0, minor = 0;
};

/// CUDAToolkit_ROOT, nvcc on PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda, in this order.
Expected<CudaInstallation> findCuda();

/// STREAMMAP_CLANG, clang++-22 on PATH, /usr/lib/llvm-22/bin/clang++, clang++ on PATH.
Expected<std::string> findClang();

/// The folder of the running program.
std::string programFolder();

/// The file `path` in `folder`: one of our own.
Expected<std::string> findOwnFile(const std::string &folder, const std::string &path);

/// The full path of an executable on PATH; empty if there is none.
std::string findOnPath(const std::string &name);

} // namespace streammap
