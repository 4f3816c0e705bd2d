#include "cpu/BlockGuard.h"
#include "cpu/AddressMap.h"
#include <algorithm>
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <ucontext.h>

namespace streammap::cpu {
namespace {

/// The block that runs on a thread. The signal handler reads it, so the thread makes it before any block
/// runs.
struct Running {
  sigjmp_buf jump;
  HardwareFault fault;
};
thread_local Running *running __attribute__((tls_model("initial-exec"))) = nullptr;

constexpr int guardedSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction previousActions[std::size(guardedSignals)];

HardwareFault::Access accessOf([[maybe_unused]] int signal, [[maybe_unused]] const void *context) {
#ifdef __x86_64__
  // Page-fault error code, bit 1: the access was a write (Intel SDM vol. 3, 4.7).
  if (signal == SIGSEGV) {
    const auto *machine = static_cast<const ucontext_t *>(context);
    return machine->uc_mcontext.gregs[REG_ERR] & 2 ? HardwareFault::Access::write
                                                   : HardwareFault::Access::read;
  }
#endif
  return HardwareFault::Access::unknown;
}

thread_local bool passingOn __attribute__((tls_model("initial-exec"))) = false;

/// Not a kernel's fault: as if this handler did not exist.
void passOn(int signal, siginfo_t *details, void *context) {
  const std::size_t index =
      static_cast<std::size_t>(std::ranges::find(guardedSignals, signal) - std::begin(guardedSignals));
  const struct sigaction &previous = previousActions[index];
  const bool circle = passingOn; // a previous handler may hold this one for its own predecessor
  passingOn = true;
  if (!circle && (previous.sa_flags & SA_SIGINFO))
    previous.sa_sigaction(signal, details, context);
  else if (!circle && previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    previous.sa_handler(signal);
  else
    std::signal(signal, SIG_DFL); // the instruction runs again and the system takes its course
  passingOn = circle;
}

void onSignal(int signal, siginfo_t *details, void *context) {
  Running *block = running;
  if (!block) {
    passOn(signal, details, context);
    return;
  }
  block->fault.signal = signal;
  block->fault.address = reinterpret_cast<std::uintptr_t>(details->si_addr);
  block->fault.access = accessOf(signal, context);
  siglongjmp(block->jump, static_cast<int>(BlockExit::faulted));
}

/// Where our handlers are not, or no longer: MPI libraries and test frameworks set their own.
void installHandlers() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i != std::size(guardedSignals); ++i) {
    struct sigaction present{};
    sigaction(guardedSignals[i], nullptr, &present);
    if ((present.sa_flags & SA_SIGINFO) && present.sa_sigaction == onSignal)
      continue;
    struct sigaction action{};
    action.sa_sigaction = onSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(guardedSignals[i], &action, &previousActions[i]);
  }
}

/// A stack for the handler: kernel code may have used up the thread's own.
class SignalStack {
public:
  SignalStack() {
    memory_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED)
      return;
    stack_t stack{};
    stack.ss_sp = memory_;
    stack.ss_size = size;
    sigaltstack(&stack, &previous_);
  }
  ~SignalStack() {
    if (memory_ == MAP_FAILED)
      return;
    sigaltstack(&previous_, nullptr);
    munmap(memory_, size);
  }
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  static constexpr std::size_t size = 64 * 1024;
  void *memory_;
  stack_t previous_{};
};

void prepareThread() {
  thread_local SignalStack stack;
  (void)stack;
}

/// Guarded memory that grows.
class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena() { release(); }

  char *endingWith(std::size_t size) {
    if (!range_ || range_->size < size) {
      release();
      range_ = mapGuarded(std::max<std::size_t>(size, 48 * 1024));
    }
    return range_ ? reinterpret_cast<char *>(range_->end()) - size : nullptr;
  }

private:
  void release() {
    if (range_)
      unmapGuarded(*range_);
    range_.reset();
  }
  std::optional<MemoryRange> range_;
};

std::size_t roundUp(std::size_t size, std::size_t to) {
  return (size + to - 1) / to * to;
}

} // namespace

void guardSignals() {
  installHandlers();
}

BlockExit runGuarded(void (*body)(void *), void *argument, HardwareFault &fault) {
  prepareThread();
  Running here;
  const int exit = sigsetjmp(here.jump, 1);
  if (exit == 0) {
    running = &here;
    body(argument);
    running = nullptr;
    return BlockExit::finished;
  }
  running = nullptr;
  fault = here.fault;
  return static_cast<BlockExit>(exit);
}

void leaveBlock() {
  if (!running)
    std::abort(); // only kernel code may fail a launch
  siglongjmp(running->jump, static_cast<int>(BlockExit::left));
}

char *blockArena(std::size_t size) {
  thread_local Arena arena;
  return arena.endingWith(roundUp(std::max<std::size_t>(size, 1), 256));
}

void *blockScratch(unsigned piece, std::size_t size) {
  constexpr std::size_t alignment = 64, pieces = 2;
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  struct Piece {
    std::unique_ptr<void, Free> memory;
    std::size_t room = 0;
  };
  thread_local std::array<Piece, pieces> all;
  Piece &one = all.at(piece);
  if (one.room < size) {
    one.room = roundUp(size, 4096);
    one.memory.reset(std::aligned_alloc(alignment, one.room));
    if (!one.memory)
      one.room = 0;
  }
  return one.memory.get();
}

} // namespace streammap::cpu
