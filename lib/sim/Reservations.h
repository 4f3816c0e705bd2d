#pragma once
// When each link is free. A transfer holds one channel of every link of its route, all for the same time: as
// long as its narrowest link needs for its bytes. The time a wide link is held for a transfer that a narrow
// one throttles is lost to others, so predictions under heavy sharing err on the slow side; fair sharing of a
// link by several flows at once (max-min, Bertsekas and Gallager, "Data Networks", 1992, 6.5.2) ends the last
// of them at the same time.
#include "sim/Fabric.h"

namespace streammap {

struct Interval {
  Seconds start, end;
};

/// Disjoint intervals by start; `earliest` finds room between them.
class BusyTimes {
public:
  /// The first moment from `ready` on at which `length` fits. O(log n + n / 64), and less where gaps are
  /// wide.
  Seconds earliest(Seconds ready, Seconds length) const;
  /// O(1) at the end, O(n) in the middle.
  void add(Interval interval);
  /// The same; what touches a neighbour becomes one interval with it.
  void addJoined(Interval interval);
  Seconds lastEnd() const { return busy_.empty() ? Seconds() : busy_.back().end; }
  bool empty() const { return busy_.empty(); }
  const std::vector<Interval> &intervals() const { return busy_; }

private:
  void updateGaps(std::size_t from);

  std::vector<Interval> busy_;
  std::vector<Seconds> widest_; ///< of each 64 intervals: the widest gap before one of them
};

class Reservations {
public:
  explicit Reservations(const Fabric &fabric);
  /// When a transfer of `size` that is ready at `ready` can start. Changes nothing.
  Seconds earliest(const Route &route, Bytes size, Seconds ready) const;
  /// Holds the links from `start`, as `earliest` returned it; returns the moment the data has arrived.
  Seconds reserve(const Route &route, Bytes size, Seconds start);
  /// How long the link carries at least one transfer.
  Seconds busy(LinkId link) const;

private:
  struct Free {
    Seconds start;
    std::size_t channel;
  };
  Free earliestOn(LinkId link, Seconds ready, Seconds length) const;

  const Fabric *fabric_;
  IndexedVector<LinkId, std::vector<BusyTimes>> channels_;
};

} // namespace streammap
