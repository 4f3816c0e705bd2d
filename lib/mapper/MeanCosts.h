#pragma once
// Averages over all devices, as list schedulers use them to rank tasks before any device is chosen.
#include "sim/Problem.h"

namespace streammap {

class MeanCosts {
public:
  explicit MeanCosts(const Problem &problem);

  /// Mean over the devices that may run the task.
  Seconds task(TaskId task) const { return tasks_[task]; }
  /// Mean transfer time of the dependency's bytes between two different devices.
  Seconds transfer(const Dependency &dependency) const;

  /// Longest way from the task's start to the end of the program: Topcuoglu, Hariri and Wu,
  /// "Performance-effective and low-complexity task scheduling for heterogeneous computing", TPDS 13 (2002),
  /// equation 8.
  IndexedVector<TaskId, Seconds> upwardRanks() const;
  /// Longest way from the program's start to the task's: equation 9.
  IndexedVector<TaskId, Seconds> downwardRanks() const;

private:
  void averageFabric();

  const Problem *problem_;
  IndexedVector<TaskId, Seconds> tasks_;
  Seconds latency_;
  double secondsPerByte_ = 0;
};

/// Tasks by descending rank, predecessors first; equal ranks by descending `priority`, then by id.
std::vector<TaskId> byDescendingRank(const Problem &problem, const IndexedVector<TaskId, Seconds> &ranks);

} // namespace streammap
