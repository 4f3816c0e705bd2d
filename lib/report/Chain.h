#pragma once
// The chain of steps that bounds the makespan: from the task that ends last back to the program's start, each
// step explained by whatever ended when it began.
//
//   potrf[0] on n1:gpu0      0 - 12 us     starts with the program
//   A, n1:gpu0 -> n2:gpu1   12 - 15 us     over n1:nic.up
//   trsm[1,0] on n2:gpu1    15 - 24 us     waited for its data
#include "model/Placement.h"

namespace streammap {

enum class ChainKind { task, transfer, idle };

/// Why a step of the chain could not start earlier.
enum class ChainReason {
  programStart, ///< nothing to wait for
  data,         ///< its data arrived then; of a transfer: its data was ready then
  predecessor,  ///< the task it depends on ended then
  device,       ///< its device ran another task until then
  link,         ///< a link of its route carried another transfer until then
  schedule      ///< nothing that is known: the schedule left a gap
};

/// One step of the chain that bounds the makespan, first to last.
struct ChainStep {
  ChainKind kind = ChainKind::task;
  std::string what;  ///< task or buffer name
  std::string where; ///< device, or "from -> to"; of several transfers, the link they share
  Seconds start, end;
  ChainReason reason = ChainReason::programStart;
  /// The task (predecessor, device) or link behind the reason: of a transfer that waited for another, the
  /// link they share; of any other transfer, the first link of its route.
  std::string blocker;
  std::size_t transfers = 1; ///< how many this step stands for, if it is one of transfers
};

/// "gemm[2,1,0]", "transfer of A", "6 transfers of A", "idle"
std::string stepText(const ChainStep &step);

/// The reason as a sentence part: "waited for gemm[2,1,0]", "device was busy with trsm[3,0]".
std::string reasonText(const ChainStep &step);

/// First to last, without gaps: a step begins where the one before ends. Three or more transfers that queue
/// on one link, each for at most a thousandth of the makespan, are one step. O(tasks + transfers x links of a
/// route).
std::vector<ChainStep> bindingChain(const TaskGraph &graph, const Cluster &cluster,
                                    const Placement &placement);

/// What the parts of a placement are called in a report.
class PlacementNames {
public:
  PlacementNames(const TaskGraph &graph, const Cluster &cluster) : graph_(graph), cluster_(cluster) {}
  std::string task(TaskId task) const;
  std::string carried(const Transfer &transfer) const; ///< the buffer, or "a -> b"
  std::string source(const Transfer &transfer) const;  ///< device, or "n1:host"

private:
  const TaskGraph &graph_;
  const Cluster &cluster_;
};

} // namespace streammap
