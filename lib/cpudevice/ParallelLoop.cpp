#include "cpudevice/ParallelLoop.h"
#include "runtime/cpu/ModuleAbi.h"
#include <cstddef>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <vector>

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

/// launch->block.x, as smcpu_thread_loop reads it.
bool isBlockWidth(const llvm::Value *value, const llvm::Function &run) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (!load)
    return false;
  llvm::APInt offset(64, 0);
  const llvm::Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      run.getDataLayout(), offset, /*AllowNonInbounds=*/true);
  return base == run.getArg(0) && offset == offsetof(SmcpuLaunch, block) + offsetof(SmcpuDim3, x);
}

/// The induction variable of the loop over x: counts from 0 while below launch->block.x.
bool isThreadIndex(const llvm::Value *value, const llvm::Function &run) {
  auto *phi = llvm::dyn_cast<llvm::PHINode>(value);
  if (!phi)
    return false;
  for (const llvm::User *user : phi->users())
    if (auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(user))
      if (comparison->getOperand(0) == phi && isBlockWidth(comparison->getOperand(1), run) &&
          comparison->getPredicate() == llvm::CmpInst::ICMP_ULT)
        return true;
  return false;
}

/// blockIdx.x * blockDim.x + threadIdx.x is unsigned and may wrap as far as C++ knows. smcpu_thread_loop
/// refuses launches where it would; told so, the vectoriser sees that neighbouring threads touch neighbouring
/// elements.
void markGlobalIndex(llvm::Function &run) {
  llvm::Value *blockIndex = run.getArg(1);
  for (llvm::User *user : blockIndex->users()) {
    auto *product = llvm::dyn_cast<llvm::BinaryOperator>(user);
    if (!product || product->getOpcode() != llvm::Instruction::Mul)
      continue;
    llvm::Value *other = product->getOperand(product->getOperand(0) == blockIndex ? 1 : 0);
    if (!isBlockWidth(other, run))
      continue;
    product->setHasNoUnsignedWrap();
    product->setHasNoSignedWrap();
    for (llvm::User *sumUser : product->users()) {
      auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(sumUser);
      if (!sum || sum->getOpcode() != llvm::Instruction::Add)
        continue;
      llvm::Value *thread = sum->getOperand(sum->getOperand(0) == product ? 1 : 0);
      if (!isThreadIndex(thread, run))
        continue;
      sum->setHasNoUnsignedWrap();
      sum->setHasNoSignedWrap();
    }
  }
}

/// Moves `value` to the entry of `run` if it is a kernel parameter or the way to one: an address computed
/// from the launch with constants, a load that never changes. Whether a thread gets there does not matter,
/// the parameters are there for all.
bool moveToEntry(llvm::Value *value, llvm::Function &run) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction)
    return llvm::isa<llvm::Constant>(value) || value == run.getArg(0);
  if (instruction->getParent() == &run.getEntryBlock())
    return true;
  const bool load = llvm::isa<llvm::LoadInst>(instruction) && instruction->hasMetadata(parameterMark);
  if (!load && !llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(instruction))
    return false;
  for (llvm::Value *operand : instruction->operands())
    if (!moveToEntry(operand, run))
      return false;
  instruction->moveBefore(run.getEntryBlock().getTerminator()->getIterator());
  return true;
}

/// All threads of the block share their parameters: read once, they are the loop's constants.
void hoistParameters(llvm::Function &run) {
  std::vector<llvm::LoadInst *> loads;
  for (llvm::BasicBlock &block : run)
    for (llvm::Instruction &instruction : block)
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->hasMetadata(parameterMark))
        loads.push_back(load);
  for (llvm::LoadInst *load : loads)
    moveToEntry(load, run);
}

} // namespace

void keepParallelAccesses(llvm::Function &run) {
  simplify(run);
  hoistParameters(run);
  markGlobalIndex(run);
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
