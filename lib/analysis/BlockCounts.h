#pragma once
// How often each basic block of a kernel is executed by one launch, over all its threads, as a formula.
//
// Every block has a domain: a signed sum of sets of points, a point being a thread with the iterations of the
// loops around it (IterationSpace.h). Along an edge the branch's condition joins the constraints; where edges
// meet, domains are added, so that both sides of an `if` cancel to what came before it. A loop adds its
// iteration as one more variable. What depends on data becomes a factor with a name: `taken@file:line` for a
// branch, `trips@file:line` for a loop.
#include "analysis/DeviceCompile.h"
#include "analysis/Expression.h"
#include "analysis/IterationSpace.h"
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class Instruction;
class LoopInfo;
class PostDominatorTree;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace streammap {

/// A symbol in the counts that no launch gives a value to.
struct UnknownFactor {
  std::string location; ///< "csr.cu:14:3"
  std::string reason;   ///< "the number of iterations depends on loaded data"
  std::string remedy;
};

/// A loop of the kernel, each copy that inlining and specialisation made by itself.
struct CountedLoop {
  std::string location;
  std::string whyUnknown; ///< empty: its iterations have a formula, or a trips pragma states them
};

/// One load, store or atomic operation on global or shared memory.
struct MemoryAccess {
  const llvm::Instruction *instruction = nullptr;
  const llvm::Value *base = nullptr; ///< what the address is computed from: an argument, an array, ...
  std::optional<Expression> offset;  ///< bytes from the base, at one point of the block's domain
  std::uint64_t size = 0;            ///< bytes
  bool isShared = false, isRead = false, isWritten = false;
};

/// The accesses of one block and the points at which they happen.
struct BlockAccesses {
  Expression count; ///< how often the block is executed
  std::vector<IterationSpace>
      cells; ///< whose weighted points add up to `count`; empty where there is no formula
  std::vector<MemoryAccess> accesses;
};

struct ExecutionCounts {
  std::vector<std::pair<const llvm::BasicBlock *, Expression>> blocks; ///< in the order of the function
  std::map<std::string, UnknownFactor> unknowns;                       ///< by symbol
  std::vector<CountedLoop> loops;                                      ///< outer loops first
  std::vector<BlockAccesses> accesses;                                 ///< of blocks that have any
};

ExecutionCounts countExecutions(llvm::Function &kernel, const DeclaredKernel &declaration,
                                llvm::ScalarEvolution &evolution, llvm::LoopInfo &loops,
                                const llvm::DominatorTree &dominators,
                                const llvm::PostDominatorTree &postDominators);

} // namespace streammap
