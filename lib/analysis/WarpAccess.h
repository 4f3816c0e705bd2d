#pragma once
// What one load or store costs a warp: sectors of global memory, passes over the banks of shared memory. The
// rules stand in MemoryBehaviour.h.
#include "analysis/BlockCounts.h"
#include <optional>

namespace streammap {

/// Sectors that all executions of `access` ask for. Nothing if the address is no formula.
std::optional<Expression> sectorsOf(const BlockAccesses &block, const MemoryAccess &access);

/// Passes beyond the first of each request. Nothing if the address is no formula, or if the conflicts differ
/// from one iteration or argument to the next.
std::optional<Expression> bankConflictsOf(const BlockAccesses &block, const MemoryAccess &access);

} // namespace streammap
