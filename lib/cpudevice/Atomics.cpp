#include "cpudevice/DeviceProgram.h"
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace streammap {
namespace {

constexpr auto relaxed = llvm::AtomicOrdering::Monotonic;

/// llvm.nvvm.atomic.<operation>.gen.<i|f>.<scope>...: atomicAdd_block, atomicCAS_system and so on.
void lowerScopedAtomic(llvm::IntrinsicInst &call) {
  llvm::StringRef name = call.getCalledFunction()->getName();
  name.consume_front("llvm.nvvm.atomic.");
  const auto [operation, rest] = name.split('.');
  const bool real = rest.starts_with("gen.f");
  llvm::IRBuilder<> builder(&call);
  llvm::Value *pointer = call.getArgOperand(0), *result = nullptr;
  if (operation == "cas") {
    auto *exchange = builder.CreateAtomicCmpXchg(pointer, call.getArgOperand(1), call.getArgOperand(2),
                                                 llvm::MaybeAlign(), relaxed, relaxed);
    result = builder.CreateExtractValue(exchange, 0);
  } else {
    using Kind = llvm::AtomicRMWInst::BinOp;
    const Kind kind = llvm::StringSwitch<Kind>(operation)
                          .Case("add", real ? Kind::FAdd : Kind::Add)
                          .Case("exch", Kind::Xchg)
                          .Case("and", Kind::And)
                          .Case("or", Kind::Or)
                          .Case("xor", Kind::Xor)
                          .Case("min", Kind::Min)
                          .Case("max", Kind::Max)
                          .Case("inc", Kind::UIncWrap)
                          .Case("dec", Kind::UDecWrap)
                          .Default(Kind::BAD_BINOP);
    if (kind == Kind::BAD_BINOP)
      return;
    result = builder.CreateAtomicRMW(kind, pointer, call.getArgOperand(1), llvm::MaybeAlign(), relaxed);
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

} // namespace

void lowerAtomics(DeviceProgram &program) {
  std::vector<llvm::IntrinsicInst *> scoped;
  for (llvm::Function &function : *program.module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
          update->setOrdering(relaxed);
          update->setSyncScopeID(llvm::SyncScope::System);
        } else if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
          exchange->setSuccessOrdering(relaxed);
          exchange->setFailureOrdering(relaxed);
          exchange->setSyncScopeID(llvm::SyncScope::System);
        } else if (auto *fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
          fence->setSyncScopeID(llvm::SyncScope::System);
        } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->isAtomic()) {
          load->setSyncScopeID(llvm::SyncScope::System);
        } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store && store->isAtomic()) {
          store->setSyncScopeID(llvm::SyncScope::System);
        } else if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
                   call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.atomic.")) {
          scoped.push_back(call);
        }
      }
  for (llvm::IntrinsicInst *call : scoped)
    lowerScopedAtomic(*call);
}

} // namespace streammap
