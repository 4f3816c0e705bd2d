#pragma once
// A second opinion on a placement's makespan: SimGrid replays it with its own model of time and contention.
//
//   Expected<Replay> replay = replayWithSimGrid(graph, cluster, placement);
//   replay->simulated / replay->predicted;       // 1.02
//
// What is kept: every task's device and duration, the order of tasks on a device, and which transfers there
// are, with their routes. What SimGrid decides: when each happens. A device takes in at most two transfers at
// a time, in the order of their predicted starts, and sends at most two, once their data is there: the copy
// engines of a GPU. Transfers that share a link get max-min fair shares of it, none more than one of the
// link's channels. Nothing of lib/sim is used: not its links, not its routes, not its clock.
//
// Not replayed: power limits, and waiting for memory that is full.
#include "model/Placement.h"
#include "support/Expected.h"
#include <vector>

namespace streammap {

struct ReplayedLink {
  std::string name;
  Bytes size;
  Seconds predicted; ///< during which it carries something, as the placement says
  Seconds simulated;
};

struct ReplayedTask {
  TaskId task;
  Seconds start, end; ///< simulated
};

struct Replay {
  Seconds predicted; ///< makespan
  Seconds simulated;
  std::vector<ReplayedTask> tasks; ///< by id
  std::vector<ReplayedLink> links; ///< busiest in the simulation first, then by name
};

/// Fails where the build has no SimGrid (the message names the package) or the placement cannot be replayed:
/// a route over a link the cluster does not have, or tasks that wait for each other. SimGrid has one engine
/// per process and ends the process on errors, so each replay runs in a process of its own. About 1 s for
/// 10,000 tasks with 20,000 transfers.
Expected<Replay> replayWithSimGrid(const TaskGraph &graph, const Cluster &cluster,
                                   const Placement &placement);

/// At most 80 columns.
std::string toText(const Replay &replay);
/// `streammap.replay/1` (docs/schemas/replay.schema.json).
std::string toJson(const Replay &replay, const TaskGraph &graph);

} // namespace streammap
