#include "mapper/Evaluator.h"
#include <algorithm>

namespace streammap {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

} // namespace

Evaluator::Evaluator(const Problem &problem)
    : problem_(&problem), routes_(problem), contended_(problem.fabric().contended()) {
  const TaskGraph &graph = problem.graph();
  const std::size_t tasks = graph.tasks.size(), classes = problem.classes().size();
  times_.assign(tasks * classes, never);
  shared_.assign(problem.pieces().size(), 0);
  IndexedVector<PieceId, char> seen(problem.pieces().size());
  for (TaskId task : graph.tasks.ids()) {
    inputStart_.push_back(static_cast<std::uint32_t>(inputs_.size()));
    for (PieceId piece : problem.inputs(task)) {
      inputs_.push_back(piece);
      shared_[piece] = seen[piece];
      seen[piece] = 1;
    }
    predecessorStart_.push_back(static_cast<std::uint32_t>(predecessors_.size()));
    for (std::size_t i : problem.incoming(task))
      if (const TaskId from = graph.dependencies[i].from;
          predecessors_.size() == predecessorStart_.back() || predecessors_.back() != from)
        predecessors_.push_back(from); // several buffers of one producer are neighbours
    for (ClassId c : problem.classes().ids())
      if (const auto &estimate = problem.estimate(task, c))
        times_[task.index() * classes + c.index()] = estimate->time;
  }
  inputStart_.push_back(static_cast<std::uint32_t>(inputs_.size()));
  predecessorStart_.push_back(static_cast<std::uint32_t>(predecessors_.size()));
  for (const Piece &piece : problem.pieces()) {
    producer_.push(piece.producer);
    size_.push(piece.size);
  }
  hasSeveral_.assign(problem.cluster().nodes.size(), 0);
  std::vector<std::size_t> count(problem.cluster().nodes.size());
  for (const Device &device : problem.cluster().devices) {
    nodeOf_.push(device.node);
    hasSeveral_[device.node] = ++count[device.node.index()] > 1;
  }
  busy_.assign(problem.cluster().devices.size(), {});
  if (contended_)
    for (const Link &link : problem.fabric().links())
      channels_.push(std::vector<Timeline>(link.channels));
  chosen_.assign(tasks, {});
  slots_.assign(tasks, {});
  lastCopy_.assign(problem.pieces().size(), none);
}

Seconds Evaluator::earliest(const Timeline &timeline, Seconds ready, Seconds length) {
  if (timeline.empty() || timeline.back().end <= ready)
    return ready;
  auto next = std::ranges::upper_bound(timeline, ready, {}, &Busy::end);
  Seconds start = ready;
  for (; next != timeline.end() && next->start < start + length; ++next)
    start = std::max(start, next->end);
  return start;
}

void Evaluator::add(Timeline &timeline, Busy busy) {
  // By start, then end, so that ends ascend also where a task takes no time.
  auto key = [](const Busy &other) { return std::pair(other.start, other.end); };
  if (timeline.empty() || key(timeline.back()) <= key(busy))
    timeline.push_back(busy);
  else
    timeline.insert(std::ranges::upper_bound(timeline, key(busy), {}, key), busy);
  reserved_.push_back({&timeline, busy});
}

void Evaluator::remove(Timeline &timeline, Busy busy) {
  if (timeline.back().start == busy.start && timeline.back().end == busy.end)
    return timeline.pop_back();
  auto at = std::ranges::upper_bound(timeline, busy.start, {}, &Busy::start);
  do // of several that start together
    --at;
  while (at->end != busy.end);
  timeline.erase(at);
}

void Evaluator::rewind(std::size_t count) {
  if (count >= marks_.size())
    return;
  const Mark first = marks_[count];
  while (reserved_.size() > first.reserved) {
    remove(*reserved_.back().timeline, reserved_.back().busy);
    reserved_.pop_back();
  }
  while (copies_.size() > first.copies) {
    lastCopy_[copies_.back().piece] = copies_.back().previous;
    copies_.pop_back();
  }
  marks_.resize(count);
}

Seconds Evaluator::predecessorsEnd(TaskId task) const {
  Seconds end;
  for (TaskId from : predecessors(task))
    end = std::max(end, slots_[from].end);
  return end;
}

std::optional<Seconds> Evaluator::present(PieceId piece, DeviceId device) const {
  if (const TaskId producer = producer_[piece]; producer.valid() && chosen_[producer] == device)
    return slots_[producer].end;
  if (shared_[piece])
    for (std::uint32_t copy = lastCopy_[piece]; copy != none; copy = copies_[copy].previous)
      if (copies_[copy].device == device)
        return copies_[copy].at;
  return std::nullopt;
}

/// Index of the channel that has room first; ties to the lowest, as in Reservations.
std::size_t Evaluator::firstFreeChannel(LinkId link, Seconds ready, Seconds length) const {
  const std::vector<Timeline> &channels = channels_[link];
  ++steps_;
  std::size_t best = 0;
  Seconds bestStart = earliest(channels[0], ready, length);
  for (std::size_t i = 1; i < channels.size() && bestStart > ready; ++i)
    if (const Seconds start = earliest(channels[i], ready, length); start < bestStart) {
      best = i;
      bestStart = start;
    }
  return best;
}

Seconds Evaluator::linksFree(const CachedRoute &route, Seconds ready, Seconds length) const {
  Seconds start = ready;
  for (bool moved = true; moved;) {
    moved = false;
    for (LinkId link : routes_.linksOf(route)) {
      const Seconds free = earliest(channels_[link][firstFreeChannel(link, start, length)], start, length);
      if (free > start) {
        start = free;
        moved = true;
      }
    }
  }
  return start;
}

/// Sources are considered in the reverse of ScheduleBuilder's order, so the later one wins a tie here.
void Evaluator::consider(std::uint32_t source, Seconds at, Bytes size, std::uint32_t target, Delivery &best) {
  const CachedRoute route = routes_.between(source, target);
  const Seconds start = contended_ ? linksFree(route, at, size / route.bandwidth) : at;
  if (const Seconds arrival = start + route.time(size); arrival <= best.arrival)
    best = {route, false, start, arrival};
}

Evaluator::Delivery Evaluator::delivery(PieceId piece, DeviceId device) {
  const NodeId node = nodeOf_[device];
  const std::uint32_t target = routes_.deviceAt(device);
  const TaskId producer = producer_[piece];
  const Bytes size = size_[piece];
  Delivery best;
  bool onNode = !producer.valid() || nodeOf_[chosen_[producer]] == node;
  // Copies first, then the producer's, then host memory: newest to oldest within each.
  if (shared_[piece] && hasSeveral_[node])
    for (std::uint32_t copy = lastCopy_[piece]; copy != none; copy = copies_[copy].previous)
      if (copies_[copy].node == node && copies_[copy].device.valid()) {
        consider(routes_.deviceAt(copies_[copy].device), copies_[copy].at, size, target, best);
        onNode = true;
      }
  if (producer.valid() && nodeOf_[chosen_[producer]] == node)
    consider(routes_.deviceAt(chosen_[producer]), slots_[producer].end, size, target, best);
  if (shared_[piece] && hasSeveral_[node])
    for (std::uint32_t copy = lastCopy_[piece]; copy != none; copy = copies_[copy].previous)
      if (copies_[copy].node == node && !copies_[copy].device.valid()) {
        consider(routes_.hostOf(node), copies_[copy].at, size, target, best);
        onNode = true;
      }
  if (!producer.valid())
    consider(routes_.hostOf(node), Seconds(), size, target, best);
  if (!onNode) {
    consider(routes_.deviceAt(chosen_[producer]), slots_[producer].end, size, target, best);
    best.crossesNetwork = true;
  }
  return best;
}

Seconds Evaluator::deliver(PieceId piece, DeviceId device) {
  const Delivery chosen = delivery(piece, device);
  if (contended_) {
    const Seconds length = size_[piece] / chosen.route.bandwidth;
    for (LinkId link : routes_.linksOf(chosen.route))
      add(channels_[link][firstFreeChannel(link, chosen.start, length)],
          {chosen.start, chosen.start + length, TaskId()});
  }
  if (shared_[piece]) {
    auto keep = [&](DeviceId where) {
      copies_.push_back({lastCopy_[piece], nodeOf_[device], where, chosen.arrival, piece});
      lastCopy_[piece] = static_cast<std::uint32_t>(copies_.size() - 1);
    };
    keep(device);
    if (chosen.crossesNetwork && hasSeveral_[nodeOf_[device]])
      keep(DeviceId()); // it passed the host's memory
  }
  return chosen.arrival;
}

Seconds Evaluator::place(TaskId task, DeviceId device) {
  Mark mark{task, static_cast<std::uint32_t>(reserved_.size()), static_cast<std::uint32_t>(copies_.size()),
            makespan()};
  Seconds ready = predecessorsEnd(task);
  for (PieceId piece : inputs(task)) {
    const std::optional<Seconds> here = present(piece, device);
    ready = std::max(ready, here ? *here : deliver(piece, device));
  }
  const Seconds length =
      times_[task.index() * problem_->classes().size() + problem_->classOf(device).index()];
  const Seconds start = earliest(busy_[device], ready, length);
  const Slot slot{start, start + length};
  add(busy_[device], {slot.start, slot.end, task});
  chosen_[task] = device;
  slots_[task] = slot;
  mark.makespan = std::max(mark.makespan, slot.end);
  marks_.push_back(mark);
  ++steps_;
  return slot.end;
}

Seconds Evaluator::endOn(TaskId task, DeviceId device) {
  ++steps_;
  Seconds ready = predecessorsEnd(task);
  for (PieceId piece : inputs(task)) {
    const std::optional<Seconds> here = present(piece, device);
    ready = std::max(ready, here ? *here : delivery(piece, device).arrival);
  }
  const Seconds length =
      times_[task.index() * problem_->classes().size() + problem_->classOf(device).index()];
  return earliest(busy_[device], ready, length) + length;
}

TaskId Evaluator::waitedFor(TaskId task) {
  const DeviceId device = chosen_[task];
  const Seconds start = slots_[task].start;
  TaskId cause;
  Seconds latest;
  for (TaskId from : predecessors(task))
    if (slots_[from].end > latest) {
      cause = from;
      latest = slots_[from].end;
    }
  for (PieceId piece : inputs(task)) {
    const TaskId producer = producer_[piece];
    if (!producer.valid() || chosen_[producer] == device)
      continue;
    const Seconds arrival =
        slots_[producer].end +
        routes_.between(routes_.deviceAt(chosen_[producer]), routes_.deviceAt(device)).time(size_[piece]);
    if (arrival > latest) {
      cause = producer;
      latest = arrival;
    }
  }
  if (latest >= start)
    return cause;
  // The device was busy until the start, or a link made the data wait.
  const Timeline &timeline = busy_[device];
  const auto own = std::ranges::lower_bound(timeline, start, {}, &Busy::start);
  return own == timeline.begin() || std::prev(own)->end < start ? cause : std::prev(own)->task;
}

Seconds Evaluator::evaluate(const Solution &solution, std::size_t from, Seconds cutoff,
                            const IndexedVector<TaskId, Seconds> &tails) {
  rewind(from);
  // Fewer may be there than `from`: an evaluation that gave up left its first places only.
  for (std::size_t i = marks_.size(); i < solution.order.size(); ++i) {
    const TaskId task = solution.order[i];
    const Seconds end = place(task, solution.device[task]);
    if ((tails.empty() ? end : end + tails[task]) > cutoff)
      return never;
  }
  return makespan();
}

} // namespace streammap
