#include "cpudevice/DeviceProgram.h"
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>

namespace streammap {
namespace {

/// Replaces an instruction: worth a call only where the library says so itself.
bool isInstruction(const llvm::Function &function) {
  const llvm::StringRef name = function.getName();
  return (name.starts_with("smcpu_nvvm_") || name.starts_with("smcpu_ptx_")) &&
         !function.hasFnAttribute(llvm::Attribute::NoInline);
}

} // namespace

void linkLibrary(DeviceProgram &program, std::unique_ptr<llvm::Module> library) {
  llvm::Module &module = *program.module;
  for (const char *name : {"llvm.used", "llvm.compiler.used"})
    if (llvm::GlobalVariable *used = library->getNamedGlobal(name))
      used->eraseFromParent();
  if (llvm::NamedMDNode *flags = library->getNamedMetadata("llvm.module.flags"))
    flags->eraseFromParent();
  // What makeEntries will call.
  for (const char *name : {"smcpu_thread_loop", "smcpu_coroutines", "smcpu_frame"})
    module.getOrInsertFunction(name, library->getFunction(name)->getFunctionType());
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  const bool failed =
      llvm::Linker::linkModules(module, std::move(library), llvm::Linker::Flags::LinkOnlyNeeded);
  assert(!failed && "the library's names are its own");
  (void)failed;
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.setComdat(nullptr);
      if (isInstruction(function))
        function.addFnAttr(llvm::Attribute::AlwaysInline);
      for (const char *attribute : {"target-cpu", "target-features", "tune-cpu", "frame-pointer"})
        function.removeFnAttr(attribute);
    }
  for (llvm::GlobalVariable &variable : module.globals())
    if (&variable != program.image && &variable != program.slot && !variable.isDeclaration() &&
        !variable.hasLocalLinkage() && !variable.hasAppendingLinkage()) {
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
      variable.setComdat(nullptr);
    }
}

} // namespace streammap
