#pragma once
// A placement taken apart into its decisions, who runs where and in which order, and put together again with
// other times. This is how questions of the form "what if" are answered: change an estimate, a link or one
// task's device, keep every other decision, and let the schedule builder say when everything would run.
//
//   const Decisions decisions = decisionsOf(problem, placement);
//   retime(problem, decisions).predicted.makespan;                    // as decided
//   retime(problem, decisions.moved(task, device)).predicted.makespan // with one task elsewhere
#include "model/Placement.h"
#include "sim/Problem.h"

namespace streammap {

struct Decisions {
  std::vector<TaskId> order; ///< every task after its predecessors
  IndexedVector<TaskId, DeviceId> device;
  Decisions moved(TaskId task, DeviceId to) const;
};

/// The file says when tasks start, not in which order the strategy placed them, and links are given out in
/// that order. Of three orders, by upward rank, by predicted start and topological, the one whose retiming
/// comes nearest to the predicted makespan. `placement` assigns every task of the problem. Three retimings.
Decisions decisionsOf(const Problem &problem, const Placement &placement);

/// The schedule of these decisions: each task in order, in the first gap of its device after its data is
/// there. Where the strategy decided in another order it may come out a little longer or shorter than the
/// placement's own prediction, so compare retimed placements with retimed ones only. The
/// devices must allow their tasks. O(tasks x inputs) and what links and devices cost to search for gaps.
Placement retime(const Problem &problem, const Decisions &decisions);

/// "gemm[2,1,0]", or the id where the task has no name.
const std::string &taskName(const TaskGraph &graph, TaskId task);

} // namespace streammap
