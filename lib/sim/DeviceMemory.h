#pragma once
// What lies in the memory of each device while a schedule grows, and what has to go when it is full.
//
// From `openFrom(device)` on the device holds at most its resident blocks and the largest workspace of the
// tasks that run there, and both together fit. A task that fits beside them may start anywhere from that
// moment on, so insertion stays possible. For one that does not, blocks used longest ago go, as the runtime
// evicts them; the moment moves to where the last of them is gone. Data that was written here and is nowhere
// else is written back to the node's host memory first.
//
// A device whose memory could take all data of the program at once is never full and costs nothing here.
#include "sim/Problem.h"
#include <unordered_map>

namespace streammap {

class DeviceMemory {
public:
  explicit DeviceMemory(const Problem &problem);

  /// Whether the program has more data than the device can hold. The other functions need this to be true.
  bool canFill(DeviceId device) const { return canFill_[problem_->classOf(device)]; }

  struct Resident {
    PieceId piece; ///< the version of the block that is here
    Seconds lastUse;
  };

  /// What a task asks of a device.
  struct Demand {
    std::vector<BlockId> victims; ///< to be evicted, used longest ago first
    bool drains = false;          ///< it may start only after all tasks placed there so far
  };
  /// O(blocks of the task), or O(residents log residents) where something has to go.
  Demand demandOf(TaskId task, DeviceId device) const;

  Seconds openFrom(DeviceId device) const { return states_[device].openFrom; }
  const Resident &resident(DeviceId device, BlockId block) const {
    return states_[device].residents.at(block);
  }

  /// Forgets the block; nothing of it is on the device from `gone` on.
  void evict(DeviceId device, BlockId block, Seconds gone);
  /// The device's tasks so far have ended by `ended`; their workspace counts no more.
  void drain(DeviceId device, Seconds ended);
  /// The task runs there until `end`: its inputs and outputs are resident, and last used then.
  void run(TaskId task, DeviceId device, Seconds end);

private:
  struct State {
    Bytes held; ///< of all residents
    Bytes workspace;
    Seconds openFrom;
    std::unordered_map<BlockId, Resident> residents;
  };
  Bytes capacity(DeviceId device) const {
    return problem_->cluster().models[problem_->cluster().devices[device].model].memory;
  }

  const Problem *problem_;
  IndexedVector<ClassId, char> canFill_;
  IndexedVector<DeviceId, State> states_; ///< empty where no device can fill
};

} // namespace streammap
