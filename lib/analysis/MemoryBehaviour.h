#pragma once
// What the memory system sees of a kernel, from the addresses of its loads and stores: which sectors of 32
// bytes a warp asks for, how many different bytes a launch touches, and where the lanes of a warp meet in one
// bank of shared memory.
//
//   y[i] = a * x[i] with i = blockIdx.x*blockDim.x + threadIdx.x < n
//     global_load_sectors    4 for each full warp: 32 lanes, 4 bytes apart
//     footprint_bytes        8*n
//
// Sectors. Lanes of a warp are consecutive in threadIdx.x, then y. If an address moves by s bytes from one
// lane to the next, m lanes of a row of a block touch (m - 1)*|s| + size bytes, at least one sector and at
// most one for each lane. Arrays begin at multiples of 32 bytes (cudaMalloc: 256), and so does each row of an
// array; so x[i - 1] touches one sector more than x[i]. Warps with idle lanes count in proportion. Where the
// address is no formula (it is loaded), each lane is taken to touch a sector of its own, and an
// UncertainAccess says so.
//
// Footprint. The different bytes of an access are the points of its domain, projected along all variables
// that its address does not contain (by Fourier and Motzkin's elimination). Accesses whose addresses differ
// only by a few steps of one of their variables (the neighbours of a stencil) touch the same bytes but for
// the border, which is left out. Other accesses to the same array are taken to touch different bytes; where
// there are such, or where two variables move the address alike (in[x + d]), the range from the lowest to the
// highest address bounds them all. So the figure is exact for full arrays, a little low for stencils and high
// for triangles. Atomic operations read and write.
//
// Bank conflicts. 32 banks of 4 bytes; lanes that want different words of one bank take turns; requests of 8
// and 16 bytes are served by half and quarter warps (CUDA C++ Programming Guide 13.0, "Shared Memory").
// Counted for blocks whose width is 32 or more, or a power of 2.
#include "analysis/BlockCounts.h"
#include "support/CostMetrics.h"
#include <map>
#include <string>
#include <vector>

namespace streammap {

/// An access that the figures of `metric` only bound, and why.
struct UncertainAccess {
  CostMetric metric;
  const llvm::Instruction *instruction;
  std::string reason, remedy;
};

struct MemoryBehaviour {
  std::map<CostMetric, Expression> costs; ///< of one launch; metrics without any access are absent
  std::vector<UncertainAccess> unknowns;
};

/// Some milliseconds for a kernel of a hundred accesses.
MemoryBehaviour memoryBehaviour(const ExecutionCounts &counts);

} // namespace streammap
