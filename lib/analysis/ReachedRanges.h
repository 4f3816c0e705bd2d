#pragma once
// The range of bytes that accesses to an array may reach, from the lowest to the highest address.
//
// Each address is maximised over its domain one variable after the other, the innermost first, each replaced
// by its bounds; of the results the one is kept that depends on arguments alone, or else on the launch. min()
// and max() are bounded by their arguments. Arguments that multiply an index (pitches) are taken not to be
// negative.
#include "analysis/BlockCounts.h"
#include <functional>
#include <map>
#include <vector>

namespace streammap {

struct ReachedRange {
  /// Bytes from the base: the first that is accessed is at least the lowest of `firsts`, the one behind the
  /// last at most the highest of `ends`; several where they cannot be compared. Both empty where no formula
  /// bounds them.
  std::vector<Expression> firsts, ends;
};

/// By base; of the accesses to global memory that `isWanted`, and that have a base. O(accesses x
/// constraints), with an upper limit for a kernel of some 20 ms.
std::map<const llvm::Value *, ReachedRange>
reachedRanges(const ExecutionCounts &counts, const std::function<bool(const MemoryAccess &)> &isWanted);

} // namespace streammap
