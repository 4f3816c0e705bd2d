#include "model/Occupancy.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace streammap {
namespace {

constexpr unsigned warpSize = 32;
constexpr unsigned registersUnit = 256; // per warp
constexpr unsigned mostThreadsPerBlock = 1024;

constexpr std::array<MultiprocessorLimits, 16> table{{
    // capability, threads, blocks, shared, per block, reserved, unit, partitions
    {"6.0", 2048, 32, kibibytes(64), kibibytes(48), Bytes(), bytes(256), 2},
    {"6.1", 2048, 32, kibibytes(96), kibibytes(48), Bytes(), bytes(256), 4},
    {"6.2", 2048, 32, kibibytes(64), kibibytes(48), Bytes(), bytes(256), 4},
    {"7.0", 2048, 32, kibibytes(96), kibibytes(96), Bytes(), bytes(256), 4},
    {"7.2", 2048, 32, kibibytes(96), kibibytes(96), Bytes(), bytes(256), 4},
    {"7.5", 1024, 16, kibibytes(64), kibibytes(64), Bytes(), bytes(256), 4},
    {"8.0", 2048, 32, kibibytes(164), kibibytes(163), kibibytes(1), bytes(128), 4},
    {"8.6", 1536, 16, kibibytes(100), kibibytes(99), kibibytes(1), bytes(128), 4},
    {"8.7", 1536, 16, kibibytes(164), kibibytes(163), kibibytes(1), bytes(128), 4},
    {"8.9", 1536, 24, kibibytes(100), kibibytes(99), kibibytes(1), bytes(128), 4},
    {"9.0", 2048, 32, kibibytes(228), kibibytes(227), kibibytes(1), bytes(128), 4},
    {"10.0", 2048, 32, kibibytes(228), kibibytes(227), kibibytes(1), bytes(128), 4},
    {"10.3", 2048, 32, kibibytes(228), kibibytes(227), kibibytes(1), bytes(128), 4},
    {"11.0", 1536, 24, kibibytes(228), kibibytes(227), kibibytes(1), bytes(128), 4},
    {"12.0", 1536, 24, kibibytes(100), kibibytes(99), kibibytes(1), bytes(128), 4},
    {"12.1", 1536, 24, kibibytes(100), kibibytes(99), kibibytes(1), bytes(128), 4},
}};

/// "9.0" -> 900, "10.3" -> 1003; nothing for other text.
std::optional<unsigned> asNumber(std::string_view capability) {
  const std::size_t dot = capability.find('.');
  if (dot == std::string_view::npos)
    return std::nullopt;
  const auto whole = [](std::string_view digits) -> std::optional<unsigned> {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty() || value > 99)
      return std::nullopt;
    return value;
  };
  const auto major = whole(capability.substr(0, dot)), minor = whole(capability.substr(dot + 1));
  return major && minor ? std::optional(*major * 100 + *minor) : std::nullopt;
}

/// "sm_90a" -> 900: the last digit is the minor number.
std::optional<unsigned> numberOfArchitecture(std::string_view architecture) {
  if (!architecture.starts_with("sm_"))
    return std::nullopt;
  std::string_view digits = architecture.substr(3);
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  if (digits.size() < 2)
    return std::nullopt;
  return asNumber(std::string(digits.substr(0, digits.size() - 1)) + "." +
                  std::string(digits.substr(digits.size() - 1)));
}

constexpr std::uint64_t roundedUp(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Nothing where registers do not limit.
std::optional<std::uint64_t> blocksByRegisters(unsigned perThread, unsigned warps,
                                               const MultiprocessorLimits &limits) {
  if (perThread == 0)
    return std::nullopt;
  const std::uint64_t perWarp = roundedUp(std::uint64_t{perThread} * warpSize, registersUnit);
  // The check at launch takes the warps to be spread evenly over all partitions.
  if (perThread > limits.registersPerThread ||
      perWarp * roundedUp(warps, limits.partitions) > limits.registersPerBlock)
    return 0;
  const std::uint64_t warpsPerPartition = limits.registers / limits.partitions / perWarp;
  return warpsPerPartition * limits.partitions / warps;
}

std::optional<std::uint64_t> blocksByShared(Bytes wanted, const MultiprocessorLimits &limits) {
  const auto whole = [](Bytes size) { return static_cast<std::uint64_t>(size.value()); };
  const std::uint64_t each = roundedUp(whole(wanted + limits.reservedPerBlock), whole(limits.sharedUnit));
  if (each > whole(limits.sharedPerBlock + limits.reservedPerBlock))
    return 0;
  return each == 0 ? std::nullopt : std::optional(whole(limits.shared) / each);
}

} // namespace

std::string_view toText(OccupancyLimiter limiter) {
  static constexpr std::string_view names[] = {"threads", "blocks", "registers", "shared memory",
                                               "does not fit"};
  return names[static_cast<std::size_t>(limiter)];
}

const MultiprocessorLimits *limitsOf(std::string_view capability) {
  const std::optional<unsigned> wanted = asNumber(capability);
  if (!wanted)
    return nullptr;
  const MultiprocessorLimits *best = nullptr;
  for (const MultiprocessorLimits &limits : table)
    if (const unsigned own = *asNumber(limits.capability); own / 100 == *wanted / 100 && own <= *wanted)
      best = &limits;
  return best;
}

double blocksOf(const Launch &launch) {
  return static_cast<double>(launch.grid[0]) * static_cast<double>(launch.grid[1]) *
         static_cast<double>(launch.grid[2]);
}

unsigned threadsPerBlock(const Launch &launch) {
  return static_cast<unsigned>(launch.block[0] * launch.block[1] * launch.block[2]);
}

Occupancy occupancyOf(const KernelResources &resources, const Launch &launch,
                      const MultiprocessorLimits &limits) {
  Occupancy result;
  result.mostWarps = limits.threads / warpSize;
  const unsigned threads = threadsPerBlock(launch);
  const unsigned warps = (threads + warpSize - 1) / warpSize;
  if (threads == 0 || threads > mostThreadsPerBlock) {
    result.limiter = OccupancyLimiter::nothingFits;
    return result;
  }
  std::uint64_t most = result.mostWarps / warps;
  result.limiter = OccupancyLimiter::threads;
  const auto limit = [&](std::optional<std::uint64_t> blocks, OccupancyLimiter by) {
    if (blocks && *blocks < most) {
      most = *blocks;
      result.limiter = by;
    }
  };
  limit(limits.blocks, OccupancyLimiter::blocks);
  limit(blocksByRegisters(resources.registersPerThread, warps, limits), OccupancyLimiter::registers);
  limit(blocksByShared(resources.staticShared + launch.dynamicShared, limits), OccupancyLimiter::shared);
  if (most == 0)
    result.limiter = OccupancyLimiter::nothingFits;
  result.blocks = static_cast<unsigned>(most);
  result.warps = result.blocks * warps;
  return result;
}

WavePlan wavesOf(double blocks, unsigned blocksEach, unsigned multiprocessors) {
  WavePlan plan;
  plan.waves = blocks / (static_cast<double>(blocksEach) * multiprocessors);
  plan.rounds = std::ceil(plan.waves);
  plan.multiprocessorsNeeded = static_cast<unsigned>(std::min<double>(blocks, multiprocessors));
  return plan;
}

const KernelResources *resourcesFor(const Kernel &kernel, std::string_view capability) {
  const unsigned wanted = asNumber(capability).value_or(0);
  const KernelResources *older = nullptr, *newer = nullptr;
  unsigned olderNumber = 0, newerNumber = 0;
  for (const auto &[architecture, resources] : kernel.resources) {
    const std::optional<unsigned> own = numberOfArchitecture(architecture);
    if (!own)
      continue;
    if (*own <= wanted && (!older || *own > olderNumber)) {
      older = &resources;
      olderNumber = *own;
    }
    if (*own > wanted && (!newer || *own < newerNumber)) {
      newer = &resources;
      newerNumber = *own;
    }
  }
  return older ? older : newer;
}

} // namespace streammap
