#pragma once
// What a kernel may call.
#include <set>

namespace llvm {
class Function;
} // namespace llvm

namespace streammap {

/// `root` and all functions with a body that it may call, directly or through pointers: where a call goes
/// through a pointer, any function whose address is taken.
std::set<const llvm::Function *> reachableFunctions(const llvm::Function &root);

} // namespace streammap
