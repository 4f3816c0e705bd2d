#include "cpudevice/WaitingFunctions.h"
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <vector>

namespace streammap {

std::set<llvm::Function *> waitingFunctions(llvm::Module &module) {
  std::set<llvm::Function *> waiting;
  std::vector<llvm::Function *> open;
  if (llvm::Function *suspend = module.getFunction("smcpu_suspend"))
    open.push_back(suspend);
  while (!open.empty()) {
    llvm::Function *callee = open.back();
    open.pop_back();
    for (llvm::User *user : callee->users())
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(user); call && call->getCalledOperand() == callee)
        if (waiting.insert(call->getFunction()).second)
          open.push_back(call->getFunction());
  }
  return waiting;
}

} // namespace streammap
