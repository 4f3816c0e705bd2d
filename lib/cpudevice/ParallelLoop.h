#pragma once
// The loop over a block's threads may be vectorised: CUDA's threads are independent between barriers.

namespace llvm {
class Function;
} // namespace llvm

namespace streammap {

/// Metadata of loads of kernel parameters, which may be made before the loop.
inline constexpr const char *parameterMark = "smcpu.parameter";

/// smcpu_thread_loop declares all memory accesses of its innermost loop parallel. That is true of the
/// program's memory, not of a thread's own variables, which all iterations keep in the same place: simplifies
/// `run` and takes the declaration back from those.
void keepParallelAccesses(llvm::Function &run);

} // namespace streammap
