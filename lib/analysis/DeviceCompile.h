#pragma once
// The device half of a source as LLVM IR: what nvcc would hand to its optimiser, with line tables and without
// libdevice, so that a call of expf is still one call.
//
//   std::optional<DeviceCode> code = compileDevice(job, "sm_90", diagnostics);
//   code->module->getFunction(code->kernels[0].symbol)
#include "analysis/CompileJob.h"
#include "analysis/Site.h"
#include "support/Diagnostic.h"
#include "support/Expected.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace streammap {

/// An integer inside a parameter: all of it, or a field of a struct passed by value.
struct ParameterPart {
  std::string name; ///< "n", "p.rows", "p.size[1]"
  std::string type;
  std::uint64_t offset = 0; ///< in bytes, from the beginning of the parameter
  bool isUnsigned = false;
};

struct DeclaredParameter {
  std::string name;
  std::string type;
  std::vector<ParameterPart> parts; ///< none for pointers and floating-point numbers
};

/// A kernel that has a body in this source, template instances each by themselves.
struct DeclaredKernel {
  std::string symbol;
  std::string name;
  std::string location;
  std::vector<DeclaredParameter> parameters;
};

struct DeviceCode {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module; ///< unoptimised
  std::vector<DeclaredKernel> kernels;  ///< sorted by symbol
  SiteTable sites;                      ///< of the trips pragmas
  DeviceCode();
  DeviceCode(DeviceCode &&) noexcept;
  DeviceCode &operator=(DeviceCode &&) noexcept;
  ~DeviceCode();
};

/// Nothing, with at least one error reported, if the source does not compile. Errors that the host half has
/// too are reported again: pass a collector of its own where both are compiled.
std::optional<DeviceCode> compileDevice(const CompileJob &job, const std::string &arch,
                                        Diagnostics &diagnostics);

/// Optimised PTX with libdevice, as Clang would hand it to ptxas.
Expected<std::string> compileToPtx(const CompileJob &job, const std::string &arch);

} // namespace streammap
