#include "streammap/LocalMemory.h"
#include <algorithm>
#include <cassert>

namespace streammap::engine {
namespace {

constexpr PlaceMask maskOf(int place) {
  return PlaceMask{1} << (place + 1);
}

/// The granules that `pieces` touch, each once, in order.
std::vector<std::size_t> granulesOf(const Mirror &mirror, const Intervals &pieces) {
  std::vector<std::size_t> granules;
  for (const Interval &piece : pieces)
    for (std::size_t g = piece.begin / mirror.granule; g <= (piece.end - 1) / mirror.granule; ++g)
      if (granules.empty() || granules.back() != g)
        granules.push_back(g);
  return granules;
}

Interval extentOf(const Buffer &buffer, const Mirror &mirror, std::size_t granule) {
  return {granule * mirror.granule, std::min<std::uint64_t>((granule + 1) * mirror.granule, buffer.size)};
}

} // namespace

LocalMemory::LocalMemory(DevicePort &port, std::function<double()> now,
                         std::function<void(const Movement &)> onMovement)
    : port_(port), now_(std::move(now)), onMovement_(std::move(onMovement)), users_(port.deviceCount()),
      committed_(port.deviceCount()), peak_(port.deviceCount()) {
  assert(port.deviceCount() < 63 && "a place is a bit of PlaceMask");
}

MirrorState &LocalMemory::mirrorOf(Buffer &buffer, int device) {
  buffer.mirrors.resize(port_.deviceCount());
  MirrorState &state = buffer.mirrors[device];
  if (!state.reserved) {
    state.mirror = port_.reserve(device, buffer.size);
    state.granules.resize(state.mirror.granuleCount);
    state.reserved = true;
    users_[device].insert(&buffer);
  }
  return state;
}

bool LocalMemory::isMoving(const Buffer &buffer, const Intervals &pieces) const {
  return std::ranges::any_of(moves_,
                             [&](const Move &m) { return m.buffer == &buffer && overlap(m.pieces, pieces); });
}

/// Commits and pins all granules behind `pieces`, or none.
bool LocalMemory::pin(Buffer &buffer, const Intervals &pieces, int device, Lock &lock) {
  MirrorState &state = mirrorOf(buffer, device);
  const std::vector<std::size_t> granules = granulesOf(state.mirror, pieces);
  ++clock_;
  for (std::size_t g : granules) { // pinned first: making room must not take away what we came for
    ++state.granules[g].pins;
    state.granules[g].lastUse = clock_;
  }
  for (std::size_t g : granules)
    while (state.mirror.memory[g] == 0) {
      if (port_.commit(state.mirror, g) == Commit::done) {
        committed_[device] += state.mirror.granule;
        peak_[device] = std::max(peak_[device], committed_[device]);
      } else if (!evictOne(device, lock)) {
        for (std::size_t pinned : granules)
          --state.granules[pinned].pins;
        return false;
      }
    }
  return true;
}

void LocalMemory::unpin(Buffer &buffer, const Intervals &pieces, int device) {
  MirrorState &state = buffer.mirrors[device];
  for (std::size_t g : granulesOf(state.mirror, pieces)) {
    assert(state.granules[g].pins > 0);
    --state.granules[g].pins;
  }
}

/// Frees the granule that was used longest ago, writing back what only it holds. False: everything is in use.
bool LocalMemory::evictOne(int device, Lock &lock) {
  for (;;) {
    Buffer *victim = nullptr;
    std::size_t granule = 0;
    std::uint64_t oldest = UINT64_MAX;
    for (Buffer *buffer : users_[device]) {
      MirrorState &state = buffer->mirrors[device];
      for (std::size_t g = 0; g < state.granules.size(); ++g)
        if (state.mirror.memory[g] != 0 && state.granules[g].pins == 0 &&
            state.granules[g].lastUse < oldest) {
          victim = buffer;
          granule = g;
          oldest = state.granules[g].lastUse;
        }
    }
    if (!victim) {
      // What is being copied from here will be free in a moment.
      if (std::ranges::none_of(moves_, [&](const Move &m) { return m.from == device; }))
        return false;
      moved_.wait(lock);
      continue;
    }
    MirrorState &state = victim->mirrors[device];
    const Interval extent = extentOf(*victim, state.mirror, granule);
    Intervals onlyHere;
    victim->valid.visit(extent, [&](Interval piece, PlaceMask mask) {
      if (mask == maskOf(device))
        onlyHere.push_back(piece);
    });
    ++state.granules[granule].pins; // others may use it while we write back, nobody may free it
    const bool conflict = isMoving(*victim, onlyHere);
    if (conflict)
      moved_.wait(lock);
    else if (!onlyHere.empty())
      move(*victim, onlyHere, device, homePlace, lock);
    --state.granules[granule].pins;
    if (conflict || state.granules[granule].pins != 0)
      continue; // it changed while we were away: choose again
    victim->valid.update(extent, [&](Interval, PlaceMask &mask) { mask &= ~maskOf(device); });
    port_.uncommit(state.mirror, granule);
    committed_[device] -= state.mirror.granule;
    return true;
  }
}

/// Copies without the lock, then declares the pieces valid at `to`. Both ends are pinned by the caller.
void LocalMemory::move(Buffer &buffer, const Intervals &pieces, int from, int to, Lock &lock) {
  auto entry = moves_.insert(moves_.end(), {&buffer, from, to, pieces});
  Copy copy{to, to == homePlace ? buffer.home : buffer.mirrors[to].mirror.base, from,
            from == homePlace ? buffer.home : buffer.mirrors[from].mirror.base, rectangles(pieces)};
  lock.unlock();
  const double start = now_();
  port_.copy(copy);
  onMovement_({&buffer, from, to, totalSize(pieces), start, now_()});
  lock.lock();
  for (const Interval &piece : pieces)
    buffer.valid.update(piece, [&](Interval, PlaceMask &mask) { mask |= maskOf(to); });
  moves_.erase(entry);
  moved_.notify_all();
}

/// Brings the current version of `pieces` to `place`, whose memory is there and pinned.
void LocalMemory::fill(Buffer &buffer, const Intervals &pieces, int place, Lock &lock) {
  for (;;) {
    int from = homePlace;
    Intervals missing; // of one source at a time
    for (const Interval &interval : pieces)
      buffer.valid.visit(interval, [&](Interval piece, PlaceMask mask) {
        if (mask == 0 || (mask & maskOf(place)))
          return; // nothing to copy, or here already
        int source = homePlace;
        if (!(mask & maskOf(homePlace))) {
          while (!(mask & maskOf(source)))
            ++source;
          // A device that cannot be read from here: through home, so first to there.
          if (place != homePlace && !port_.reachesDirectly(source, place))
            source = -2 - source;
        }
        if (missing.empty())
          from = source;
        if (source == from)
          missing.push_back(piece);
      });
    if (missing.empty())
      return;
    missing = normalised(std::move(missing));
    if (isMoving(buffer, missing)) {
      moved_.wait(lock);
      continue;
    }
    const bool throughHome = from < homePlace;
    const int source = throughHome ? -2 - from : from;
    if (source != homePlace) {
      [[maybe_unused]] bool there = pin(buffer, missing, source, lock);
      assert(there && "what is valid on a device is committed there");
    }
    move(buffer, missing, source, throughHome ? homePlace : place, lock);
    if (source != homePlace)
      unpin(buffer, missing, source);
  }
}

void LocalMemory::takeForWriting(Buffer &buffer, const Intervals &pieces, int place, Lock &lock) {
  // A write-back or a copy of the old version may still be under way; it ends by itself.
  moved_.wait(lock, [&] { return !isMoving(buffer, pieces); });
  for (const Interval &piece : pieces)
    buffer.valid.assign(piece, maskOf(place));
}

Acquired LocalMemory::acquire(std::span<const Use> uses, int wanted) {
  Lock lock(mutex_);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    Buffer &buffer = *uses[i].buffer;
    const int place = placeOf(buffer, wanted);
    if (place != homePlace && !pin(buffer, uses[i].intervals, place, lock)) {
      unpinAll(uses.first(i), wanted);
      return Acquired::noRoom;
    }
    if (reads(uses[i].mode))
      fill(buffer, uses[i].intervals, place, lock);
  }
  // Only now, when all that is read has arrived: one use may write what another of the same operation reads.
  for (const Use &use : uses)
    if (writes(use.mode))
      takeForWriting(*use.buffer, use.intervals, placeOf(*use.buffer, wanted), lock);
  return Acquired::done;
}

void LocalMemory::unpinAll(std::span<const Use> uses, int wanted) {
  for (const Use &use : uses)
    if (const int place = placeOf(*use.buffer, wanted); place != homePlace)
      unpin(*use.buffer, use.intervals, place);
}

void LocalMemory::release(std::span<const Use> uses, int wanted) {
  Lock lock(mutex_);
  unpinAll(uses, wanted);
}

char *LocalMemory::address(const Buffer &buffer, int wanted) const {
  const int place = placeOf(buffer, wanted);
  if (place == homePlace)
    return buffer.home;
  Lock lock(mutex_);
  return buffer.mirrors[place].mirror.base;
}

void LocalMemory::onlyHomeIsValid(Buffer &buffer) {
  Lock lock(mutex_);
  const Intervals everything{{0, buffer.size}};
  takeForWriting(buffer, everything, homePlace, lock);
}

void LocalMemory::forget(Buffer &buffer) {
  Lock lock(mutex_);
  moved_.wait(lock, [&] { return !isMoving(buffer, {{0, buffer.size}}); });
  for (MirrorState &state : buffer.mirrors) {
    if (!state.reserved)
      continue;
    for (std::size_t g = 0; g < state.granules.size(); ++g)
      if (state.mirror.memory[g] != 0) {
        port_.uncommit(state.mirror, g);
        committed_[state.mirror.device] -= state.mirror.granule;
      }
    users_[state.mirror.device].erase(&buffer);
    port_.unreserve(state.mirror);
  }
  buffer.mirrors.clear();
}

std::vector<LocalMemory::Occupant> LocalMemory::occupants(int device) const {
  Lock lock(mutex_);
  std::vector<Occupant> result;
  for (const Buffer *buffer : users_[device]) {
    const MirrorState &state = buffer->mirrors[device];
    Occupant occupant{buffer->name, 0, 0};
    for (std::size_t g = 0; g < state.granules.size(); ++g)
      if (state.mirror.memory[g] != 0) {
        occupant.bytes += state.mirror.granule;
        occupant.inUse += state.granules[g].pins ? state.mirror.granule : 0;
      }
    if (occupant.bytes)
      result.push_back(std::move(occupant));
  }
  std::ranges::sort(result, [](const Occupant &a, const Occupant &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.buffer < b.buffer;
  });
  return result;
}

std::uint64_t LocalMemory::committedBytes(int device) const {
  Lock lock(mutex_);
  return committed_[device];
}

std::uint64_t LocalMemory::peakBytes(int device) const {
  Lock lock(mutex_);
  return peak_[device];
}

} // namespace streammap::engine
