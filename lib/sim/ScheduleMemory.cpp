// The schedule builder's account of device memory: room for a task, eviction, and the peak of every device.
#include "sim/ScheduleBuilder.h"
#include <algorithm>
#include <tuple>

namespace streammap {

/// What the piece needs before the device may forget it: nothing where another place has it, or where a newer
/// version of the block was written since, which all its readers precede.
std::optional<ScheduleBuilder::WriteBack> ScheduleBuilder::writeBack(PieceId id, DeviceId device,
                                                                     Seconds ready) const {
  const Piece &piece = problem_->pieces()[id];
  const NodeId node = problem_->cluster().devices[device].node;
  if (!piece.producer.valid() || chosen_[piece.producer] != device || newest_[piece.block] != id ||
      std::ranges::find(pieces_[id].hosts, node, &HostCopy::node) != pieces_[id].hosts.end())
    return std::nullopt;
  WriteBack write{problem_->fabric().route(problem_->fabric().placeOf(device), Fabric::hostOf(node)), {}, {}};
  write.start = links_.earliest(write.route, piece.size, ready);
  write.end = write.start + write.route.time(piece.size);
  return write;
}

/// From when the device would have room for the task and what it reads and writes.
Seconds ScheduleBuilder::roomFrom(TaskId task, DeviceId device) const {
  if (!memory_.canFill(device))
    return {};
  const DeviceMemory::Demand demand = memory_.demandOf(task, device);
  Seconds from = memory_.openFrom(device);
  if (demand.drains)
    from = std::max(from, busy_[device].lastEnd());
  for (BlockId block : demand.victims) {
    const DeviceMemory::Resident &resident = memory_.resident(device, block);
    const std::optional<WriteBack> write = writeBack(resident.piece, device, resident.lastUse);
    from = std::max(from, write ? write->end : resident.lastUse);
  }
  return from;
}

Seconds ScheduleBuilder::makeRoom(TaskId task, DeviceId device) {
  if (!memory_.canFill(device))
    return {};
  const DeviceMemory::Demand demand = memory_.demandOf(task, device);
  if (demand.drains)
    memory_.drain(device, busy_[device].lastEnd());
  for (BlockId block : demand.victims)
    memory_.evict(device, block, evict(device, block));
  return memory_.openFrom(device);
}

/// Returns when the block is gone.
Seconds ScheduleBuilder::evict(DeviceId device, BlockId block) {
  const DeviceMemory::Resident resident = memory_.resident(device, block);
  Seconds gone = resident.lastUse;
  if (const std::optional<WriteBack> write = writeBack(resident.piece, device, resident.lastUse)) {
    const Bytes size = problem_->pieces()[resident.piece].size;
    gone = links_.reserve(write->route, size, write->start);
    for (LinkId link : write->route.links)
      carried_[link] += size;
    pieces_[resident.piece].hosts.push_back({problem_->cluster().devices[device].node, gone});
  }
  for (Copy &copy : pieces_[resident.piece].copies)
    if (copy.device == device && copy.held) {
      copy.held = false;
      copy.at = std::max(copy.at, gone); // other nodes read what was written back
    }
  return gone;
}

/// The task's inputs are in use until it ends; what it wrote is now on this device, and nowhere else.
void ScheduleBuilder::recordUse(TaskId task, DeviceId device, Slot slot) {
  for (PieceId piece : problem_->inputs(task))
    for (Copy &copy : pieces_[piece].copies)
      if (copy.device == device && copy.held)
        copy.lastUse = std::max(copy.lastUse, slot.end);
  for (PieceId piece : problem_->outputs(task)) {
    pieces_[piece].copies.push_back({device, true, slot.end, slot.start, slot.end});
    newest_[problem_->pieces()[piece].block] = piece;
  }
  if (memory_.canFill(device))
    memory_.run(task, device, slot.end);
}

/// By the rule of docs/file-formats.md, "Memory on a device": the footprint of the running task, and what
/// else is there for a later one.
IndexedVector<DeviceId, Bytes> ScheduleBuilder::peakMemory() const {
  struct Change {
    DeviceId device;
    Seconds time;
    Bytes bytes;
    auto operator<=>(const Change &) const = default; // what ends at a moment goes before what starts
  };
  std::vector<Change> changes;
  auto hold = [&](DeviceId device, Seconds from, Seconds to, Bytes size) {
    if (size == Bytes() || to <= from)
      return;
    changes.push_back({device, from, size});
    changes.push_back({device, to, Bytes() - size});
  };
  for (PieceId piece : problem_->pieces().ids())
    for (const Copy &copy : pieces_[piece].copies)
      hold(copy.device, copy.from, copy.lastUse, problem_->pieces()[piece].size);
  IndexedVector<DeviceId, Bytes> peak(busy_.size());
  for (TaskId task : problem_->graph().tasks.ids()) {
    Bytes own;
    for (std::span<const PieceId> list : {problem_->inputs(task), problem_->outputs(task)})
      for (PieceId piece : list)
        own += problem_->pieces()[piece].size;
    // While it runs, its own data are part of its footprint.
    hold(chosen_[task], slots_[task].start, slots_[task].end, problem_->footprintOf(task) - own);
    peak[chosen_[task]] = std::max(peak[chosen_[task]], problem_->footprintOf(task));
  }
  std::ranges::sort(changes);
  Bytes held;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (i == 0 || changes[i].device != changes[i - 1].device)
      held = Bytes();
    held += changes[i].bytes;
    // Only what remains once everything of this moment has happened counts.
    const bool last = i + 1 == changes.size() || changes[i + 1].device != changes[i].device ||
                      changes[i + 1].time != changes[i].time;
    if (last)
      peak[changes[i].device] = std::max(peak[changes[i].device], held);
  }
  return peak;
}

} // namespace streammap
