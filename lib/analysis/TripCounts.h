#pragma once
// How long a loop runs, as inequalities in the number k of its iteration (from 0): after iteration k another
// one follows if all of them hold.
//
//   for (i = start; i < n; i += step)          n - 1 - start - step*(k + 1) >= 0
//   for (s = first; s > 0; s >>= 1)            log2(first) - (k + 1) >= 0
//   do ... while (count of ScalarEvolution)    count - 1 - k >= 0
//
// The inequality is kept as it is instead of a rounded-up quotient, since so the counting of points
// (IterationSpace.h) sees that a grid-stride loop covers each index once.
#include "analysis/SymbolicValues.h"
#include <map>
#include <string>
#include <vector>

namespace llvm {
class BasicBlock;
class DominatorTree;
} // namespace llvm

namespace streammap {

struct LoopTrips {
  bool isKnown = false;
  std::string variable; ///< the name of k
  /// By exiting block: what must hold to stay in the loop there; each >= 0.
  std::map<const llvm::BasicBlock *, std::vector<Expression>> stay;
  /// What a guard in front of the loop would say: if all hold on entry, `stay` holds for k = -1 as well, so
  /// that the first iteration needs no case of its own.
  std::vector<Expression> guards;
  std::vector<Expression> assumptions; ///< signs of steps that only the direction of the comparison tells
  std::string whyUnknown;
};

/// `variable` becomes the name of the loop's iterations in `values` if the loop is known. Exits into blocks
/// in `traps` (failed assertions) do not count.
LoopTrips tripsOf(const llvm::Loop &loop, const std::string &variable, SymbolicValues &values,
                  llvm::ScalarEvolution &evolution, const llvm::DominatorTree &dominators,
                  const std::set<const llvm::BasicBlock *> &traps);

} // namespace streammap
