#pragma once
// One translation unit's device code while it is being lowered, and the steps in their order. Each step is
// one file; lowerDeviceCode (LowerDeviceCode.cpp) runs them and says what holds after each.
#include "support/Diagnostic.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class CallBase;
class Function;
class GlobalVariable;
class Module;
class TargetMachine;
} // namespace llvm

namespace streammap {

struct DeviceKernel {
  std::string symbol; ///< mangled
  llvm::Function *body = nullptr;
  std::vector<std::uint32_t> parameterSizes;
  std::uint32_t maxThreadsPerBlock = 1024;
  std::uint32_t staticShared = 0; ///< bytes; after placeSharedMemory
  llvm::Function *run = nullptr;  ///< an SmcpuBlockFunction; after makeEntries
};

/// A mutable variable: part of the module's image, of which each device has a copy.
struct DeviceVariable {
  std::string symbol;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  bool isConstant = false; ///< __constant__: the host may write it, kernels not
};

struct DeviceProgram {
  explicit DeviceProgram(llvm::Module &deviceModule) : module(&deviceModule) {}
  llvm::Module *module;
  std::vector<DeviceKernel> kernels;
  std::vector<DeviceVariable> variables;
  llvm::GlobalVariable *image = nullptr; ///< initial values of the variables; null when there are none
  llvm::GlobalVariable *slot = nullptr;  ///< where the runtime stores the module's number
  std::uint32_t counterCount = 0;        ///< 0: not counting
};

/// The kernels, their parameters and launch bounds.
void collectKernels(DeviceProgram &program);

/// Adds up instructionCost() per basic block; calls `smcpu_count(metric, amount)`.
void countInstructions(DeviceProgram &program);

/// Announces each read and write of global memory to the runtime: `smcpu_check_access(address, size, isWrite,
/// where)`.
void checkAccesses(DeviceProgram &program);

/// Reports, per kernel, each instruction, function or variable that `library` has no answer to.
void refuseUnsupported(const DeviceProgram &program, const llvm::Module &library, Diagnostics &diagnostics);

/// From NVPTX to the host: triple, layout, attributes, calling conventions, metadata.
void retarget(DeviceProgram &program, const llvm::TargetMachine &machine);

/// Every device function, and every call of one, gets the calling thread (smcpu::Thread *) as first
/// parameter.
void addThreadParameter(DeviceProgram &program);

/// Intrinsics, inline PTX and undefined functions become calls of the device library's functions.
void lowerCalls(DeviceProgram &program, const llvm::Module &library);

/// Atomics become those of the host: relaxed, without CUDA's scopes.
void lowerAtomics(DeviceProgram &program);

/// Mutable variables move to the image, addressed through the thread; constants become the host's.
void placeVariables(DeviceProgram &program);

/// __shared__ variables move to the block's arena: those that one kernel uses do not overlap.
void placeSharedMemory(DeviceProgram &program);

/// Brings in what the program calls; from here on all but the module's constructor is internal.
void linkLibrary(DeviceProgram &program, std::unique_ptr<llvm::Module> library);

/// Makes DeviceKernel::run of each kernel: a loop over the threads, or coroutines where threads wait for each
/// other.
void makeEntries(DeviceProgram &program, Diagnostics &diagnostics);

/// The SmcpuModule and the constructor that registers it.
void emitModuleTable(DeviceProgram &program, const std::string &moduleId);

/// The host's optimisation pipeline and code generator.
std::string emitObject(DeviceProgram &program, llvm::TargetMachine &machine, unsigned optimisation);

} // namespace streammap
