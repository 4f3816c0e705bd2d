#include "cpudevice/Coroutine.h"
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <vector>

namespace streammap {
namespace {

constexpr const char *suspendBlock = "suspended", *cleanupBlock = "cleanup";

llvm::BasicBlock *blockNamed(llvm::Function &function, llvm::StringRef name) {
  for (llvm::BasicBlock &block : function)
    if (block.getName() == name)
      return &block;
  return nullptr;
}

/// Suspends at the builder's place; goes on at `resumed`.
void emitSuspend(llvm::IRBuilder<> &builder, llvm::BasicBlock *suspended, llvm::BasicBlock *resumed,
                 llvm::BasicBlock *cleanup, bool final) {
  llvm::Value *none = llvm::ConstantTokenNone::get(builder.getContext());
  llvm::Value *reason =
      builder.CreateIntrinsic(llvm::Intrinsic::coro_suspend, {none, builder.getInt1(final)});
  llvm::SwitchInst *choice = builder.CreateSwitch(reason, suspended, 2);
  choice->addCase(builder.getInt8(0), resumed);
  choice->addCase(builder.getInt8(1), cleanup);
}

} // namespace

llvm::Function *makeCoroutine(llvm::Function &body) {
  llvm::Module &module = *body.getParent();
  llvm::LLVMContext &context = module.getContext();
  llvm::PointerType *pointer = llvm::PointerType::get(context, 0);
  llvm::Function *coroutine =
      llvm::Function::Create(llvm::FunctionType::get(pointer, {pointer}, false),
                             llvm::GlobalValue::InternalLinkage, body.getName() + ".coroutine", module);
  coroutine->setPresplitCoroutine();
  coroutine->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::Value *thread = coroutine->getArg(0);
  auto *entry = llvm::BasicBlock::Create(context, "entry", coroutine);
  auto *finished = llvm::BasicBlock::Create(context, "finished", coroutine);
  auto *cleanup = llvm::BasicBlock::Create(context, cleanupBlock, coroutine);
  auto *suspended = llvm::BasicBlock::Create(context, suspendBlock, coroutine);

  llvm::IRBuilder<> builder(entry);
  llvm::Value *null = llvm::ConstantPointerNull::get(pointer);
  llvm::Value *id =
      builder.CreateIntrinsic(llvm::Intrinsic::coro_id, {builder.getInt32(0), null, null, null});
  llvm::Value *size = builder.CreateIntrinsic(llvm::Intrinsic::coro_size, {builder.getInt64Ty()}, {});
  llvm::FunctionCallee frame =
      module.getOrInsertFunction("smcpu_frame", pointer, pointer, builder.getInt64Ty());
  llvm::Value *memory = builder.CreateCall(frame, {thread, size});
  llvm::Value *handle = builder.CreateIntrinsic(llvm::Intrinsic::coro_begin, {id, memory});
  builder.CreateCall(&body, {thread});
  emitSuspend(builder, suspended, finished, cleanup, /*final=*/true);

  builder.SetInsertPoint(finished); // never resumed after the end
  builder.CreateUnreachable();
  builder.SetInsertPoint(cleanup); // the frame's memory is not ours to free
  builder.CreateBr(suspended);
  builder.SetInsertPoint(suspended);
  builder.CreateIntrinsic(llvm::Intrinsic::coro_end,
                          {handle, builder.getFalse(), llvm::ConstantTokenNone::get(context)});
  builder.CreateRet(handle);
  return coroutine;
}

void makeSuspensionPoints(llvm::Function &coroutine) {
  llvm::Function *suspend = coroutine.getParent()->getFunction("smcpu_suspend");
  std::vector<llvm::CallInst *> calls;
  for (llvm::BasicBlock &block : coroutine)
    for (llvm::Instruction &instruction : block)
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          call && call->getCalledFunction() == suspend)
        calls.push_back(call);
  llvm::BasicBlock *suspended = blockNamed(coroutine, suspendBlock),
                   *cleanup = blockNamed(coroutine, cleanupBlock);
  for (llvm::CallInst *call : calls) {
    llvm::BasicBlock *before = call->getParent();
    llvm::BasicBlock *resumed = before->splitBasicBlock(call->getIterator(), "resumed");
    before->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> builder(before);
    emitSuspend(builder, suspended, resumed, cleanup, /*final=*/false);
    call->eraseFromParent();
  }
}

} // namespace streammap
