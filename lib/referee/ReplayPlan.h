#pragma once
// A placement as plain steps for a simulator: who waits for what, without any times but durations. Made from
// the files alone; knows neither lib/sim nor SimGrid.
#include "model/Placement.h"
#include "support/Expected.h"
#include <string>
#include <vector>

namespace streammap {

/// Steps are tasks first, by id, then transfers, by their index in the placement.
using StepIndex = std::size_t;

struct PlanLink {
  std::string name;
  BytesPerSecond channel; ///< of one channel
  unsigned channels = 1;
};

struct PlanTransfer {
  std::size_t from = 0, to = 0;   ///< indices of ends
  std::vector<std::size_t> links; ///< indices of links; empty: nothing on the way is described
  Bytes size;
  Seconds latency;
  std::vector<StepIndex> after;
};

struct PlanTask {
  Seconds duration;
  std::vector<StepIndex> after;
};

struct ReplayPlan {
  std::vector<std::string> ends; ///< "n1:gpu0", "n1:host"
  std::vector<PlanLink> links;
  std::vector<PlanTask> tasks;
  std::vector<PlanTransfer> transfers;
  std::vector<std::vector<std::size_t>> queues;   ///< tasks of each device, in order
  std::vector<std::vector<std::size_t>> arrivals; ///< transfers to each end, in order
  bool contended = true;
};

Expected<ReplayPlan> makeReplayPlan(const TaskGraph &graph, const Cluster &cluster,
                                    const Placement &placement);

} // namespace streammap
