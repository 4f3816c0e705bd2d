#pragma once
// On the CPU device, in programs built with --check-accesses: every access of a task's kernels to a buffer
// must lie in the sections of its clauses. Catches a clause that names too little, which on a GPU would read
// a stale value.
//
//   device 0: kernel scale: mini.cu:41:9: writes byte 128 of buffer 0 (cudaMalloc of 256 bytes), which no out
//   or inout clause of task scale[3] names
#include "streammap/LocalMemory.h"
#include "streammap/TaskRun.h"
#include <atomic>

namespace streammap::engine {

class AccessChecker {
public:
  /// For the launches of one task on `device`; its uses have been acquired there.
  AccessChecker(const Operation &task, const LocalMemory &memory, int device);

  /// Null, or what is wrong with the access. Callable from several threads at once; the text lives as long as
  /// this.
  const char *judge(const void *address, std::size_t size, bool isWrite);

  /// Asks `checker` about the launches of this thread from here on; null stops it. Does nothing on a GPU.
  static void watchThisThread(AccessChecker *checker);

private:
  struct Watched {
    const Buffer *buffer;
    const char *base; ///< on the device
    Intervals readable, writable;
  };
  std::string taskName_;
  std::vector<Watched> buffers_;
  std::atomic_flag found_; ///< the first mistake is told
  std::string message_;
};

} // namespace streammap::engine
