#pragma once
// Where the pieces of every buffer are on this rank, and how they get to where they are needed.
//
// A place is home (the memory the program knows) or one of the rank's devices. Before an operation uses a
// piece at a place it acquires it there: memory is committed behind it, evicting what nobody uses; missing
// bytes are copied; for a write all other copies become worthless. Who may use what when is decided by
// OperationGraph: here nobody writes a piece that another uses.
#include "streammap/Buffer.h"
#include "streammap/DevicePort.h"
#include "streammap/Operation.h"
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <set>
#include <span>

namespace streammap::engine {

inline constexpr int homePlace = -1;

/// Pinned and ordinary host memory is used where it lies, by tasks on a device too.
inline int placeOf(const Buffer &buffer, int wanted) {
  return buffer.kind == BufferKind::pinned || buffer.kind == BufferKind::host ? homePlace : wanted;
}

enum class Acquired { done, noRoom };

/// A copy that was made, for the trace.
struct Movement {
  const Buffer *buffer;
  int from, to; ///< local devices, homePlace
  std::uint64_t bytes;
  double start, end; ///< seconds, by `now`
};

class LocalMemory {
public:
  /// `onMovement` is told of every copy, from the thread that made it.
  LocalMemory(DevicePort &port, std::function<double()> now,
              std::function<void(const Movement &)> onMovement);

  /// Makes the bytes of all `uses` usable at `place` (or where placeOf says) until `release`. On `noRoom`
  /// nothing is held.
  Acquired acquire(std::span<const Use> uses, int place);
  void release(std::span<const Use> uses, int place);

  /// Where offset 0 of the buffer lies at `place`; for a device after an acquire there.
  char *address(const Buffer &buffer, int place) const;
  /// Declares that home has the only current version, for example because the program may have written it.
  void onlyHomeIsValid(Buffer &buffer);
  /// Gives the devices' memory back. Nobody may be using the buffer.
  void forget(Buffer &buffer);

  struct Occupant {
    std::string buffer;
    std::uint64_t bytes;
    std::uint64_t inUse; ///< bytes that a running operation holds
  };
  /// What fills a device, largest first.
  std::vector<Occupant> occupants(int device) const;
  std::uint64_t committedBytes(int device) const;
  std::uint64_t peakBytes(int device) const;

private:
  struct Move {
    const Buffer *buffer;
    int from, to;
    Intervals pieces;
  };
  using Lock = std::unique_lock<std::mutex>;

  MirrorState &mirrorOf(Buffer &buffer, int device);
  bool pin(Buffer &buffer, const Intervals &pieces, int device, Lock &lock);
  void unpin(Buffer &buffer, const Intervals &pieces, int device);
  void unpinAll(std::span<const Use> uses, int wanted);
  bool evictOne(int device, Lock &lock);
  void fill(Buffer &buffer, const Intervals &pieces, int place, Lock &lock);
  void takeForWriting(Buffer &buffer, const Intervals &pieces, int place, Lock &lock);
  void move(Buffer &buffer, const Intervals &pieces, int from, int to, Lock &lock);
  bool isMoving(const Buffer &buffer, const Intervals &pieces) const;

  DevicePort &port_;
  std::function<double()> now_;
  std::function<void(const Movement &)> onMovement_;
  mutable std::mutex mutex_;
  std::condition_variable moved_;
  std::list<Move> moves_;                 // under way
  std::vector<std::set<Buffer *>> users_; // by device: buffers with a mirror there
  std::vector<std::uint64_t> committed_, peak_;
  std::uint64_t clock_ = 0;
};

} // namespace streammap::engine
