#include "mapper/LowerBound.h"
#include "mapper/FastestWays.h"
#include "mapper/WorkBound.h"
#include <algorithm>
#include <map>

namespace streammap {
namespace {

Seconds fastest(const Problem &problem, TaskId task) {
  std::optional<Seconds> best;
  for (ClassId c : problem.classes().ids())
    if (const auto &estimate = problem.estimate(task, c); estimate && problem.classSize(c) != 0)
      best = best ? std::min(*best, estimate->time) : estimate->time;
  return best.value_or(Seconds());
}

/// The earliest end of every task on every class of device, as if each task had a device to itself and each
/// transfer the fastest links, and of these the latest.
class EarliestEnds {
public:
  explicit EarliestEnds(const Problem &problem)
      : problem_(problem), ways_(problem), ends_(problem.graph().tasks.size() * problem.classes().size()) {}

  Seconds latest() {
    Seconds longest;
    for (TaskId task : problem_.topologicalOrder()) {
      for (ClassId c : problem_.classes().ids())
        if (usable(task, c))
          at(task, c) = startOn(task, c) + problem_.estimate(task, c)->time;
      longest = std::max(longest, soonest(task));
    }
    return longest;
  }

private:
  bool usable(TaskId task, ClassId c) const {
    return problem_.estimate(task, c).has_value() && problem_.classSize(c) != 0;
  }
  Seconds &at(TaskId task, ClassId c) { return ends_[task.index() * problem_.classes().size() + c.index()]; }

  /// The least over all classes of the end there plus `then(class)`.
  template <class Then>
  Seconds least(TaskId task, Then then) {
    std::optional<Seconds> best;
    for (ClassId c : problem_.classes().ids())
      if (usable(task, c)) {
        const Seconds time = at(task, c) + then(c);
        best = best ? std::min(*best, time) : time;
      }
    return best.value_or(Seconds());
  }
  Seconds soonest(TaskId task) {
    return least(task, [](ClassId) { return Seconds(); });
  }

  Seconds startOn(TaskId task, ClassId c) {
    Seconds start;
    for (std::size_t i : problem_.incoming(task))
      start = std::max(start, soonest(problem_.graph().dependencies[i].from));
    for (PieceId id : problem_.inputs(task)) {
      const Piece &piece = problem_.pieces()[id];
      start = std::max(
          start, piece.producer.valid()
                     ? least(piece.producer, [&](ClassId from) { return ways_.between(from, c, piece.size); })
                     : ways_.fromHost(c, piece.size));
    }
    return start;
  }

  const Problem &problem_;
  FastestWays ways_;
  std::vector<Seconds> ends_;
};

/// Each piece of initial data enters some GPU through its host link, one piece at a time. Nothing where a
/// task can do without: links that are free or shared without limit, or cores beside the data.
Seconds hostLinks(const Problem &problem) {
  if (!problem.fabric().contended())
    return {};
  BytesPerSecond all;
  for (DeviceId device : problem.devices()) {
    const Place place = problem.fabric().placeOf(device);
    const Route route = problem.fabric().route(Fabric::hostOf(place.node), place);
    if (route.bandwidth == unlimitedBandwidth)
      return {};
    all = BytesPerSecond(all.value() + route.bandwidth.value());
  }
  Bytes initial;
  for (const Piece &piece : problem.pieces())
    if (!piece.producer.valid())
      initial += piece.size;
  return initial > Bytes() ? initial / all : Seconds();
}

/// The classes a task may use, one bit each. Beyond 64 classes the last bit stands for all further ones,
/// which only widens a task's choice and so keeps the bound sound.
std::uint64_t classesOf(const Problem &problem, TaskId task) {
  std::uint64_t set = 0;
  for (ClassId c : problem.classes().ids())
    if (problem.estimate(task, c) && problem.classSize(c) != 0)
      set |= std::uint64_t{1} << std::min<std::size_t>(c.index(), 63);
  return set;
}

std::size_t devicesOf(const Problem &problem, std::uint64_t set) {
  std::size_t devices = 0;
  for (ClassId c : problem.classes().ids())
    if (set >> std::min<std::size_t>(c.index(), 63) & 1)
      devices += problem.classSize(c);
  return devices;
}

Seconds work(const Problem &problem) {
  std::map<std::uint64_t, Seconds> bySet;
  std::uint64_t all = 0;
  for (TaskId task : problem.graph().tasks.ids()) {
    const std::uint64_t set = classesOf(problem, task);
    bySet[set] += fastest(problem, task);
    all |= set;
  }
  if (!bySet.contains(all))
    bySet[all] = Seconds();
  Seconds largest;
  for (const auto &[set, unused] : bySet) {
    Seconds confined; // work that has no device outside the set
    for (const auto &[other, time] : bySet)
      if ((other & ~set) == 0)
        confined += time;
    if (const std::size_t devices = devicesOf(problem, set); devices != 0)
      largest = std::max(largest, confined / static_cast<double>(devices));
  }
  return largest;
}

} // namespace

LowerBound lowerBound(const Problem &problem) {
  LowerBound largest{EarliestEnds(problem).latest(), "critical path"};
  const WorkBounds byWork = workBounds(problem);
  for (const LowerBound &other :
       {LowerBound{std::max(work(problem), byWork.work), "work"},
        LowerBound{hostLinks(problem), "host links"}, LowerBound{byWork.pathAndWork, "path and work"}})
    if (other.time > largest.time)
      largest = other;
  return largest;
}

} // namespace streammap
