#pragma once
// One device: its memory budget, its streams, its images of the program's variables, and whether it has
// failed.
#include "cpu/AddressMap.h"
#include "cpu/Modules.h"
#include "cpu/Settings.h"
#include "cpu/Streams.h"
#include <atomic>
#include <driver_types.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace streammap::cpu {

/// The limits of the GPU whose code we run, compute capability 8.0 (CUDA C++ Programming Guide 13.0, "Compute
/// Capabilities", table "Technical Specifications per Compute Capability").
struct DeviceLimits {
  static constexpr int threadsPerBlock = 1024, blockX = 1024, blockY = 1024, blockZ = 64;
  static constexpr int gridX = 2147483647, gridY = 65535, gridZ = 65535;
  static constexpr int sharedPerBlock = 48 * 1024, sharedPerBlockOptIn = 163 * 1024;
  static constexpr int sharedPerMultiprocessor = 164 * 1024, sharedReservedPerBlock = 1024;
  static constexpr int threadsPerMultiprocessor = 2048, blocksPerMultiprocessor = 32;
  static constexpr int registersPerBlock = 65536, constantMemory = 65536;
};

class Device {
public:
  Device(int ordinal, const Settings &settings, AddressMap &addresses, Modules &modules);
  ~Device();

  int ordinal() const { return ordinal_; }

  // Memory.
  std::size_t memoryLimit() const { return memoryLimit_; }
  std::size_t memoryFree() const;
  /// Takes `size` bytes from the budget: false when they are not there, or when a fault is to be injected.
  bool charge(std::size_t size);
  void uncharge(std::size_t size);
  cudaError_t allocate(void **pointer, std::size_t size);
  /// Frees what allocate gave out on whichever device; the caller has waited for its users.
  void release(const MemoryRange &range);

  // Streams.
  Stream &legacyStream() { return *legacy_; }
  Stream &createStream(StreamKind kind, unsigned flags, int priority);
  /// Work already submitted still runs.
  void destroyStream(Stream &stream);
  bool owns(const Stream *stream) const;
  /// In the order CUDA promises: after all earlier work of the stream and, between the legacy default stream
  /// and blocking ones, of each other. Skipped once the device has failed.
  Point submit(Stream &stream, Work work, Points after = {});
  /// The same, returning when it is done.
  void run(Stream &stream, Work work, Points after = {});
  /// As submit, but runs on a failed device too.
  Point submitAlways(Stream &stream, Work work);
  /// Everything `stream` has to do before it is idle, the legacy default stream's rules included.
  void synchronize(Stream &stream);
  /// All streams. Shows what kernels have printed.
  void synchronize();

  // Failure: the first error of a kernel stays until cudaDeviceReset.
  cudaError_t failure() const { return static_cast<cudaError_t>(failure_.load(std::memory_order_acquire)); }
  void fail(cudaError_t error);
  /// Whether this is the launch, allocation or copy that the settings want to fail.
  bool faultDue(FaultKind kind);

  // The program's variables.
  /// SmcpuLaunch::globals.
  void *const *globals();
  void *address(const Variable &variable);

  // Output of kernels, shown at synchronisation points.
  void print(std::string_view text);
  void flushOutput();

  // In-kernel malloc.
  void *heapAllocate(std::size_t size);
  void heapFree(void *pointer);

  // Settings of the program.
  std::size_t limit(cudaLimit which) const;
  cudaError_t setLimit(cudaLimit which, std::size_t value);
  cudaError_t enablePeer(int peer);
  cudaError_t disablePeer(int peer);

  /// cudaDeviceReset: frees memory and streams, forgets failures, gives variables their first values.
  void reset();
  /// Finishes all work; streams run on the calling thread from now on.
  void stopThreads();

private:
  Points orderingPoints(const Stream &stream) const;
  Work unlessFailed(Work work);
  void makeImages();
  void dropImages();
  void reap();

  const int ordinal_;
  const std::size_t memoryLimit_;
  const std::vector<Fault> faults_;
  AddressMap &addresses_;
  Modules &modules_;

  std::atomic<std::size_t> memoryUsed_{0};
  std::atomic<int> failure_{cudaSuccess};
  std::atomic<std::uint64_t> counted_[3] = {};
  std::atomic<std::size_t> heapUsed_{0};

  mutable std::mutex streamsMutex_; ///< held while work is submitted: it fixes the order between streams
  std::unique_ptr<Stream> legacy_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Stream>> retired_; ///< destroyed by the program, but not yet done
  std::uint64_t nextStream_ = 1;

  std::mutex imagesMutex_;
  std::uint32_t imageCount_ = 0;
  std::unique_ptr<void *[]> globals_;

  std::mutex outputMutex_;
  std::string output_;

  mutable std::mutex settingsMutex_;
  std::map<cudaLimit, std::size_t> limits_;
  std::set<int> peers_;
};

} // namespace streammap::cpu
