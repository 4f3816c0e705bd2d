#pragma once
// The least time data can take from one class of device to another, on an empty network: what lower bounds
// may charge for a transfer whose ends are not chosen yet.
//
// Between two devices of one class nothing is charged, since they may be the same device. Otherwise the data,
// by whatever detours, leaves the first class once, enters the second once, and crosses the network where no
// node has both; each of the three is charged at its best latency and at its best bandwidth, and the largest
// counts.
#include "sim/Problem.h"

namespace streammap {

class FastestWays {
public:
  /// O(node types x devices of a node ^2 + classes^2).
  explicit FastestWays(const Problem &problem);

  Seconds between(ClassId from, ClassId to, Bytes size) const;
  /// From host memory to a device of the class.
  Seconds fromHost(ClassId to, Bytes size) const { return enter_[to].time(size); }

private:
  /// The best of several ways in each respect by itself, so at least as fast as any of them.
  struct Way {
    std::optional<Seconds> latency; ///< nothing: no way seen yet
    BytesPerSecond bandwidth;
    void addChoice(Seconds otherLatency, BytesPerSecond otherBandwidth);
    Seconds time(Bytes size) const { return latency ? *latency + size / bandwidth : Seconds(); }
  };

  void addNode(const Problem &problem, const std::vector<DeviceId> &devices);

  IndexedVector<ClassId, Way> enter_, leave_;
  IndexedVector<ClassId, Way> nic_;                       ///< between the class's nodes and the network
  IndexedVector<ClassId, std::vector<NodeTypeId>> types_; ///< that have the class, ascending
  Seconds networkLatency_;
};

} // namespace streammap
