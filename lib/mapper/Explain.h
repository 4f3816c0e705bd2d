#pragma once
// Why a task runs where it does, and what would change that:
//
//   TaskExplanation why = explainTask(problem, placement, task);
//   std::cout << toText(why, problem);
//
//   gemm[2,1,0] (t17) runs on n001:gpu3, H100-SXM5-80GB, by static estimate
//
//     device              start       end   compute  transfer      wait  makespan
//   * n001:gpu3         1.20 ms   1.61 ms    410 us       0 s       0 s   4.11 ms
//     n001:gpu2 (+5)    1.23 ms   1.64 ms    410 us   31.0 us       0 s   4.14 ms
//     n002:gpu0 (+7)    1.31 ms   1.72 ms    410 us    110 us       0 s   4.22 ms
//
//   n001:gpu2 is the runner-up: its data arrives 31.0 us later, by n001:gpu2:peer.in.
//   ...
//   What would move it to n001:gpu2
//     gemm[2,1,0] 1.08 times as long on H100-SXM5-80GB ...
//
// Every alternative is the same placement with this one task elsewhere, timed again by the schedule builder
// with all other decisions kept (Retime.h). The best alternative is the one with the shortest makespan, then
// the one where the task ends first. A flip is found by trying a change at growing factors and then halving
// the interval in which the order of the two changed; schedules are not monotone, so a smaller flip between
// two tried factors may exist, but at the factor that is reported the alternative does win.
#include "mapper/Perturb.h"
#include "mapper/Retime.h"
#include <string>
#include <vector>

namespace streammap {

/// What the task's end consists of beyond the end of its last predecessor. The four add up to end - that.
struct CostParts {
  Seconds transfer; ///< until its data is on the device
  Seconds wait;     ///< until the device, or the node's power, is free
  Seconds memory;   ///< until enough of the device's memory is free
  Seconds compute;  ///< the task itself
};

struct Alternative {
  DeviceId device;
  std::size_t alike = 0; ///< further devices with the same figures
  Seconds start, end;    ///< of the task
  CostParts parts;
  Seconds makespan;   ///< of the whole program
  std::string waited; ///< name of the task the device was busy with before, or empty
  std::string link;   ///< narrowest link of the transfer that arrived last, or empty
};

enum class ChangeKind { taskTime, linkSpeed };

/// One assumption changed by a factor.
struct Change {
  ChangeKind kind = ChangeKind::taskTime;
  TaskId task;     ///< of taskTime
  ClassId model;   ///< of taskTime
  LinkGroup links; ///< of linkSpeed
  double factor = 1;
};

/// "gemm[2,1,0] took 1.31 times as long on H100-SXM5-80GB", "n001's NICs were 2.4 times as fast".
std::string toText(const Change &change, const Problem &problem);

struct Unavailable {
  std::string devices; ///< "n003", "all L4-24GB"
  std::string reason;
};

struct TaskExplanation {
  TaskId task;
  Alternative chosen;
  std::vector<Alternative> others;  ///< best first: the runner-up and further ones
  std::vector<std::string> whyLost; ///< one sentence for each of `others`
  std::vector<Change> flips;        ///< towards the runner-up, smallest first; empty when none was found
  std::vector<Unavailable> unavailable;
  Seconds predicted; ///< the placement's own makespan; `chosen.makespan` is the retimed one
};

/// Where the task may run as the others stand, at most `mostAlternatives` looked at on large clusters.
/// Cost: one retiming per device, and up to some hundreds for the flips.
TaskExplanation explainTask(const Problem &problem, const Placement &placement, TaskId task);

/// The placement's makespan under a change, with every decision kept.
Placement retimeChanged(const Problem &problem, const Decisions &decisions, const Change &change);

/// Whether the first is the better choice for the task: shorter makespan, else an earlier end.
bool isBetter(const Placement &a, const Placement &b, TaskId task);

/// At most 80 columns.
std::string toText(const TaskExplanation &why, const Problem &problem);
/// `streammap.explanation/1`.
std::string toJson(const TaskExplanation &why, const Problem &problem);

} // namespace streammap
