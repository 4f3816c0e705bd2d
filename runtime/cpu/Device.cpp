#include "cpu/Device.h"
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace streammap::cpu {
namespace {

constexpr std::size_t chargeUnit = 512; // what one allocation costs at least
constexpr std::size_t heapHeader = 16;  // in front of each piece of in-kernel malloc

std::size_t roundUp(std::size_t size, std::size_t to) {
  return (size + to - 1) / to * to;
}

} // namespace

Device::Device(int ordinal, const Settings &settings, AddressMap &addresses, Modules &modules)
    : ordinal_(ordinal), memoryLimit_(settings.deviceMemory), faults_(settings.faults), addresses_(addresses),
      modules_(modules),
      legacy_(std::make_unique<Stream>(StreamTraits{.kind = StreamKind::legacy, .device = ordinal})),
      globals_(std::make_unique<void *[]>(Modules::most)),
      limits_{{cudaLimitStackSize, 1024},
              {cudaLimitPrintfFifoSize, std::size_t{1} << 20},
              {cudaLimitMallocHeapSize, std::size_t{8} << 20},
              {cudaLimitDevRuntimeSyncDepth, 2},
              {cudaLimitDevRuntimePendingLaunchCount, 2048},
              {cudaLimitMaxL2FetchGranularity, 64},
              {cudaLimitPersistingL2CacheSize, 0}} {}

Device::~Device() = default;

// --- memory

std::size_t Device::memoryFree() const {
  const std::size_t used = memoryUsed_.load();
  return used < memoryLimit_ ? memoryLimit_ - used : 0;
}

bool Device::charge(std::size_t size) {
  if (faultDue(FaultKind::malloc))
    return false;
  std::size_t used = memoryUsed_.load();
  do {
    if (size > memoryLimit_ || used > memoryLimit_ - size)
      return false;
  } while (!memoryUsed_.compare_exchange_weak(used, used + size));
  return true;
}

void Device::uncharge(std::size_t size) {
  memoryUsed_.fetch_sub(size);
}

cudaError_t Device::allocate(void **pointer, std::size_t size) {
  *pointer = nullptr;
  if (size == 0)
    return cudaSuccess;
  const std::size_t cost = roundUp(size, chargeUnit);
  if (cost < size || !charge(cost))
    return cudaErrorMemoryAllocation;
  std::optional<MemoryRange> range = mapGuarded(size);
  if (!range) {
    uncharge(cost);
    return cudaErrorMemoryAllocation;
  }
  range->kind = MemoryKind::device;
  range->device = ordinal_;
  range->charged = cost;
  addresses_.add(*range);
  *pointer = reinterpret_cast<void *>(range->begin);
  return cudaSuccess;
}

void Device::release(const MemoryRange &range) {
  uncharge(range.charged);
  unmapGuarded(range);
}

// --- streams

Stream &Device::createStream(StreamKind kind, unsigned flags, int priority) {
  std::lock_guard lock(streamsMutex_);
  reap();
  const StreamTraits traits{kind, ordinal_, priority, flags, nextStream_++};
  return *streams_.emplace_back(std::make_unique<Stream>(traits));
}

void Device::destroyStream(Stream &stream) {
  std::lock_guard lock(streamsMutex_);
  const auto found = std::ranges::find(streams_, &stream, &std::unique_ptr<Stream>::get);
  assert(found != streams_.end() && "the caller has checked that the stream is ours");
  stream.close();
  retired_.push_back(std::move(*found));
  streams_.erase(found);
  reap();
}

/// Under the lock: lets go of destroyed streams that have finished.
void Device::reap() {
  std::erase_if(retired_, [](const auto &stream) { return stream->last().reached(); });
}

bool Device::owns(const Stream *stream) const {
  std::lock_guard lock(streamsMutex_);
  return stream == legacy_.get() ||
         std::ranges::find(streams_, stream, &std::unique_ptr<Stream>::get) != streams_.end();
}

/// Under the lock: what CUDA's default-stream rules make new work of `stream` wait for.
Points Device::orderingPoints(const Stream &stream) const {
  Points points;
  const auto add = [&](const Stream &other) {
    if (Point last = other.last(); !last.reached())
      points.push_back(std::move(last));
  };
  if (stream.traits().kind == StreamKind::blocking)
    add(*legacy_);
  if (stream.traits().kind == StreamKind::legacy) {
    for (const auto *list : {&streams_, &retired_})
      for (const auto &other : *list)
        if (other->traits().kind == StreamKind::blocking)
          add(*other);
  }
  return points;
}

Work Device::unlessFailed(Work work) {
  return [this, work = std::move(work)]() mutable {
    if (failure() == cudaSuccess)
      work();
  };
}

Point Device::submit(Stream &stream, Work work, Points after) {
  std::lock_guard lock(streamsMutex_);
  Points points = orderingPoints(stream);
  points.insert(points.end(), std::make_move_iterator(after.begin()), std::make_move_iterator(after.end()));
  return stream.submit(unlessFailed(std::move(work)), std::move(points));
}

Point Device::submitAlways(Stream &stream, Work work) {
  std::lock_guard lock(streamsMutex_);
  return stream.submit(std::move(work), orderingPoints(stream));
}

void Device::run(Stream &stream, Work work, Points after) {
  Points points;
  {
    std::lock_guard lock(streamsMutex_);
    points = orderingPoints(stream);
  }
  // Work that others submit from here on is not ordered with this one by the program either: it comes from
  // other host threads.
  points.insert(points.end(), std::make_move_iterator(after.begin()), std::make_move_iterator(after.end()));
  stream.run(unlessFailed(std::move(work)), std::move(points));
}

void Device::synchronize(Stream &stream) {
  Points points;
  {
    std::lock_guard lock(streamsMutex_);
    points = orderingPoints(stream);
    points.push_back(stream.last());
  }
  for (const Point &point : points)
    point.await();
  flushOutput();
}

void Device::synchronize() {
  Points points;
  {
    std::lock_guard lock(streamsMutex_);
    points.push_back(legacy_->last());
    for (const auto *list : {&streams_, &retired_})
      for (const auto &stream : *list)
        points.push_back(stream->last());
  }
  for (const Point &point : points)
    point.await();
  std::lock_guard lock(streamsMutex_);
  reap();
  flushOutput();
}

void Device::stopThreads() {
  std::lock_guard lock(streamsMutex_);
  for (const auto *list : {&streams_, &retired_})
    for (const auto &stream : *list)
      stream->stopThread();
  legacy_->stopThread();
  flushOutput();
}

// --- failure

void Device::fail(cudaError_t error) {
  int none = cudaSuccess;
  failure_.compare_exchange_strong(none, error, std::memory_order_acq_rel);
}

bool Device::faultDue(FaultKind kind) {
  const std::uint64_t number = ++counted_[static_cast<std::size_t>(kind)];
  return std::ranges::any_of(faults_, [&](const Fault &fault) {
    return fault.kind == kind && fault.device == ordinal_ && fault.number == number;
  });
}

// --- variables

/// Gives each module that has come since the last call its image on this device.
void Device::makeImages() {
  if (imageCount_ == modules_.count())
    return;
  for (const Module *module : modules_.fromSlot(imageCount_)) {
    ++imageCount_;
    if (module->code->imageSize == 0)
      continue;
    std::optional<MemoryRange> range = mapGuarded(module->code->imageSize);
    if (!range) {
      std::fprintf(stderr, "streammap: no memory for the %zu bytes of device variables of module %s\n",
                   module->code->imageSize, module->code->id);
      std::abort();
    }
    range->kind = MemoryKind::variable;
    range->device = ordinal_;
    addresses_.add(*range);
    void *image = reinterpret_cast<void *>(range->begin);
    if (module->code->image)
      std::memcpy(image, module->code->image, module->code->imageSize);
    globals_[module->slot] = image;
  }
}

void *const *Device::globals() {
  std::lock_guard lock(imagesMutex_);
  makeImages();
  return globals_.get();
}

void *Device::address(const Variable &variable) {
  std::lock_guard lock(imagesMutex_);
  makeImages();
  return static_cast<char *>(globals_[variable.module->slot]) + variable.code->offset;
}

void Device::dropImages() {
  std::lock_guard lock(imagesMutex_);
  for (std::uint32_t slot = 0; slot != imageCount_; ++slot) {
    if (const auto range = addresses_.remove(reinterpret_cast<std::uintptr_t>(globals_[slot])))
      unmapGuarded(*range);
    globals_[slot] = nullptr;
  }
  imageCount_ = 0;
}

// --- output

void Device::print(std::string_view text) {
  std::lock_guard lock(outputMutex_);
  output_ += text;
}

void Device::flushOutput() {
  std::lock_guard lock(outputMutex_);
  if (output_.empty())
    return;
  std::fwrite(output_.data(), 1, output_.size(), stdout);
  output_.clear();
}

// --- in-kernel malloc: no locks, since a faulting block never comes back to release one

void *Device::heapAllocate(std::size_t size) {
  const std::size_t cost = roundUp(size, heapHeader) + heapHeader;
  const std::size_t most = limit(cudaLimitMallocHeapSize);
  if (cost < size)
    return nullptr;
  std::size_t used = heapUsed_.load();
  do {
    if (cost > most || used > most - cost)
      return nullptr;
  } while (!heapUsed_.compare_exchange_weak(used, used + cost));
  char *memory = static_cast<char *>(std::malloc(cost));
  if (!memory) {
    heapUsed_.fetch_sub(cost);
    return nullptr;
  }
  std::memcpy(memory, &cost, sizeof cost);
  return memory + heapHeader;
}

void Device::heapFree(void *pointer) {
  if (!pointer)
    return;
  char *memory = static_cast<char *>(pointer) - heapHeader;
  std::size_t cost = 0;
  std::memcpy(&cost, memory, sizeof cost);
  heapUsed_.fetch_sub(cost);
  std::free(memory);
}

// --- settings of the program

std::size_t Device::limit(cudaLimit which) const {
  std::lock_guard lock(settingsMutex_);
  const auto found = limits_.find(which);
  return found == limits_.end() ? 0 : found->second;
}

cudaError_t Device::setLimit(cudaLimit which, std::size_t value) {
  std::lock_guard lock(settingsMutex_);
  const auto found = limits_.find(which);
  if (found == limits_.end())
    return cudaErrorUnsupportedLimit;
  found->second = value;
  return cudaSuccess;
}

cudaError_t Device::enablePeer(int peer) {
  std::lock_guard lock(settingsMutex_);
  return peers_.insert(peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
}

cudaError_t Device::disablePeer(int peer) {
  std::lock_guard lock(settingsMutex_);
  return peers_.erase(peer) != 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
}

void Device::reset() {
  synchronize();
  {
    std::lock_guard lock(streamsMutex_);
    retired_.clear();
    streams_.clear();
  }
  for (const MemoryRange &range : addresses_.removeDevice(ordinal_))
    release(range);
  dropImages();
  {
    std::lock_guard lock(settingsMutex_);
    peers_.clear();
  }
  failure_.store(cudaSuccess, std::memory_order_release);
}

} // namespace streammap::cpu
