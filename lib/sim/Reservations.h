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

/// Disjoint intervals by start; `earliest` finds room between them. They are kept in chunks that know their
/// widest gap, so that a search passes over what is full and an insertion moves few.
class BusyTimes {
public:
  /// The first moment from `ready` on at which `length` fits. O(log n + n / 32), and less where gaps are
  /// wide.
  Seconds earliest(Seconds ready, Seconds length) const;
  /// O(log n + 32 + n / 32).
  void add(Interval interval);
  /// The same; what touches a neighbour in its chunk becomes one interval with it.
  void addJoined(Interval interval);
  Seconds lastEnd() const { return chunks_.empty() ? Seconds() : chunks_.back().items.back().end; }
  bool empty() const { return chunks_.empty(); }
  std::vector<Interval> intervals() const;

  /// Calls `visit` with every interval that ends after `from` and starts before `to`, by start.
  template <class Visit>
  void visit(Seconds from, Seconds to, Visit visit) const {
    for (std::size_t c = firstChunk(from); c < chunks_.size(); ++c)
      for (const Interval &interval : chunks_[c].items) {
        if (interval.start >= to)
          return;
        if (interval.end > from)
          visit(interval);
      }
  }

private:
  struct Chunk {
    std::vector<Interval> items; ///< never empty
    Seconds widest;              ///< of the gaps before its items
  };

  std::size_t firstChunk(Seconds endsAfter) const;
  std::size_t chunkFor(Interval interval) const;
  void measure(std::size_t chunk);
  void changed(std::size_t chunk);

  std::vector<Chunk> chunks_;
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
