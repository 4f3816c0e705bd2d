#pragma once
// The process's CPU devices and all that belongs to them: the one piece of process-wide state in this
// library. It comes to life with the first CUDA call (usually the registration of a module, before main) and
// is never destroyed: other static objects may still free memory or destroy streams when the process ends.
#include "cpu/AddressMap.h"
#include "cpu/Device.h"
#include "cpu/Events.h"
#include "cpu/Launch.h"
#include "cpu/Modules.h"
#include "cpu/Settings.h"
#include "cpu/VirtualMemory.h"
#include "cpu/WorkerPool.h"
#include <memory>
#include <vector>

namespace streammap::cpu {

class Platform {
public:
  explicit Platform(Settings settings);

  const Settings &settings() const { return settings_; }
  AddressMap &addresses() { return addresses_; }
  Modules &modules() { return modules_; }
  WorkerPool &workers() { return workers_; }
  Events &events() { return events_; }
  VirtualMemory &virtualMemory() { return virtualMemory_; }
  int deviceCount() const { return static_cast<int>(devices_.size()); }
  Device &device(int ordinal) { return *devices_[static_cast<std::size_t>(ordinal)]; }
  bool isDevice(int ordinal) const { return ordinal >= 0 && ordinal < deviceCount(); }
  /// The device that owns the stream; null if none does.
  Device *ownerOf(const Stream *stream);
  void synchronizeAll();
  /// At exit: finishes all work, shows what kernels have printed, writes the counts.
  void finish();

private:
  const Settings settings_;
  AddressMap addresses_;
  Modules modules_;
  WorkerPool workers_;
  std::vector<std::unique_ptr<Device>> devices_;
  Events events_;
  VirtualMemory virtualMemory_;
};

/// Ends the process with a message when the environment makes no sense (Settings.h).
Platform &platform();

/// What stands between <<< and >>>, on its way from the call to the kernel's stub.
struct LaunchConfiguration {
  LaunchShape shape;
  cudaStream_t stream;
};

/// What CUDA keeps per host thread.
struct ThreadState {
  int device = 0;
  cudaError_t lastError = cudaSuccess;
  std::vector<Stream *> perThreadStreams;          ///< by device; null until used
  std::vector<LaunchConfiguration> configurations; ///< of <<<...>>> whose stub has yet to run

  ThreadState() = default;
  ThreadState(const ThreadState &) = delete;
  ThreadState &operator=(const ThreadState &) = delete;
  ~ThreadState();
};
ThreadState &threadState();

} // namespace streammap::cpu
