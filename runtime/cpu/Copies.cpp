#include "cpu/Copies.h"
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace streammap::cpu {
namespace {

std::uintptr_t addressOf(const Place &place) {
  return reinterpret_cast<std::uintptr_t>(place.base);
}

/// From the first byte of a box to its last.
std::size_t spanOf(const Place &place, const Extent &extent) {
  return ((extent.depth - 1) * place.rows + extent.height - 1) * place.pitch + extent.width;
}

char *rowOf(const Place &place, std::size_t y, std::size_t z) {
  return place.base + (z * place.rows + y) * place.pitch;
}

bool isEmpty(const Extent &extent) {
  return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

template <class RowWork>
void forEachRow(const Extent &extent, RowWork work) {
  for (std::size_t z = 0; z != extent.depth; ++z)
    for (std::size_t y = 0; y != extent.height; ++y)
      work(y, z);
}

void copyRows(const Copy &what) {
  const Extent &extent = what.extent;
  if (what.to.pitch == extent.width && what.from.pitch == extent.width && extent.depth == 1) {
    std::memmove(what.to.base, what.from.base, extent.width * extent.height);
    return;
  }
  forEachRow(extent, [&](std::size_t y, std::size_t z) {
    std::memmove(rowOf(what.to, y, z), rowOf(what.from, y, z), extent.width);
  });
}

enum class Side { host, device, either };

Side sideOf(cudaMemcpyKind kind, cudaMemcpyKind asHost1, cudaMemcpyKind asHost2) {
  if (kind == cudaMemcpyDefault)
    return Side::either;
  return kind == asHost1 || kind == asHost2 ? Side::host : Side::device;
}

/// Whether a box is what the caller says: known memory all along, or memory of the host's own.
bool isSound(const Place &place, const Extent &extent, Side side) {
  if (!place.base)
    return false;
  AddressMap &addresses = platform().addresses();
  const std::size_t span = spanOf(place, extent);
  const auto range = addresses.find(addressOf(place));
  if (side == Side::host)
    return !range || !isDeviceOnly(range->kind);
  if (!range && side == Side::either)
    return true;
  // Pinned host memory is as good as device memory here, as it is under unified addressing.
  return addresses.covered(addressOf(place), span) == span;
}

/// Memory that the CUDA calls know nothing of.
bool isPageable(const Place &place) {
  return !platform().addresses().find(addressOf(place));
}

cudaError_t check(const Copy &what) {
  if (what.kind < cudaMemcpyHostToHost || what.kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  const Extent &extent = what.extent;
  const bool manyRows = extent.height > 1 || extent.depth > 1;
  if (manyRows && (what.to.pitch < extent.width || what.from.pitch < extent.width))
    return cudaErrorInvalidPitchValue;
  const Side to = sideOf(what.kind, cudaMemcpyHostToHost, cudaMemcpyDeviceToHost);
  const Side from = sideOf(what.kind, cudaMemcpyHostToHost, cudaMemcpyHostToDevice);
  return isSound(what.to, extent, to) && isSound(what.from, extent, from) ? cudaSuccess
                                                                          : cudaErrorInvalidValue;
}

/// What the stream does: the transfer, unless it is the one that shall fail.
Work transfer(Device &device, Work work) {
  return [&device, work = std::move(work)]() mutable {
    if (!device.faultDue(FaultKind::copy)) {
      work();
      return;
    }
    std::fprintf(stderr, "device %d: copy failure injected by STREAMMAP_CPU_FAULT\n", device.ordinal());
    device.fail(cudaErrorECCUncorrectable);
  };
}

/// The copy with its source's bytes taken now.
Work stagedCopy(Copy what) {
  const Extent &extent = what.extent;
  std::vector<char> bytes(extent.width * extent.height * extent.depth);
  const Place staged{bytes.data(), extent.width, extent.height};
  copyRows({staged, what.from, extent, what.kind});
  return [what, bytes = std::move(bytes)]() mutable {
    what.from = {bytes.data(), what.extent.width, what.extent.height};
    copyRows(what);
  };
}

} // namespace

cudaError_t copy(Device &device, Stream &stream, Copy what, Waiting waiting) {
  if (isEmpty(what.extent))
    return cudaSuccess;
  if (const cudaError_t error = check(what); error != cudaSuccess)
    return error;
  if (waiting == Waiting::inStream && !isPageable(what.to)) {
    Work work = isPageable(what.from) ? stagedCopy(what) : Work([what] { copyRows(what); });
    device.submit(stream, transfer(device, std::move(work)));
    return cudaSuccess;
  }
  device.run(stream, transfer(device, [what] { copyRows(what); }));
  device.flushOutput();
  return device.failure();
}

cudaError_t fill(Device &device, Stream &stream, const Place &place, int value, const Extent &extent,
                 Waiting waiting) {
  if (isEmpty(extent))
    return cudaSuccess;
  if ((extent.height > 1 || extent.depth > 1) && place.pitch < extent.width)
    return cudaErrorInvalidPitchValue;
  if (!isSound(place, extent, Side::device))
    return cudaErrorInvalidValue;
  Work work = transfer(device, [=] {
    forEachRow(extent,
               [&](std::size_t y, std::size_t z) { std::memset(rowOf(place, y, z), value, extent.width); });
  });
  if (waiting == Waiting::inStream) {
    device.submit(stream, std::move(work));
    return cudaSuccess;
  }
  device.run(stream, std::move(work));
  return device.failure();
}

cudaError_t symbolPlace(Device &device, const void *symbol, std::size_t size, std::size_t offset,
                        char *&place) {
  Variable variable{};
  if (!platform().modules().variable(symbol, variable))
    return cudaErrorInvalidSymbol;
  if (offset > variable.code->size || size > variable.code->size - offset)
    return cudaErrorInvalidValue;
  place = static_cast<char *>(device.address(variable)) + offset;
  return cudaSuccess;
}

} // namespace streammap::cpu
