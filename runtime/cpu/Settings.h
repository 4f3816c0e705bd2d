#pragma once
// What the environment says about the CPU device. Read once, when the process first touches CUDA.
//
//   STREAMMAP_CPU_DEVICES=8           devices in this process (default 1)
//   STREAMMAP_CPU_MEMORY=256MiB       memory of each device (default 4GiB)
//   STREAMMAP_CPU_THREADS=4           host threads that run blocks (default: the cores this process may use)
//   STREAMMAP_CPU_FAULT=launch:3@1    the third launch on device 1 fails; several, separated by commas
//   STREAMMAP_CPU_COUNTS=counts.json  write what the kernels counted, at exit
#include "support/Expected.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace streammap::cpu {

/// What STREAMMAP_CPU_FAULT can make fail: a launch with cudaErrorLaunchFailure when the kernel runs, an
/// allocation of device memory with cudaErrorMemoryAllocation, a copy or fill with cudaErrorECCUncorrectable
/// when it runs.
enum class FaultKind { launch, malloc, copy };

struct Fault {
  FaultKind kind;
  std::uint64_t number; ///< counts from 1, per device
  int device;
};

struct Settings {
  int deviceCount = 1;
  std::size_t deviceMemory = std::size_t{4} << 30;
  int threads = 1;
  std::vector<Fault> faults;
  std::string countsFile; ///< empty: do not count
};

/// The value of an environment variable, if it is set.
using Environment = std::function<std::optional<std::string>(const char *name)>;

/// Fails on the first variable that does not make sense, naming it, what it holds and what it may hold.
Expected<Settings> readSettings(const Environment &environment);

/// The process's own variables.
std::optional<std::string> processEnvironment(const char *name);

} // namespace streammap::cpu
