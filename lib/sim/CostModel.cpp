#include "sim/CostModel.h"
#include "model/Occupancy.h"
#include <algorithm>
#include <cmath>

namespace streammap {
namespace {

constexpr double threadsToFillMultiprocessor = 512;
constexpr Seconds memoryLatency{600e-9};
constexpr Bytes bytesInFlightPerThread{32};
constexpr double defaultIsOffBy = 100;
constexpr double leastShare = 1e-6; // keeps a launch of nothing from taking forever

enum class Tail { none, blocks, waves };
enum class Overlap { full, none };

/// One reading of the model: the expected one, or an end of the interval.
struct Reading {
  double arithmetic, bandwidth; ///< shares of the peaks that are attained
  Seconds launch;
  bool cachesServe;
  double missedReuse; ///< share of the repeated requests beyond what the cache's size explains: 0 or 1
  Tail tail;
  Overlap overlap;
};

constexpr Reading expected{0.7, 0.85, microseconds(4), true, 0, Tail::blocks, Overlap::full};
constexpr Reading fastest{0.95, 0.92, microseconds(2), true, 0, Tail::none, Overlap::full};
constexpr Reading slowest{0.3, 0.5, microseconds(10), false, 1, Tail::waves, Overlap::none};

/// How a launch sits on the device.
struct Fit {
  double share = 1; ///< of the task's work
  double blocks = 0;
  double threadsEach = 0; ///< per block
  double blocksEach = 0;  ///< that a multiprocessor holds at a time
  bool isKnown = false;   ///< else nothing is known of the launch
};

Fit fitOf(const Launch &launch, const GpuModel &model, std::span<const Kernel> kernels) {
  Fit fit;
  fit.isKnown = true;
  fit.blocks = std::max(1.0, blocksOf(launch));
  fit.threadsEach = std::max(1u, threadsPerBlock(launch));
  const MultiprocessorLimits *limits = limitsOf(model.capability);
  KernelResources resources;
  if (launch.kernel.index() < kernels.size())
    if (const KernelResources *known = resourcesFor(kernels[launch.kernel.index()], model.capability))
      resources = *known;
  // A model that nobody described, or a launch that cannot start: as if the blocks came one by one.
  fit.blocksEach = limits ? std::max(1u, occupancyOf(resources, launch, *limits).blocks)
                          : std::max(1.0, std::floor(2048 / fit.threadsEach));
  return fit;
}

std::vector<Fit> fitsOf(const Task &task, const GpuModel &model, std::span<const Kernel> kernels) {
  std::vector<Fit> fits;
  double threads = 0;
  for (const Launch &launch : task.launches) {
    fits.push_back(fitOf(launch, model, kernels));
    threads += fits.back().blocks * fits.back().threadsEach;
  }
  for (Fit &fit : fits)
    fit.share = fit.blocks * fit.threadsEach / threads;
  if (fits.empty())
    fits.push_back({});
  return fits;
}

/// Share of the device's arithmetic that the launch keeps busy.
double fill(const Fit &fit, const GpuModel &model, Tail tail) {
  if (!fit.isKnown || model.multiprocessors == 0)
    return 1;
  const double multiprocessors = model.multiprocessors;
  const double most = std::ceil(fit.blocks / multiprocessors); // blocks of the busiest multiprocessor
  double balance = std::min(1.0, fit.blocks / multiprocessors);
  if (tail == Tail::blocks)
    balance = fit.blocks / (most * multiprocessors);
  if (tail == Tail::waves && !model.isCpu()) {
    const double wave = std::min(fit.blocksEach, most) * multiprocessors;
    balance = fit.blocks / (std::ceil(fit.blocks / wave) * wave);
  }
  const double resident = std::min(most, fit.blocksEach) * fit.threadsEach;
  return balance * (model.isCpu() ? 1 : std::min(1.0, resident / threadsToFillMultiprocessor));
}

double inFlight(const Fit &fit, const GpuModel &model) {
  if (!fit.isKnown || model.isCpu())
    return 1;
  double blocks = fit.blocks;
  if (model.multiprocessors != 0)
    blocks = std::min(blocks, fit.blocksEach * model.multiprocessors);
  const Bytes needed = model.memoryBandwidth * memoryLatency;
  return std::min(1.0, blocks * fit.threadsEach * bytesInFlightPerThread / needed);
}

/// Bytes that cross the memory's pins.
Bytes trafficOf(const Work &work, const GpuModel &model, const Reading &reading) {
  const Bytes repeated = std::max(Bytes(), work.requested.value_or(work.dram) - work.dram);
  const double missed = work.dram > Bytes() && reading.cachesServe && model.l2 > Bytes()
                            ? std::max(0.0, 1 - model.l2 / work.dram)
                            : 0.0;
  return work.dram + repeated * std::max(missed, reading.missedReuse);
}

/// The model's rate for a type of arithmetic; where the datasheet has none, that of the type it runs as.
FlopsPerSecond peakOf(const GpuModel &model, FlopType type) {
  const FlopsPerSecond own = model.peak[static_cast<std::size_t>(type)];
  return own > FlopsPerSecond() ? own : model.peak[static_cast<std::size_t>(FlopType::fp32)];
}

struct Bound {
  Seconds time;
  std::string_view name;
};

Bound arithmeticOf(const Work &work, const GpuModel &model, double share) {
  Bound most{Seconds(), "launch"};
  for (std::size_t i = 0; i < flopTypeCount; ++i) {
    const FlopType type = static_cast<FlopType>(i);
    if (work[type] <= Flops())
      continue;
    if (const Seconds time = work[type] / (peakOf(model, type) * share); time > most.time)
      most = {time, toText(type)};
  }
  return most;
}

Bound timeUnder(const Reading &reading, const Task &task, const GpuModel &model, std::span<const Fit> fits) {
  Seconds arithmetic, traffic, total;
  std::string_view type = "launch";
  const Bytes moved = trafficOf(*task.work, model, reading);
  for (const Fit &fit : fits) {
    const double lanes = std::max(leastShare, reading.arithmetic * fill(fit, model, reading.tail));
    const Bound one = arithmeticOf(*task.work, model, lanes / fit.share);
    const Seconds other =
        moved * fit.share /
        (model.memoryBandwidth * std::max(leastShare, reading.bandwidth * inFlight(fit, model)));
    arithmetic += one.time;
    traffic += other;
    total += reading.overlap == Overlap::full ? std::max(one.time, other) : one.time + other;
    if (one.time > Seconds())
      type = one.name;
  }
  const std::string_view limiter = traffic > arithmetic ? "dram" : type;
  if (model.isCpu())
    return {total, limiter};
  const Seconds launches = reading.launch * static_cast<double>(fits.size());
  return {total + launches, launches > total ? "launch" : limiter};
}

TimeEstimate exactly(Seconds time, Origin origin) {
  return {time, origin, "given", time, time};
}

} // namespace

std::optional<TimeEstimate> estimateTime(const Task &task, const GpuModel &model,
                                         std::span<const Kernel> kernels) {
  for (const std::string &name : {model.name, std::string("*")})
    if (auto given = task.seconds.find(name); given != task.seconds.end())
      return exactly(given->second, task.secondsOrigin);
  if (!task.seconds.empty() && !task.work)
    return std::nullopt; // times for other models only: this one is not meant
  if (model.memoryBandwidth <= BytesPerSecond() || peakOf(model, FlopType::fp32) <= FlopsPerSecond())
    return std::nullopt;
  if (!task.work)
    return TimeEstimate{defaultTaskTime, Origin::defaulted, "default", defaultTaskTime / defaultIsOffBy,
                        defaultTaskTime * defaultIsOffBy};
  const std::vector<Fit> fits = fitsOf(task, model, kernels);
  const Bound middle = timeUnder(expected, task, model, fits);
  return TimeEstimate{middle.time, task.work->origin, std::string(middle.name),
                      timeUnder(fastest, task, model, fits).time, timeUnder(slowest, task, model, fits).time};
}

std::optional<std::string> whyItCannotStart(const Task &task, const GpuModel &model,
                                            std::span<const Kernel> kernels) {
  const MultiprocessorLimits *limits = limitsOf(model.capability);
  if (!limits)
    return std::nullopt;
  for (const Launch &launch : task.launches) {
    if (launch.kernel.index() >= kernels.size())
      continue;
    const Kernel &kernel = kernels[launch.kernel.index()];
    const KernelResources *resources = resourcesFor(kernel, model.capability);
    const Bytes wanted = launch.dynamicShared + (resources ? resources->staticShared : Bytes());
    if (wanted > limits->sharedPerBlock)
      return "a block of '" + kernel.name + "' needs " + toText(wanted) + " of shared memory, " + model.name +
             " has " + toText(limits->sharedPerBlock) + " for a block";
  }
  return std::nullopt;
}

} // namespace streammap
