#include "cpu/Launch.h"
#include "cpu/AccessCheck.h"
#include "cpu/BlockGuard.h"
#include "cpu/Platform.h"
#include "cpu/Printf.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace streammap::cpu {
namespace {

constexpr std::size_t argumentAlignment = 64;

std::size_t roundUp(std::size_t size, std::size_t to) {
  return (size + to - 1) / to * to;
}

SmcpuDim3 plain(dim3 value) {
  return {value.x, value.y, value.z};
}

std::uint64_t volume(dim3 value) {
  return std::uint64_t{value.x} * value.y * value.z;
}

/// The launch's own copies of its arguments: cudaLaunchKernel returns before the kernel reads them.
class Arguments {
public:
  Arguments(const SmcpuKernel &kernel, void **from) {
    std::size_t size = 0;
    for (std::uint32_t i = 0; i != kernel.parameterCount; ++i)
      size += roundUp(kernel.parameterSizes[i], argumentAlignment);
    memory_ = std::make_unique<std::byte[]>(size + argumentAlignment);
    void *at = memory_.get();
    std::size_t room = size + argumentAlignment;
    at = std::align(argumentAlignment, size, at, room);
    for (std::uint32_t i = 0; i != kernel.parameterCount; ++i) {
      std::memcpy(at, from[i], kernel.parameterSizes[i]);
      pointers_.push_back(at);
      at = static_cast<std::byte *>(at) + roundUp(kernel.parameterSizes[i], argumentAlignment);
    }
  }
  void *const *pointers() const { return pointers_.data(); }

private:
  std::unique_ptr<std::byte[]> memory_;
  std::vector<void *> pointers_;
};

} // namespace

/// A launch on its way. The SmcpuLaunch that kernels see points back here.
class Launch {
public:
  Launch(Device &device, Kernel &kernel, const LaunchShape &shape, void **arguments)
      : device_(device), kernel_(kernel), shape_(shape), arguments_(*kernel.code, arguments) {}

  void run();
  void print(std::string_view text);
  [[noreturn]] void failHere(cudaError_t error, const char *message);
  void checkAccess(const void *address, std::size_t size, int isWrite, const char *where);
  Device &device() { return device_; }
  static Launch &of(SmcpuLaunch *seen) { return *static_cast<Launch *>(seen->runtime); }

private:
  struct Block {
    std::uint64_t number;
    std::uint32_t x, y, z;
  };
  /// What one host thread is doing; the body that leaves a block early finds it as it was.
  struct Cursor {
    Launch *launch;
    std::uint64_t next, end;
    char *arena;
    Block block;
  };

  Block blockAt(std::uint64_t number) const;
  bool runBlocks(std::uint64_t begin, std::uint64_t end);
  static void runUntilEnd(void *cursor);
  void recordFailure(cudaError_t error, const std::string &message);
  std::string faultText(const HardwareFault &fault, const Block &block) const;
  std::string subject() const;
  void showOutput();
  void addCounts();

  Device &device_;
  Kernel &kernel_;
  const LaunchShape shape_;
  const Arguments arguments_;
  const AccessCheck accessCheck_ = accessCheckOfThisThread();
  SmcpuLaunch seen_{};
  std::vector<std::uint64_t> counts_;

  std::mutex mutex_;
  std::atomic<int> error_{cudaSuccess};
  std::string message_;
  std::map<std::uint64_t, std::string> output_; ///< by block, so that it reads the same every time
};

namespace {

thread_local std::uint64_t currentBlock = 0; ///< whose kernel code runs on this thread

extern "C" void failLaunch(SmcpuLaunch *seen, int error, const char *message) {
  Launch::of(seen).failHere(static_cast<cudaError_t>(error), message);
}

extern "C" void checkLaunchAccess(SmcpuLaunch *seen, const void *address, std::size_t size, int isWrite,
                                  const char *where) {
  Launch::of(seen).checkAccess(address, size, isWrite, where);
}

} // namespace

std::string Launch::subject() const {
  return "device " + std::to_string(device_.ordinal()) + ": kernel " + kernel_.code->name;
}

void Launch::run() {
  if (device_.faultDue(FaultKind::launch)) {
    recordFailure(cudaErrorLaunchFailure, subject() + ": launch failure injected by STREAMMAP_CPU_FAULT");
  } else {
    seen_.grid = plain(shape_.grid);
    seen_.block = plain(shape_.block);
    seen_.dynamicShared = static_cast<std::uint32_t>(shape_.dynamicShared);
    seen_.device = static_cast<std::uint32_t>(device_.ordinal());
    seen_.arguments = arguments_.pointers();
    seen_.globals = device_.globals();
    if (!platform().settings().countsFile.empty())
      counts_.resize(kernel_.code->counterCount);
    seen_.counters = counts_.empty() ? nullptr : counts_.data();
    seen_.fail = failLaunch;
    seen_.runtime = this;
    seen_.checkAccess = accessCheck_.checker ? checkLaunchAccess : nullptr;
    guardSignals();
    platform().workers().run(volume(shape_.grid), [this](std::uint64_t begin, std::uint64_t end) {
      return runBlocks(begin, end);
    });
  }
  showOutput();
  addCounts();
  if (const int error = error_.load()) {
    std::fprintf(stderr, "%s\n", message_.c_str());
    device_.fail(static_cast<cudaError_t>(error));
  }
}

Launch::Block Launch::blockAt(std::uint64_t number) const {
  const std::uint64_t x = shape_.grid.x, y = shape_.grid.y;
  return {number, static_cast<std::uint32_t>(number % x), static_cast<std::uint32_t>(number / x % y),
          static_cast<std::uint32_t>(number / x / y)};
}

void Launch::runUntilEnd(void *argument) {
  Cursor &cursor = *static_cast<Cursor *>(argument);
  Launch &launch = *cursor.launch;
  for (; cursor.next != cursor.end; ++cursor.next) {
    if (launch.error_.load(std::memory_order_relaxed) != cudaSuccess)
      return;
    cursor.block = launch.blockAt(cursor.next);
    currentBlock = cursor.next;
    launch.kernel_.code->run(&launch.seen_, cursor.block.x, cursor.block.y, cursor.block.z, cursor.arena);
  }
}

bool Launch::runBlocks(std::uint64_t begin, std::uint64_t end) {
  const std::size_t shared = kernel_.code->staticShared + shape_.dynamicShared;
  Cursor cursor{this, begin, end, blockArena(shared), {}};
  if (!cursor.arena) {
    recordFailure(cudaErrorMemoryAllocation,
                  subject() + ": no host memory for shared memory of " + std::to_string(shared) + " bytes");
    return false;
  }
  HardwareFault fault;
  if (runGuarded(runUntilEnd, &cursor, fault) == BlockExit::faulted) {
    const bool memory = fault.signal == SIGSEGV || fault.signal == SIGBUS;
    recordFailure(memory                   ? cudaErrorIllegalAddress
                  : fault.signal == SIGILL ? cudaErrorIllegalInstruction
                                           : cudaErrorLaunchFailure,
                  faultText(fault, cursor.block));
  }
  return error_.load(std::memory_order_relaxed) == cudaSuccess;
}

std::string Launch::faultText(const HardwareFault &fault, const Block &block) const {
  const std::string where = subject() + ": block (" + std::to_string(block.x) + "," +
                            std::to_string(block.y) + "," + std::to_string(block.z) + "): ";
  if (fault.signal == SIGFPE)
    return where + "integer division by zero";
  if (fault.signal == SIGILL)
    return where + "illegal instruction";
  const char *access = fault.access == HardwareFault::Access::write  ? "illegal write"
                       : fault.access == HardwareFault::Access::read ? "illegal read"
                                                                     : "illegal access";
  return where + access + " at address " + addressText(fault.address) + ", " +
         platform().addresses().describe(fault.address);
}

void Launch::recordFailure(cudaError_t error, const std::string &message) {
  std::lock_guard lock(mutex_);
  if (error_.load() != cudaSuccess)
    return;
  message_ = message;
  error_.store(error);
}

void Launch::failHere(cudaError_t error, const char *message) {
  // An assertion's line is CUDA's own, to the letter: scripts look for it.
  recordFailure(error, error == cudaErrorAssert ? message : subject() + ": " + message);
  leaveBlock();
}

void Launch::checkAccess(const void *address, std::size_t size, int isWrite, const char *where) {
  const char *wrong = accessCheck_.checker(accessCheck_.context, address, size, isWrite);
  if (!wrong)
    return;
  char message[512]; // nothing with a destructor: failHere jumps out of the block
  std::snprintf(message, sizeof message, "%s: the %s of %zu bytes is %s", where, isWrite ? "write" : "read",
                size, wrong);
  failHere(cudaErrorIllegalAddress, message);
}

void Launch::print(std::string_view text) {
  std::lock_guard lock(mutex_);
  output_[currentBlock] += text;
}

void Launch::showOutput() {
  for (const auto &[block, text] : output_)
    device_.print(text);
}

void Launch::addCounts() {
  ++kernel_.launches;
  if (counts_.empty())
    return;
  std::lock_guard lock(kernel_.countsMutex);
  kernel_.counts.resize(counts_.size());
  for (std::size_t i = 0; i != counts_.size(); ++i)
    kernel_.counts[i] += counts_[i];
}

int dynamicSharedLimit(const Kernel &kernel) {
  const int fixed = static_cast<int>(kernel.code->staticShared);
  const int asked = kernel.dynamicSharedLimit.load();
  return asked >= 0 ? asked : std::max(0, DeviceLimits::sharedPerBlock - fixed);
}

cudaError_t checkShape(const Kernel &kernel, const LaunchShape &shape) {
  using L = DeviceLimits;
  const dim3 &grid = shape.grid, &block = shape.block;
  if (volume(grid) == 0 || volume(block) == 0)
    return cudaErrorInvalidConfiguration;
  if (block.x > L::blockX || block.y > L::blockY || block.z > L::blockZ || volume(block) > L::threadsPerBlock)
    return cudaErrorInvalidConfiguration;
  if (grid.x > L::gridX || grid.y > L::gridY || grid.z > L::gridZ)
    return cudaErrorInvalidConfiguration;
  if (volume(block) > kernel.code->maxThreadsPerBlock)
    return cudaErrorLaunchOutOfResources;
  if (shape.dynamicShared > static_cast<std::size_t>(dynamicSharedLimit(kernel)))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

int blocksPerMultiprocessor(const Kernel &kernel, int threadsPerBlock, std::size_t dynamicShared) {
  using L = DeviceLimits;
  if (threadsPerBlock > static_cast<int>(kernel.code->maxThreadsPerBlock) ||
      dynamicShared > static_cast<std::size_t>(dynamicSharedLimit(kernel)))
    return 0;
  const int warps = (threadsPerBlock + 31) / 32;
  const std::size_t shared = kernel.code->staticShared + dynamicShared + L::sharedReservedPerBlock;
  const std::size_t byShared = L::sharedPerMultiprocessor / shared;
  return std::min(
      {L::blocksPerMultiprocessor, L::threadsPerMultiprocessor / 32 / warps, static_cast<int>(byShared)});
}

void launch(Device &device, Stream &stream, Kernel &kernel, const LaunchShape &shape, void **arguments) {
  auto made = std::make_unique<Launch>(device, kernel, shape, arguments);
  device.submit(stream, [made = std::move(made)] { made->run(); });
}

} // namespace streammap::cpu

using namespace streammap::cpu;

void *smcpuBlockScratch(SmcpuLaunch *launch, uint32_t piece, size_t size) {
  void *memory = blockScratch(piece, size);
  if (!memory)
    Launch::of(launch).failHere(cudaErrorMemoryAllocation,
                                "no host memory for the state of a block's threads");
  return memory;
}

int smcpuPrintf(SmcpuLaunch *launch, const char *format, const void *packedArguments) {
  // Formatted before any lock is taken: a bad format or string may fault, and then the block is left for good
  // (and this text with it).
  std::string text;
  const int arguments = formatDevicePrintf(text, format, packedArguments);
  Launch::of(launch).print(text);
  return arguments;
}

void *smcpuDeviceMalloc(SmcpuLaunch *launch, size_t size) {
  return Launch::of(launch).device().heapAllocate(size);
}

void smcpuDeviceFree(SmcpuLaunch *launch, void *pointer) {
  Launch::of(launch).device().heapFree(pointer);
}
