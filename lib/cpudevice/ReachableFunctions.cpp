#include "cpudevice/ReachableFunctions.h"
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <vector>

namespace streammap {

std::set<const llvm::Function *> reachableFunctions(const llvm::Function &root) {
  std::set<const llvm::Function *> seen{&root};
  std::vector<const llvm::Function *> open{&root};
  bool addressTaken = false;
  auto add = [&](const llvm::Function &function) {
    if (!function.isDeclaration() && seen.insert(&function).second)
      open.push_back(&function);
  };
  while (!open.empty()) {
    const llvm::Function *function = open.back();
    open.pop_back();
    for (const llvm::BasicBlock &block : *function)
      for (const llvm::Instruction &instruction : block) {
        auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (!call || call->isInlineAsm())
          continue;
        if (const llvm::Function *callee = call->getCalledFunction()) {
          add(*callee);
        } else if (!addressTaken) {
          addressTaken = true;
          for (const llvm::Function &candidate : *function->getParent())
            if (candidate.hasAddressTaken())
              add(candidate);
        }
      }
  }
  return seen;
}

} // namespace streammap
