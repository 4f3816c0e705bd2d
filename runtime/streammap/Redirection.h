#pragma once
// What interposed CUDA calls have in common: where a pointer of the program really points just now.
#include "streammap/Process.h"
#include "streammap/RealCuda.h"

/// `function` under a second name; where streams have been replaced both mean the same.
#define STREAMMAP_ALIAS(function, suffix)                                                                    \
  decltype(__wrap_##function) __wrap_##function##suffix __attribute__((alias("__wrap_" #function)));

namespace streammap::engine {

/// For a call inside a task's statement: the address on the task's device of the program's `pointer`.
/// Pointers into no buffer, and into memory that is used where it lies, stay. A buffer that no section of the
/// task names ends the run: `what` is the call or argument that the message names.
template <class T>
T *redirected(const CurrentTask &task, T *pointer, const std::string &what);

const void *redirectedAddress(const CurrentTask &task, const void *pointer, const std::string &what);

template <class T>
T *redirected(const CurrentTask &task, T *pointer, const std::string &what) {
  return static_cast<T *>(const_cast<void *>(redirectedAddress(task, pointer, what)));
}

/// `count` rows of `width` bytes, `pitch` apart.
struct Rows {
  std::size_t width = 0, pitch = 0, count = 1;
  Region at(std::uint64_t offset) const { return {offset, width, count > 1 ? pitch : 0, count}; }
};

/// Outside tasks: runs `function` on every rank with the bytes of `destination` and `source` at home, as far
/// as they lie in buffers (either may be null). False, and nothing was done, when neither does. Bytes beyond
/// a buffer's end give cudaErrorInvalidValue.
struct HostCopy {
  bool isOurs = false;
  cudaError_t status = cudaSuccess;
};
HostCopy copyAtHome(Process &process, void *destination, Rows destinationRows, const void *source,
                    Rows sourceRows, const std::function<void()> &function);

} // namespace streammap::engine
