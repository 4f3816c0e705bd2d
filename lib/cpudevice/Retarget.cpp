#include "cpudevice/DeviceProgram.h"
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace streammap {
namespace {

/// What still holds of a function on the host. Memory effects do not: what was a register read on the GPU
/// reads the thread's state here.
constexpr llvm::Attribute::AttrKind keptAttributes[] = {
    llvm::Attribute::AlwaysInline, llvm::Attribute::NoInline, llvm::Attribute::InlineHint,
    llvm::Attribute::NoUnwind,     llvm::Attribute::NoReturn, llvm::Attribute::MustProgress,
    llvm::Attribute::Cold};

llvm::AttributeList hostAttributes(llvm::LLVMContext &context, const llvm::AttributeList &attributes) {
  llvm::AttrBuilder kept(context);
  for (llvm::Attribute::AttrKind kind : keptAttributes)
    if (attributes.hasFnAttr(kind))
      kept.addAttribute(kind);
  return attributes.removeFnAttributes(context).addFnAttributes(context, kept);
}

void retargetFunction(llvm::Function &function) {
  llvm::LLVMContext &context = function.getContext();
  function.setCallingConv(llvm::CallingConv::C);
  if (!function.isIntrinsic())
    function.setAttributes(hostAttributes(context, function.getAttributes()));
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        call->setCallingConv(llvm::CallingConv::C);
        call->setAttributes(hostAttributes(context, call->getAttributes()));
      }
}

} // namespace

void retarget(DeviceProgram &program, const llvm::TargetMachine &machine) {
  llvm::Module &module = *program.module;
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (const char *name : {"llvm.module.flags", "nvvm.annotations", "nvvmir.version", "llvm.ident"})
    if (llvm::NamedMDNode *node = module.getNamedMetadata(name))
      node->eraseFromParent();
  for (const char *name : {"llvm.used", "llvm.compiler.used"})
    if (llvm::GlobalVariable *used = module.getNamedGlobal(name))
      used->eraseFromParent();
  for (llvm::Function &function : module) {
    retargetFunction(function);
    function.setComdat(nullptr);
    if (!function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (DeviceKernel &kernel : program.kernels)
    kernel.body->removeFnAttr(llvm::Attribute::NoInline);
}

} // namespace streammap
