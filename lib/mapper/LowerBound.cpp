#include "mapper/LowerBound.h"
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

Seconds criticalPath(const Problem &problem) {
  IndexedVector<TaskId, Seconds> end(problem.graph().tasks.size());
  Seconds longest;
  for (TaskId task : problem.topologicalOrder()) {
    Seconds start;
    for (std::size_t i : problem.incoming(task))
      start = std::max(start, end[problem.graph().dependencies[i].from]);
    end[task] = start + fastest(problem, task);
    longest = std::max(longest, end[task]);
  }
  return longest;
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
  const Seconds path = criticalPath(problem), area = work(problem);
  return area > path ? LowerBound{area, "work"} : LowerBound{path, "critical path"};
}

} // namespace streammap
