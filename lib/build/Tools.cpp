#include "build/Tools.h"
#include "support/Files.h"
#include <cstdlib>
#include <filesystem>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace streammap {
namespace {

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

bool isExecutable(const std::string &path) {
  return ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path);
}

/// "13.0" of `#define CUDART_VERSION 13000`.
void readVersion(CudaInstallation &cuda) {
  const Expected<std::string> header = readFile(cuda.root + "/include/cuda_runtime_api.h");
  const std::string key = "#define CUDART_VERSION";
  if (!header)
    return;
  if (const std::size_t at = header->find(key); at != std::string::npos) {
    const unsigned long version = std::strtoul(header->c_str() + at + key.size(), nullptr, 10);
    cuda.major = static_cast<unsigned>(version / 1000);
    cuda.minor = static_cast<unsigned>(version % 1000 / 10);
  }
}

} // namespace

std::string findOnPath(const std::string &name) {
  const std::string path = environment("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t end = path.find(':', begin);
    if (end == std::string::npos)
      end = path.size();
    const std::string candidate = path.substr(begin, end - begin) + "/" + name;
    if (end != begin && isExecutable(candidate))
      return candidate;
    begin = end + 1;
  }
  return {};
}

Expected<CudaInstallation> findCuda() {
  std::vector<std::string> roots;
  auto add = [&](std::string root) {
    if (!root.empty())
      roots.push_back(std::move(root));
  };
  add(environment("CUDAToolkit_ROOT"));
  if (const std::string nvcc = findOnPath("nvcc"); !nvcc.empty()) {
    std::error_code error;
    const fs::path real = fs::canonical(nvcc, error);
    add((error ? fs::path(nvcc) : real).parent_path().parent_path().string());
  }
  add(environment("CUDA_HOME"));
  add(environment("CUDA_PATH"));
  add("/usr/local/cuda");
  for (const std::string &root : roots) {
    std::error_code error;
    if (!fs::exists(root + "/include/cuda_runtime.h", error))
      continue;
    CudaInstallation cuda{.root = root, .nvcc = root + "/bin/nvcc"};
    if (!isExecutable(cuda.nvcc))
      cuda.nvcc = findOnPath("nvcc");
    readVersion(cuda);
    return cuda;
  }
  return failure(
      "cannot find the CUDA Toolkit: put nvcc on PATH or set CUDA_HOME (pip install nvidia-cuda-nvcc "
      "nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm nvidia-cuda-cccl, or NVIDIA's packages)");
}

Expected<std::string> findClang() {
  if (std::string named = environment("STREAMMAP_CLANG"); !named.empty()) {
    if (isExecutable(named))
      return named;
    return failure("STREAMMAP_CLANG names '" + named + "', which is not an executable");
  }
  if (std::string found = findOnPath("clang++-22"); !found.empty())
    return found;
  if (std::string debian = "/usr/lib/llvm-22/bin/clang++"; isExecutable(debian))
    return debian;
  return failure(
      "cannot find clang++-22, which compiles for the CPU device (apt-get install clang-22, or set "
      "STREAMMAP_CLANG)");
}

std::string programFolder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().string();
}

Expected<std::string> findOwnFile(const std::string &folder, const std::string &path) {
  std::error_code error;
  const fs::path found = (fs::path(folder) / path).lexically_normal();
  if (fs::exists(found, error))
    return found.string();
  return failure("cannot find " + found.filename().string() + " (looked for " + found.string() +
                 "): build or install StreamMAP with Clang/LLVM 22, MPI and CUDA present");
}

} // namespace streammap
