#include "sim/ScheduleBuilder.h"
#include <algorithm>
#include <tuple>

namespace streammap {
namespace {

constexpr std::size_t fewDevices = 64; ///< up to here every device is looked at
constexpr std::size_t soonestFree = 8; ///< of each class on larger clusters
constexpr std::size_t nearestCopies = 8;

} // namespace

ScheduleBuilder::ScheduleBuilder(const Problem &problem)
    : problem_(&problem), links_(problem.fabric()), memory_(problem) {
  const Cluster &cluster = problem.cluster();
  busy_.assign(cluster.devices.size(), {});
  solid_.assign(cluster.devices.size(), {});
  shortest_.assign(problem.classes().size(), seconds(std::numeric_limits<double>::infinity()));
  for (ClassId c : problem.classes().ids())
    for (TaskId task : problem.graph().tasks.ids())
      if (const auto &estimate = problem.estimate(task, c))
        shortest_[c] = std::min(shortest_[c], estimate->time);
  chosen_.assign(problem.graph().tasks.size(), {});
  slots_.assign(problem.graph().tasks.size(), {});
  pieces_.assign(problem.pieces().size(), {});
  newest_.assign(problem.blockCount(), {});
  carried_.assign(problem.fabric().links().size(), {});
  apartNodes_.resize(problem.apartKeys());
  nodeDevices_.assign(cluster.nodes.size(), {});
  powerLimited_.assign(cluster.nodes.size(), 0);
  used_.assign(problem.classes().size(), {});
  untouched_.assign(problem.classes().size(), {});
  untouchedBelow_.assign(problem.classes().size(), {});
  for (auto &byLeaf : untouchedBelow_)
    byLeaf.assign(cluster.network.switches.size(), {});
  std::size_t groups = 0;
  for (TaskId task : problem.graph().tasks.ids())
    if (problem.group(task))
      groups = std::max(groups, *problem.group(task) + 1);
  groupNode_.resize(groups);
  for (DeviceId device : problem.devices()) {
    nodeDevices_[cluster.devices[device].node].push_back(device);
    untouched_[problem.classOf(device)].insert(device);
    if (const auto &leaf = cluster.nodes[cluster.devices[device].node].leaf)
      untouchedBelow_[problem.classOf(device)][*leaf].insert(device);
  }
  for (NodeId node : cluster.nodes.ids()) {
    Watts sum;
    for (DeviceId device : nodeDevices_[node])
      if (cluster.devices[device].gpu)
        sum += cluster.models[cluster.devices[device].model].power;
    const std::optional<Watts> &limit = cluster.nodeTypes[cluster.nodes[node].type].powerLimit;
    powerLimited_[node] = limit && sum > *limit;
  }
}

bool ScheduleBuilder::groupsAllow(TaskId task, NodeId node) const {
  if (const std::optional<std::size_t> group = problem_->group(task)) {
    if (groupNode_[*group] ? *groupNode_[*group] != node
                           : !std::ranges::binary_search(problem_->groupNodes(*group), node))
      return false;
  }
  return std::ranges::none_of(problem_->apart(task),
                              [&](std::size_t key) { return apartNodes_[key].contains(node); });
}

void ScheduleBuilder::addNodeDevices(TaskId task, NodeId node, std::vector<DeviceId> &found) const {
  if (groupsAllow(task, node))
    for (DeviceId device : nodeDevices_[node])
      if (problem_->allows(task, device))
        found.push_back(device);
}

/// The devices of the nodes that got the task's inputs last.
void ScheduleBuilder::addNearData(TaskId task, std::vector<DeviceId> &found) const {
  const Cluster &cluster = problem_->cluster();
  std::vector<NodeId> nodes;
  for (PieceId piece : problem_->inputs(task)) {
    const std::vector<Copy> &copies = pieces_[piece].copies;
    for (std::size_t i = copies.size() - std::min(copies.size(), nearestCopies); i < copies.size(); ++i)
      nodes.push_back(cluster.devices[copies[i].device].node);
  }
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (NodeId node : nodes)
    addNodeDevices(task, node, found);
}

/// Where the largest input was written.
std::optional<SwitchId> ScheduleBuilder::leafOfData(TaskId task) const {
  const Cluster &cluster = problem_->cluster();
  std::optional<SwitchId> leaf;
  Bytes largest;
  for (PieceId piece : problem_->inputs(task)) {
    const std::vector<Copy> &copies = pieces_[piece].copies;
    if (!copies.empty() && problem_->pieces()[piece].size > largest) {
      largest = problem_->pieces()[piece].size;
      leaf = cluster.nodes[cluster.devices[copies.front().device].node].leaf;
    }
  }
  return leaf;
}

/// The soonest free of a class, the first untouched one, and the first untouched one at the leaf.
void ScheduleBuilder::addFree(ClassId c, std::optional<SwitchId> leaf, std::vector<DeviceId> &found) const {
  std::size_t taken = 0;
  for (const auto &[free, device] : used_[c])
    if (taken++ < soonestFree)
      found.push_back(device);
    else
      break;
  if (!untouched_[c].empty())
    found.push_back(*untouched_[c].begin());
  if (leaf && !untouchedBelow_[c][*leaf].empty())
    found.push_back(*untouchedBelow_[c][*leaf].begin());
}

std::vector<DeviceId> ScheduleBuilder::candidates(TaskId task) const {
  std::vector<DeviceId> found;
  const std::optional<std::size_t> group = problem_->group(task);
  if (problem_->pinned(task)) {
    addNodeDevices(task, *problem_->pinned(task), found);
  } else if (group && groupNode_[*group]) {
    addNodeDevices(task, *groupNode_[*group], found);
  } else if (problem_->devices().size() <= fewDevices || group || !problem_->apart(task).empty()) {
    for (NodeId node : problem_->cluster().nodes.ids())
      addNodeDevices(task, node, found);
  } else {
    addNearData(task, found);
    const std::optional<SwitchId> leaf = leafOfData(task);
    for (ClassId c : problem_->classes().ids())
      if (problem_->estimate(task, c))
        addFree(c, leaf, found);
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

const ScheduleBuilder::Copy *ScheduleBuilder::present(PieceId piece, DeviceId device) const {
  for (const Copy &copy : pieces_[piece].copies)
    if (copy.device == device && copy.held)
      return &copy;
  return nullptr;
}

void ScheduleBuilder::considerSource(const Place &source, Seconds at, PieceId piece, DeviceId device,
                                     std::optional<Delivery> &best) const {
  const Bytes size = problem_->pieces()[piece].size;
  Route route = problem_->fabric().route(source, problem_->fabric().placeOf(device));
  if (best && at + route.time(size) >= best->arrival)
    return; // even on an idle network
  const Seconds start = links_.earliest(route, size, at);
  const Seconds arrival = start + route.time(size);
  if (!best || arrival < best->arrival)
    best = Delivery{source, std::move(route), start, arrival};
}

ScheduleBuilder::Delivery ScheduleBuilder::delivery(PieceId id, DeviceId device, Seconds room) const {
  const NodeId node = problem_->cluster().devices[device].node;
  const PieceState &state = pieces_[id];
  std::optional<Delivery> best;
  if (!problem_->pieces()[id].producer.valid())
    considerSource(Fabric::hostOf(node), room, id, device, best);
  for (const HostCopy &host : state.hosts)
    if (host.node == node)
      considerSource(Fabric::hostOf(node), std::max(host.at, room), id, device, best);
  for (const Copy &copy : state.copies)
    if (copy.held && problem_->cluster().devices[copy.device].node == node)
      considerSource(problem_->fabric().placeOf(copy.device), std::max(copy.at, room), id, device, best);
  if (!best) // not on the node yet: from where it was written
    considerSource(problem_->fabric().placeOf(state.copies.front().device),
                   std::max(state.copies.front().at, room), id, device, best);
  return *best;
}

void ScheduleBuilder::deliver(PieceId id, DeviceId device, Seconds room) {
  const Piece &piece = problem_->pieces()[id];
  const Delivery chosen = delivery(id, device, room);
  const Seconds arrival = links_.reserve(chosen.route, piece.size, chosen.start);
  PieceState &state = pieces_[id];
  state.copies.push_back({device, true, arrival, chosen.start, arrival});
  const NodeId node = problem_->cluster().devices[device].node;
  if (chosen.source.node != node)
    state.hosts.push_back({node, arrival}); // what the network brings passes the host's memory
  Transfer transfer;
  transfer.dependency = piece.dependency;
  transfer.buffer = piece.buffer;
  transfer.from = chosen.source.device.value_or(DeviceId());
  transfer.to = device;
  transfer.size = piece.size;
  transfer.start = chosen.start;
  transfer.end = arrival;
  for (LinkId link : chosen.route.links) {
    transfer.route.push_back(problem_->fabric().links()[link].name);
    carried_[link] += piece.size;
  }
  transfers_.push_back(std::move(transfer));
}

Seconds ScheduleBuilder::predecessorsEnd(TaskId task) const {
  Seconds end;
  for (std::size_t i : problem_->incoming(task))
    end = std::max(end, slots_[problem_->graph().dependencies[i].from].end);
  return end;
}

/// When the slot would pass the node's power limit: the moment from which less power is drawn.
std::optional<Seconds> ScheduleBuilder::powerFrees(DeviceId id, Slot slot) const {
  const Cluster &cluster = problem_->cluster();
  const Device &device = cluster.devices[id];
  if (!powerLimited_[device.node] || !device.gpu)
    return std::nullopt;
  // The draw changes only where some interval starts, so look at the slot's start and at each start inside
  // it.
  std::vector<std::tuple<Seconds, Seconds, Watts>> overlapping;
  std::vector<Seconds> moments{slot.start};
  for (DeviceId other : nodeDevices_[device.node]) {
    if (other == id || !cluster.devices[other].gpu)
      continue;
    busy_[other].visit(slot.start, slot.end, [&](const Interval &interval) {
      overlapping.emplace_back(interval.start, interval.end,
                               cluster.models[cluster.devices[other].model].power);
      moments.push_back(std::max(slot.start, interval.start));
    });
  }
  const Watts limit = *cluster.nodeTypes[cluster.nodes[device.node].type].powerLimit;
  std::ranges::sort(moments);
  for (Seconds moment : moments) {
    Watts draw = cluster.models[device.model].power;
    std::optional<Seconds> firstEnd;
    for (const auto &[start, end, watts] : overlapping)
      if (start <= moment && end > moment) {
        draw += watts;
        firstEnd = firstEnd ? std::min(*firstEnd, end) : end;
      }
    if (draw > limit && firstEnd)
      return firstEnd;
  }
  return std::nullopt;
}

Slot ScheduleBuilder::firstGap(TaskId task, DeviceId device, Seconds ready) const {
  const Seconds length = problem_->timeOn(task, device);
  while (true) {
    const Seconds start = busy_[device].earliest(ready, length);
    const Slot slot{start, start + length};
    const std::optional<Seconds> later = powerFrees(device, slot);
    if (!later)
      return slot;
    ready = *later;
  }
}

/// The slot on a device of a task whose predecessors have ended at `ready`; nothing as soon as it is certain
/// to end after `limit`.
std::optional<Slot> ScheduleBuilder::slotWithin(TaskId task, DeviceId device, Seconds ready,
                                                Seconds limit) const {
  const Seconds length = problem_->timeOn(task, device);
  const Seconds room = roomFrom(task, device);
  ready = std::max(ready, room);
  for (PieceId piece : problem_->inputs(task)) {
    const Copy *here = present(piece, device);
    ready = std::max(ready, here ? here->at : delivery(piece, device, room).arrival);
    if (ready + length > limit)
      return std::nullopt;
  }
  return firstGap(task, device, ready);
}

Slot ScheduleBuilder::slotOn(TaskId task, DeviceId device) const {
  return *slotWithin(task, device, predecessorsEnd(task), seconds(std::numeric_limits<double>::infinity()));
}

Seconds ScheduleBuilder::earliestGap(DeviceId device, Seconds ready, Seconds length) const {
  const Solid &solid = solid_[device];
  if (ready >= solid.end)
    return ready;
  return ready >= solid.from ? solid.end : busy_[device].earliest(ready, length);
}

/// Looks at the devices in the order in which they could end the task if its data were there, so that most
/// need no second look.
std::optional<DeviceId> ScheduleBuilder::soonest(TaskId task) const {
  const Seconds ready = predecessorsEnd(task);
  std::vector<std::pair<Seconds, DeviceId>> earliest;
  for (DeviceId device : candidates(task)) {
    const Seconds length = problem_->timeOn(task, device);
    earliest.emplace_back(earliestGap(device, ready, length) + length, device);
  }
  std::ranges::sort(earliest);
  std::optional<std::pair<Seconds, DeviceId>> best;
  for (const auto &[end, device] : earliest) {
    if (best && std::pair(end, device) > *best) {
      if (end > best->first)
        break; // and so do all that follow
      continue;
    }
    const Seconds limit = best ? best->first : seconds(std::numeric_limits<double>::infinity());
    if (const std::optional<Slot> slot = slotWithin(task, device, ready, limit))
      if (!best || std::pair(slot->end, device) < *best)
        best = {slot->end, device};
  }
  return best ? std::optional(best->second) : std::nullopt;
}

void ScheduleBuilder::place(TaskId task, DeviceId device) {
  assert(!isPlaced(task) && problem_->allows(task, device));
  const Seconds room = makeRoom(task, device);
  Seconds ready = std::max(predecessorsEnd(task), room);
  for (PieceId piece : problem_->inputs(task)) {
    if (!present(piece, device))
      deliver(piece, device, room);
    ready = std::max(ready, present(piece, device)->at);
  }
  const Slot slot = firstGap(task, device, ready);
  const ClassId c = problem_->classOf(device);
  used_[c].erase({busy_[device].lastEnd(), device});
  busy_[device].add({slot.start, slot.end});
  if (Solid &solid = solid_[device]; slot.start >= solid.end) {
    // Less the rounding of sums, so that whatever fits by the search of gaps fits here.
    if (slot.start - solid.end >= shortest_[c] * (1 - 1e-12) - 4e-16 * slot.end)
      solid.from = slot.start;
    solid.end = slot.end;
  }
  used_[c].insert({busy_[device].lastEnd(), device});
  untouched_[c].erase(device);
  if (const auto &leaf = problem_->cluster().nodes[problem_->cluster().devices[device].node].leaf)
    untouchedBelow_[c][*leaf].erase(device);
  chosen_[task] = device;
  slots_[task] = slot;
  recordUse(task, device, slot);
  const NodeId node = problem_->cluster().devices[device].node;
  if (const std::optional<std::size_t> group = problem_->group(task))
    groupNode_[*group] = node;
  for (std::size_t key : problem_->apart(task))
    apartNodes_[key].insert(node);
}

void ScheduleBuilder::collectUse(Placement &placement) const {
  const IndexedVector<DeviceId, Bytes> peak = peakMemory();
  for (DeviceId device : busy_.ids()) {
    if (busy_[device].empty())
      continue;
    Seconds sum;
    for (const Interval &interval : busy_[device].intervals())
      sum += interval.end - interval.start;
    placement.devices.push_back({device, sum, peak[device]});
  }
  for (LinkId link : problem_->fabric().links().ids())
    if (carried_[link] > Bytes())
      placement.links.push_back({problem_->fabric().links()[link].name, carried_[link], links_.busy(link)});
  std::ranges::sort(placement.links, {}, &LinkUse::link);
}

Placement ScheduleBuilder::finish() && {
  Placement placement;
  for (TaskId task : problem_->graph().tasks.ids()) {
    const TimeEstimate &estimate = *problem_->estimate(task, problem_->classOf(chosen_[task]));
    placement.assignments.push_back({task, chosen_[task], slots_[task].start, slots_[task].end,
                                     estimate.origin, estimate.limiter, estimate.low, estimate.high});
    placement.predicted.makespan = std::max(placement.predicted.makespan, slots_[task].end);
  }
  collectUse(placement);
  placement.transfers = std::move(transfers_);
  std::ranges::stable_sort(placement.transfers, [](const Transfer &a, const Transfer &b) {
    return std::tie(a.start, a.to, a.buffer, a.dependency) < std::tie(b.start, b.to, b.buffer, b.dependency);
  });
  return placement;
}

Placement simulate(const Problem &problem, const std::vector<TaskId> &order,
                   const IndexedVector<TaskId, DeviceId> &device) {
  ScheduleBuilder builder(problem);
  for (TaskId task : order)
    builder.place(task, device[task]);
  return std::move(builder).finish();
}

} // namespace streammap
