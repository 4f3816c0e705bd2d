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
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class LoopInfo;
class PostDominatorTree;
class ScalarEvolution;
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

struct ExecutionCounts {
  std::vector<std::pair<const llvm::BasicBlock *, Expression>> blocks; ///< in the order of the function
  std::map<std::string, UnknownFactor> unknowns;                       ///< by symbol
  std::vector<CountedLoop> loops;                                      ///< outer loops first
};

ExecutionCounts countExecutions(llvm::Function &kernel, const DeclaredKernel &declaration,
                                llvm::ScalarEvolution &evolution, llvm::LoopInfo &loops,
                                const llvm::DominatorTree &dominators,
                                const llvm::PostDominatorTree &postDominators);

} // namespace streammap
