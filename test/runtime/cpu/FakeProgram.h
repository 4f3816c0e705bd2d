#pragma once
// A "CUDA program" without a compiler: kernels are C++ functions, registered as a lowered object registers
// them, and known to the host by the address of a stub, as Clang's host code does it.
//
//   static void addOne(SmcpuLaunch *launch, uint32_t x, ...) { ... }
//   FakeProgram program("adder", {{.symbol = "addOne", .run = addOne, .parameterSizes = {8, 4}}});
//   program.launch("addOne", {4, 32}, stream, pointer, 7);
#include "cpu/ModuleAbi.h"
#include <cuda_runtime_api.h>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace streammap::test {

struct FakeKernel {
  std::string symbol;
  SmcpuBlockFunction run = nullptr;
  std::vector<std::uint32_t> parameterSizes = {};
  std::uint32_t staticShared = 0;
  std::uint32_t maxThreadsPerBlock = 1024;
  std::vector<std::string> metrics = {};
};

struct FakeVariable {
  std::string symbol;
  std::size_t offset;
  std::size_t size;
};

struct FakeShape {
  dim3 grid = 1, block = 1;
  std::size_t shared = 0;
};

class FakeProgram {
public:
  FakeProgram(const std::string &id, std::vector<FakeKernel> kernels,
              std::vector<FakeVariable> variables = {}, std::vector<char> image = {});
  ~FakeProgram();
  FakeProgram(const FakeProgram &) = delete;
  FakeProgram &operator=(const FakeProgram &) = delete;

  /// What the host calls the kernel by.
  const void *stub(const std::string &symbol) const { return &stubs_.at(symbol); }
  const void *shadow(const std::string &symbol) const { return &shadows_.at(symbol); }
  /// Index of the module's image in SmcpuLaunch::globals.
  std::uint32_t slot() const { return slot_; }

  template <class... Arguments>
  cudaError_t launch(const std::string &symbol, const FakeShape &shape, cudaStream_t stream,
                     Arguments... arguments) const {
    void *pointers[] = {&arguments..., nullptr};
    return cudaLaunchKernel(stub(symbol), shape.grid, shape.block, pointers, shape.shared, stream);
  }

private:
  struct KernelData {
    FakeKernel description;
    std::vector<SmcpuCounter> counters;
  };
  struct Wrapper {
    int magic = 0x466243b1, version = 1;
    const char *data = nullptr;
    void *unused = nullptr;
  };
  std::string id_;
  std::deque<KernelData> descriptions_;
  std::vector<SmcpuKernel> kernels_;
  std::vector<FakeVariable> variableDescriptions_;
  std::vector<SmcpuVariable> variables_;
  std::vector<char> image_;
  std::uint32_t slot_ = 0;
  SmcpuModule module_{};
  Wrapper wrapper_;
  void **handle_ = nullptr;
  std::map<std::string, char> stubs_, shadows_;
};

/// The value of a kernel's argument.
template <class T>
T argument(const SmcpuLaunch *launch, int index) {
  return *static_cast<const T *>(launch->arguments[index]);
}

} // namespace streammap::test
