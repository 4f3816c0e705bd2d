#include "sim/CostModel.h"
#include <algorithm>
#include <cmath>

namespace streammap {
namespace {

constexpr double attainableArithmetic = 0.7;
constexpr double attainableBandwidth = 0.85;
constexpr Seconds launchCost = microseconds(4);
constexpr double threadsToFillMultiprocessor = 512;
constexpr Seconds memoryLatency{600e-9};
constexpr Bytes bytesInFlightPerThread{32};

struct Threads {
  double blocks = 0, threads = 0;
};

/// Of the task's largest launch; nothing when no launch is known.
std::optional<Threads> largestLaunch(const Task &task) {
  std::optional<Threads> largest;
  for (const Launch &launch : task.launches) {
    Threads t{1, 1};
    for (std::size_t i = 0; i < 3; ++i) {
      t.blocks *= static_cast<double>(launch.grid[i]);
      t.threads *= static_cast<double>(launch.grid[i] * launch.block[i]);
    }
    if (!largest || t.threads > largest->threads)
      largest = t;
  }
  return largest;
}

double fill(const std::optional<Threads> &launch, const GpuModel &model) {
  if (!launch || model.multiprocessors == 0 || launch->blocks < 1)
    return 1;
  const double busy = std::min<double>(launch->blocks, model.multiprocessors);
  const double threadsOnEach = launch->threads / busy;
  return busy / model.multiprocessors * std::min(1.0, threadsOnEach / threadsToFillMultiprocessor);
}

double inFlight(const std::optional<Threads> &launch, const GpuModel &model) {
  if (!launch || model.isCpu())
    return 1;
  const Bytes needed = model.memoryBandwidth * memoryLatency;
  return std::min(1.0, launch->threads * bytesInFlightPerThread / needed);
}

/// The model's rate for a type of arithmetic; where the datasheet has none, that of the type it runs as.
FlopsPerSecond peakOf(const GpuModel &model, FlopType type) {
  const FlopsPerSecond own = model.peak[static_cast<std::size_t>(type)];
  return own > FlopsPerSecond() ? own : model.peak[static_cast<std::size_t>(FlopType::fp32)];
}

} // namespace

std::optional<TimeEstimate> estimateTime(const Task &task, const GpuModel &model) {
  for (const std::string &name : {model.name, std::string("*")})
    if (auto given = task.seconds.find(name); given != task.seconds.end())
      return TimeEstimate{given->second, task.secondsOrigin, "given"};
  if (!task.seconds.empty() && !task.work)
    return std::nullopt; // times for other models only: this one is not meant
  if (model.memoryBandwidth <= BytesPerSecond() || peakOf(model, FlopType::fp32) <= FlopsPerSecond())
    return std::nullopt;
  if (!task.work)
    return TimeEstimate{defaultTaskTime, Origin::defaulted, "default"};

  const std::optional<Threads> launch = largestLaunch(task);
  const double share = std::max(1e-6, attainableArithmetic * fill(launch, model));
  TimeEstimate estimate{Seconds(), task.work->origin, "launch"};
  for (std::size_t i = 0; i < flopTypeCount; ++i) {
    const FlopType type = static_cast<FlopType>(i);
    const Flops amount = (*task.work)[type];
    if (amount <= Flops())
      continue;
    if (const Seconds time = amount / (peakOf(model, type) * share); time > estimate.time) {
      estimate.time = time;
      estimate.limiter = toText(type);
    }
  }
  const double traffic = std::max(1e-6, attainableBandwidth * inFlight(launch, model));
  if (const Seconds time = task.work->dram / (model.memoryBandwidth * traffic); time > estimate.time) {
    estimate.time = time;
    estimate.limiter = "dram";
  }
  if (!model.isCpu()) {
    const Seconds launches = launchCost * static_cast<double>(std::max<std::size_t>(1, task.launches.size()));
    if (launches > estimate.time)
      estimate.limiter = "launch";
    estimate.time += launches;
  }
  return estimate;
}

} // namespace streammap
