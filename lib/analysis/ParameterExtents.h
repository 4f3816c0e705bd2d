#pragma once
// Which bytes behind each pointer parameter a kernel reads and writes: what the section of a clause must
// hold.
//
//   y[i] = a * x[i] with i = blockIdx.x*blockDim.x + threadIdx.x < n
//     x   reads 0 ... 4*n      y   writes 0 ... 4*n, all of them
//
// Each address is maximised over its domain one variable after the other, the innermost first, each replaced
// by its bounds; of the results the one is kept that depends on arguments alone, or else on the launch.
// Arguments that multiply an index (pitches) are taken not to be negative. Ends of several accesses that
// cannot be compared are listed; where an address is loaded, the extent is not known.
#include "analysis/BlockCounts.h"
#include "analysis/KernelAnalysis.h"
#include <vector>

namespace streammap {

/// One entry for each pointer parameter that is accessed, by number. O(accesses x constraints).
std::vector<ParameterExtent> parameterExtents(const ExecutionCounts &counts);

} // namespace streammap
