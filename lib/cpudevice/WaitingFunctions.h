#pragma once
// Functions in which a thread may wait for others.
#include <set>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace streammap {

/// All functions that may suspend the thread: they call smcpu_suspend or a function that does.
std::set<llvm::Function *> waitingFunctions(llvm::Module &module);

} // namespace streammap
