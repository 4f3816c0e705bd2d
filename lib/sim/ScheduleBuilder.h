#pragma once
// Builds a schedule task by task: when would this task run there, put it there, and in the end the whole
// placement. Every strategy works through it, so all of them pay for data, links, memory, power and groups
// alike.
//
//   ScheduleBuilder builder(problem);
//   for (TaskId task : order)
//     builder.place(task, best(builder.candidates(task)));
//   Placement placement = std::move(builder).finish();
//
// A task starts in the first gap of its device (insertion, as in HEFT) after its predecessors ended and its
// data arrived. A piece that is on the device, or on its way there, is not sent again; it comes from wherever
// it arrives first: another device of the node, the node's host memory if the network brought it there, or
// its producer. Where a device's memory is full, data used longest ago is evicted, and a task waits until
// there is room (DeviceMemory.h, docs/decisions/0008-memory-over-time.md).
#include "model/Placement.h"
#include "sim/DeviceMemory.h"
#include "sim/Problem.h"
#include "sim/Reservations.h"
#include <set>

namespace streammap {

struct Slot {
  Seconds start, end;
};

class ScheduleBuilder {
public:
  explicit ScheduleBuilder(const Problem &problem);

  /// Devices worth looking at for the task, by id. All that may run it where there are at most 64; on a
  /// larger cluster those near its data, the soonest free of each class, and one untouched device of each
  /// class and leaf, since the others are alike. Empty when groups leave none.
  std::vector<DeviceId> candidates(TaskId task) const;

  /// May run there now: by itself, and by the groups whose other tasks are placed.
  bool allows(TaskId task, DeviceId device) const {
    return problem_->allows(task, device) && groupsAllow(task, problem_->cluster().devices[device].node);
  }

  /// When the task would run there. Its predecessors are placed; `device` may run it. Transfers it would need
  /// are each timed against the links as they are now, not against each other.
  Slot slotOn(TaskId task, DeviceId device) const;

  /// The candidate where the task ends first; ties go to the lowest id. Nothing when there is no candidate.
  std::optional<DeviceId> soonest(TaskId task) const;

  void place(TaskId task, DeviceId device);

  bool isPlaced(TaskId task) const { return chosen_[task].valid(); }
  DeviceId deviceOf(TaskId task) const { return chosen_[task]; }
  Seconds endOf(TaskId task) const { return slots_[task].end; }

  /// Everything but the lower bound, the solver and the digests.
  Placement finish() &&;

private:
  struct Copy {
    DeviceId device;
    bool held;       ///< still there; the first copy of a piece stays listed when it is not
    Seconds at;      ///< from when others may read it
    Seconds from;    ///< from when it takes memory
    Seconds lastUse; ///< until when, as far as is known
  };
  struct HostCopy {
    NodeId node;
    Seconds at;
  };
  struct PieceState {
    std::vector<Copy> copies;
    std::vector<HostCopy> hosts;
  };
  /// The transfer that brings a piece to a device soonest.
  struct Delivery {
    Place source;
    Route route;
    Seconds start, arrival;
  };

  bool groupsAllow(TaskId task, NodeId node) const;
  Seconds earliestGap(DeviceId device, Seconds ready, Seconds length) const;
  void addNodeDevices(TaskId task, NodeId node, std::vector<DeviceId> &found) const;
  void addNearData(TaskId task, std::vector<DeviceId> &found) const;
  void addFree(ClassId c, std::optional<SwitchId> leaf, std::vector<DeviceId> &found) const;
  std::optional<SwitchId> leafOfData(TaskId task) const;
  std::optional<Slot> slotWithin(TaskId task, DeviceId device, Seconds ready, Seconds limit) const;
  void considerSource(const Place &source, Seconds at, PieceId piece, DeviceId device,
                      std::optional<Delivery> &best) const;
  const Copy *present(PieceId piece, DeviceId device) const;
  /// Not before `room`, when the device has memory for it.
  Delivery delivery(PieceId piece, DeviceId device, Seconds room) const;
  void deliver(PieceId piece, DeviceId device, Seconds room);
  Seconds roomFrom(TaskId task, DeviceId device) const;
  Seconds makeRoom(TaskId task, DeviceId device);
  struct WriteBack {
    Route route;
    Seconds start, end;
  };
  std::optional<WriteBack> writeBack(PieceId piece, DeviceId device, Seconds ready) const;
  Seconds evict(DeviceId device, BlockId block);
  void recordUse(TaskId task, DeviceId device, Slot slot);
  IndexedVector<DeviceId, Bytes> peakMemory() const;
  Seconds predecessorsEnd(TaskId task) const;
  Slot firstGap(TaskId task, DeviceId device, Seconds ready) const;
  std::optional<Seconds> powerFrees(DeviceId device, Slot slot) const;
  void collectUse(Placement &placement) const;

  const Problem *problem_;
  Reservations links_;
  IndexedVector<DeviceId, BusyTimes> busy_;
  /// For a quick look at many devices: from `from` on to `end`, when its last task ends, a device has no gap
  /// that any task of the program fits in.
  struct Solid {
    Seconds from, end;
  };
  IndexedVector<DeviceId, Solid> solid_;
  IndexedVector<ClassId, Seconds> shortest_; ///< of the times of all tasks
  IndexedVector<TaskId, DeviceId> chosen_;
  IndexedVector<TaskId, Slot> slots_;
  IndexedVector<PieceId, PieceState> pieces_;
  DeviceMemory memory_;
  IndexedVector<BlockId, PieceId> newest_; ///< the version of each block that was written last
  std::vector<Transfer> transfers_;
  IndexedVector<LinkId, Bytes> carried_;
  std::vector<std::optional<NodeId>> groupNode_;
  std::vector<std::set<NodeId>> apartNodes_;
  IndexedVector<NodeId, std::vector<DeviceId>> nodeDevices_;            ///< up devices
  IndexedVector<NodeId, char> powerLimited_;                            ///< its GPUs together pass its limit
  IndexedVector<ClassId, std::set<std::pair<Seconds, DeviceId>>> used_; ///< by when they are free for good
  IndexedVector<ClassId, std::set<DeviceId>> untouched_;
  IndexedVector<ClassId, IndexedVector<SwitchId, std::set<DeviceId>>> untouchedBelow_; ///< by leaf
};

/// The predicted run of an assignment: tasks are placed in `order` on `device[task]`, without asking whether
/// a better place exists. `order` lists every task after its predecessors.
Placement simulate(const Problem &problem, const std::vector<TaskId> &order,
                   const IndexedVector<TaskId, DeviceId> &device);

} // namespace streammap
