#pragma once
// The kernels and device variables of the program, found by what the host knows of them.
//
// The lowered object of each translation unit registers its SmcpuModule; its host object then registers,
// under the module's id, the address of each kernel's host stub and of each variable's host shadow.
#include "cpu/ModuleAbi.h"
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace streammap::cpu {

struct Module;

/// One __global__ function. Its address is the program's cudaFunction_t and cudaKernel_t.
struct Kernel {
  Kernel(const SmcpuKernel *kernelCode, const Module *inModule) : code(kernelCode), module(inModule) {}
  const SmcpuKernel *code;
  const Module *module;
  std::atomic<int> dynamicSharedLimit{-1}; ///< cudaFuncSetAttribute; -1: what fits without asking
  std::atomic<std::uint64_t> launches{0};
  std::mutex countsMutex;
  std::vector<std::uint64_t> counts; ///< totals of all launches, when counting
};

struct Module {
  const SmcpuModule *code;
  std::uint32_t slot; ///< index into SmcpuLaunch::globals
  std::deque<Kernel> kernels;
};

/// A __device__ or __constant__ variable.
struct Variable {
  const Module *module;
  const SmcpuVariable *code;
};

/// Thread-safe; a kernel or module lives as long as the process.
class Modules {
public:
  static constexpr std::uint32_t most = 4096; ///< modules in a process

  /// Gives the module its slot.
  void add(const SmcpuModule *code);
  /// The module whose id a host object carries as its "GPU binary"; null if there is none.
  const Module *findByBinary(const char *binary) const;
  /// The modules with slots from `first` on.
  std::vector<const Module *> fromSlot(std::uint32_t first) const;
  std::uint32_t count() const;

  /// What the host knows a kernel by; false if `module` has no kernel of that name.
  bool bindKernel(const void *hostStub, const Module *module, std::string_view symbol);
  bool bindVariable(const void *hostShadow, const Module *module, std::string_view symbol);
  /// By host stub, cudaFunction_t or cudaKernel_t; null if unknown.
  Kernel *kernel(const void *function) const;
  /// By host shadow; false if unknown.
  bool variable(const void *symbol, Variable &found) const;
  /// All kernels, by module and position.
  std::vector<Kernel *> kernels();

private:
  mutable std::mutex mutex_;
  std::deque<Module> modules_;
  std::map<const void *, Kernel *> kernels_;
  std::map<const void *, Variable> variables_;
};

} // namespace streammap::cpu
