#include "cpudevice/CountingRules.h"
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <memory>

namespace streammap {
namespace {

/// The machine of the module's own triple and of the architecture its functions were compiled for; null where
/// this LLVM has no NVPTX back end. Its cost model decides inlining, so it belongs to the definition of what
/// is counted.
std::unique_ptr<llvm::TargetMachine> deviceMachine(const llvm::Module &module) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (!target)
    return nullptr;
  std::string cpu = "sm_80", features;
  for (const llvm::Function &function : module)
    if (function.hasFnAttribute("target-cpu")) {
      cpu = function.getFnAttribute("target-cpu").getValueAsString().str();
      features = function.getFnAttribute("target-features").getValueAsString().str();
      break;
    }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      module.getTargetTriple(), cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_));
}

/// libdevice is not linked, but its math functions are known: those without pointers only compute. Said so,
/// they do not stand in the way of optimising the memory accesses around them.
void declareMathPure(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.isDeclaration() || !function.getName().starts_with("__nv_"))
      continue;
    bool pointers = false;
    for (const llvm::Argument &argument : function.args())
      pointers |= argument.getType()->isPointerTy();
    function.removeFnAttr(llvm::Attribute::Convergent);
    function.setDoesNotThrow();
    function.setWillReturn();
    if (pointers)
      function.setOnlyAccessesArgMemory();
    else
      function.setDoesNotAccessMemory();
    for (llvm::User *user : function.users())
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
        call->removeFnAttr(llvm::Attribute::Convergent);
  }
}

} // namespace

void optimiseDeviceCode(llvm::Module &module) {
  declareMathPure(module);
  const std::unique_ptr<llvm::TargetMachine> machine = deviceMachine(module);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  llvm::PassBuilder builder(machine.get(), tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

} // namespace streammap
