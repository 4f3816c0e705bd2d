#pragma once
// Reading the state of the running thread (smcpu::Thread, runtime/cpu/devicelib/Thread.h) in IR.
#include "runtime/cpu/devicelib/Thread.h"
#include <cstddef>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace streammap {

/// The pointer stored `offset` bytes into `object`, which does not change while the kernel runs.
inline llvm::Value *loadConstantPointer(llvm::IRBuilder<> &builder, llvm::Value *object, std::size_t offset,
                                        const llvm::Twine &name) {
  llvm::Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), object, offset);
  llvm::LoadInst *load = builder.CreateLoad(builder.getPtrTy(), address, name);
  return load;
}

/// Where code that must dominate all of `function` goes.
inline llvm::IRBuilder<> atEntry(llvm::Function &function) {
  llvm::BasicBlock &entry = function.getEntryBlock();
  return llvm::IRBuilder<>(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
}

} // namespace streammap
