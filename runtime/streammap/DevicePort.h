#pragma once
// The engine's view of the devices of one rank: reserve, commit and copy. CudaDevicePort is the real one;
// tests use one that keeps its devices in ordinary memory and writes down what was asked.
#include "streammap/Intervals.h"
#include "streammap/Mirror.h"
#include <cstdint>
#include <string>
#include <vector>

namespace streammap::engine {

enum class Commit { done, outOfMemory };

/// A copy between two images of one buffer; the device is -1 for memory of the host.
struct Copy {
  int toDevice = -1;
  char *to = nullptr; ///< where offset 0 of the buffer lies
  int fromDevice = -1;
  const char *from = nullptr;
  std::vector<Rectangle> pieces;
};

/// Every failure other than lack of memory ends the job with the call's name (Failure.h), so nothing is
/// returned.
class DevicePort {
public:
  virtual ~DevicePort() = default;
  virtual int deviceCount() const = 0;
  virtual Mirror reserve(int device, std::uint64_t size) = 0;
  virtual void unreserve(Mirror &mirror) = 0;
  virtual Commit commit(Mirror &mirror, std::size_t granule) = 0;
  virtual void uncommit(Mirror &mirror, std::size_t granule) = 0;
  /// Whether `to` can be filled from `from` without going through the host.
  virtual bool reachesDirectly(int from, int to) const = 0;
  /// Returns when the bytes have arrived. Callable from any thread, several at once.
  virtual void copy(const Copy &copy) = 0;
};

} // namespace streammap::engine
