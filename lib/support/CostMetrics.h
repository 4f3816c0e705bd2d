#pragma once
// What a kernel's work is measured in, by name: the keys of `kernels[].costs` in tasks.json, of the CPU
// device's counts, and of the cost tables in reports.
//
//   metricName(CostMetric::flopsFp32)          // "flops_fp32"
//   metricNamed("global_load_bytes")           // CostMetric::globalLoadBytes
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace streammap {

/// How many of each one instruction, thread or launch needs. The rules are in cpudevice/CountingRules.h.
enum class CostMetric : unsigned {
  flopsFp64,
  flopsFp32,
  flopsFp16,
  flopsBf16,
  flopsTensor,  ///< by matrix instructions, whatever the type
  flopsInteger, ///< integer arithmetic, shifts and bitwise logic
  flopsSpecial, ///< math functions: one per call of sin, exp, sqrt, ...
  globalLoadBytes,
  globalStoreBytes,
  sharedLoadBytes,
  sharedStoreBytes,
  localBytes,    ///< per-thread arrays and spills, loads and stores together
  constantBytes, ///< loads from __constant__ variables
  atomics,
  barriers, ///< arrivals of a thread at a block-wide barrier
  // What follows is derived from addresses by the static analysis (lib/analysis/MemoryBehaviour.h).
  globalLoadSectors,     ///< pieces of 32 bytes that the loads of all warps ask of the L2 cache
  globalStoreSectors,    ///< the same for stores
  footprintBytes,        ///< bytes of global memory that a launch touches, each counted once
  readFootprintBytes,    ///< those of them that it reads
  writtenFootprintBytes, ///< those of them that it writes
  sharedBankConflicts,   ///< passes over the banks of shared memory beyond the one each request needs
};

inline constexpr std::size_t costMetricCount = 21;
/// The first so many are counted instruction by instruction (cpudevice/CountingRules.h), also by a run.
inline constexpr std::size_t countedMetricCount = 15;

inline constexpr std::array<std::string_view, costMetricCount> costMetricNames{"flops_fp64",
                                                                               "flops_fp32",
                                                                               "flops_fp16",
                                                                               "flops_bf16",
                                                                               "flops_tensor",
                                                                               "flops_integer",
                                                                               "flops_special",
                                                                               "global_load_bytes",
                                                                               "global_store_bytes",
                                                                               "shared_load_bytes",
                                                                               "shared_store_bytes",
                                                                               "local_bytes",
                                                                               "constant_bytes",
                                                                               "atomics",
                                                                               "barriers",
                                                                               "global_load_sectors",
                                                                               "global_store_sectors",
                                                                               "footprint_bytes",
                                                                               "read_footprint_bytes",
                                                                               "written_footprint_bytes",
                                                                               "shared_bank_conflicts"};

constexpr std::string_view metricName(CostMetric metric) {
  return costMetricNames[static_cast<std::size_t>(metric)];
}

constexpr std::optional<CostMetric> metricNamed(std::string_view name) {
  for (std::size_t i = 0; i != costMetricCount; ++i)
    if (costMetricNames[i] == name)
      return static_cast<CostMetric>(i);
  return std::nullopt;
}

} // namespace streammap
