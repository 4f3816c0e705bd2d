#pragma once
// How many different bytes of global memory the accesses of a kernel touch. The rules stand in
// MemoryBehaviour.h.
#include "analysis/BlockCounts.h"
#include <functional>
#include <optional>
#include <vector>

namespace streammap {

/// The set of points without the variables that are not in `kept`: (x, y) such that for some z, (x, y, z) is
/// in `space`. Over rational numbers, so it may hold a few points more. Nothing if a variable cannot be
/// removed: it stands in a quotient, or with a coefficient of unknown sign.
std::optional<IterationSpace> projected(IterationSpace space, const std::vector<std::string> &kept);

struct TouchedBytes {
  Expression bytes;
  bool isExact = false;                      ///< no two accesses of one expression can meet in a byte
  const llvm::Instruction *first = nullptr;  ///< an access that was counted; null: there is none
  std::vector<const MemoryAccess *> unclear; ///< whose addresses are no formula, counted once per execution
};

/// Of the accesses to global memory that `isWanted`. `budget` is shared out among them.
TouchedBytes touchedBytes(const ExecutionCounts &counts,
                          const std::function<bool(const MemoryAccess &)> &isWanted, CountingBudget &budget);

} // namespace streammap
