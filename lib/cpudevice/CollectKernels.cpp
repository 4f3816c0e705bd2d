#include "cpudevice/DeviceProgram.h"
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Module.h>

namespace streammap {
namespace {

/// The product of "nvvm.maxntid"="x,y,z", which __launch_bounds__ leaves.
std::uint32_t launchBound(const llvm::Function &kernel) {
  const llvm::StringRef text = kernel.getFnAttribute("nvvm.maxntid").getValueAsString();
  if (text.empty())
    return 1024;
  std::uint32_t threads = 1;
  llvm::SmallVector<llvm::StringRef, 3> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    std::uint32_t extent = 1;
    if (!part.trim().getAsInteger(10, extent))
      threads *= extent;
  }
  return threads;
}

} // namespace

void collectKernels(DeviceProgram &program) {
  const llvm::DataLayout &layout = program.module->getDataLayout();
  for (llvm::Function &function : *program.module) {
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel || function.isDeclaration())
      continue;
    DeviceKernel kernel;
    kernel.symbol = function.getName().str();
    kernel.body = &function;
    kernel.maxThreadsPerBlock = launchBound(function);
    for (const llvm::Argument &argument : function.args()) {
      llvm::Type *type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
      kernel.parameterSizes.push_back(static_cast<std::uint32_t>(layout.getTypeAllocSize(type)));
    }
    program.kernels.push_back(std::move(kernel));
  }
}

} // namespace streammap
