#pragma once
// Which bytes behind each pointer parameter a kernel reads and writes: what the section of a clause must
// hold.
//
//   y[i] = a * x[i] with i = blockIdx.x*blockDim.x + threadIdx.x < n
//     x   reads 0 ... 4*n      y   writes 0 ... 4*n, all of them
//
// Ranges as in ReachedRanges.h; where an address is loaded, the extent is not known.
#include "analysis/BlockCounts.h"
#include "analysis/KernelAnalysis.h"
#include <vector>

namespace streammap {

/// One entry for each pointer parameter that is accessed, by number. O(accesses x constraints).
std::vector<ParameterExtent> parameterExtents(const ExecutionCounts &counts);

} // namespace streammap
