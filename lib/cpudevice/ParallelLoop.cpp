#include "cpudevice/ParallelLoop.h"
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

namespace streammap {
namespace {

void simplify(llvm::Function &function) {
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager manager;
  manager.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  manager.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  manager.addPass(llvm::InstCombinePass());
  manager.addPass(llvm::SimplifyCFGPass());
  manager.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  manager.run(function, functions);
}

bool escapes(const llvm::AllocaInst &variable) {
  return llvm::PointerMayBeCaptured(&variable, /*ReturnCaptures=*/true);
}

/// The pointer whose memory `instruction` accesses, if it is one.
const llvm::Value *accessedPointer(const llvm::Instruction &instruction) {
  if (const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction))
    return pointer;
  if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return update->getPointerOperand();
  return nullptr;
}

} // namespace

void keepParallelAccesses(llvm::Function &run) {
  simplify(run);
  bool anyEscapes = false;
  for (llvm::BasicBlock &block : run)
    for (llvm::Instruction &instruction : block)
      if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
        anyEscapes |= escapes(*variable);
  for (llvm::BasicBlock &block : run)
    for (llvm::Instruction &instruction : block) {
      if (!instruction.hasMetadata(llvm::LLVMContext::MD_access_group))
        continue;
      const llvm::Value *pointer = accessedPointer(instruction);
      const bool own = !pointer || llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
      if (anyEscapes || own)
        instruction.setMetadata(llvm::LLVMContext::MD_access_group, nullptr);
    }
}

} // namespace streammap
