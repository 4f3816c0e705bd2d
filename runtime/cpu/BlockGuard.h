#pragma once
// Runs kernel code so that a fault or a failing thread ends the block instead of the process.
//
// A signal that kernel code causes (SIGSEGV, SIGBUS, SIGFPE, SIGILL) and leaveBlock() both jump out of the
// block with siglongjmp. The frames they leave belong to compiled kernels and the device library, which own
// nothing: no destructor is skipped. Signals from anywhere else go to whoever handled them before.
#include <cstddef>
#include <cstdint>

namespace streammap::cpu {

enum class BlockExit { finished, left, faulted };

/// What the processor said.
struct HardwareFault {
  int signal = 0;
  std::uintptr_t address = 0; ///< that could not be accessed, for SIGSEGV and SIGBUS
  enum class Access { unknown, read, write } access = Access::unknown;
};

/// Sees to it that the signals above come here; to be called before each launch.
void guardSignals();

/// Calls `body(argument)` on this thread; `fault` is set when the answer is `faulted`. Nothing with a
/// destructor may live in the frames below that run kernel code.
BlockExit runGuarded(void (*body)(void *), void *argument, HardwareFault &fault);

/// Ends the body that runGuarded has called on this thread.
[[noreturn]] void leaveBlock();

/// Shared memory for a block on this thread: `size` bytes, 128-byte aligned, with an inaccessible page behind
/// the last of them. Valid until the next call on this thread; null if the system has no room.
char *blockArena(std::size_t size);

/// The other memory a block on this thread may use, in two pieces (smcpuBlockScratch).
void *blockScratch(unsigned piece, std::size_t size);

} // namespace streammap::cpu
