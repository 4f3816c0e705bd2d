#pragma once
// Which tasks a task must wait for, from what tasks read and write in program order (sequential task flow, as
// in OpenMP and StarPU). Used at compile time, where the program is expanded, and at run time, where it is
// met.
//
//   DependencyTracker tracker;
//   tracker.add(t0, {{a, AccessMode::out, {0, 4096}}});
//   tracker.add(t1, {{a, AccessMode::in, {0, 4096}}});     // -> t0 before t1, 4096 bytes of a
//   tracker.add(t2, {{a, AccessMode::out, {0, 4096}}});    // -> t1 before t2, 0 bytes (write after read)
//
// Overlap is exact to the byte, also between regions of different strides (Regions.h).
#include "model/TaskGraph.h"
#include <memory>
#include <span>
#include <vector>

namespace streammap {

class DependencyTracker {
public:
  DependencyTracker();
  DependencyTracker(DependencyTracker &&) noexcept;
  DependencyTracker &operator=(DependencyTracker &&) noexcept;
  ~DependencyTracker();

  /// The next task in program order with all its accesses. Returns what it depends on, sorted by (from,
  /// buffer), at most one per pair. `size` is what `from` wrote last and this task reads; 0 where the task
  /// only overwrites what `from` read or wrote. Accesses of one task do not depend on each other; ids must be
  /// new. A write after write is left out where reads in between imply it. About O(accesses) when regions
  /// repeat, as tiles do.
  std::vector<Dependency> add(TaskId task, std::span<const Access> accesses);

private:
  class State;
  std::unique_ptr<State> state_;
};

/// The dependencies of a whole program, sorted as TaskGraph wants them: by (from, to, buffer).
std::vector<Dependency> findDependencies(const IndexedVector<TaskId, Task> &tasks);

} // namespace streammap
