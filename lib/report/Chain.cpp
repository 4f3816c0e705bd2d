#include "report/Chain.h"
#include <algorithm>
#include <unordered_map>

namespace streammap {
namespace {

/// Times that meet within this share of the makespan are the same moment: schedules are sums of doubles.
constexpr double sameMoment = 1e-9;

/// A step under examination: an assignment or a transfer, by index into the placement.
struct Cursor {
  ChainKind kind;
  std::size_t index;
};

/// A transfer that another one waited for, and the link they share.
struct Blocker {
  std::size_t transfer;
  std::string link;
};

class ChainWalk {
public:
  ChainWalk(const TaskGraph &graph, const Cluster &cluster, const Placement &placement)
      : graph_(graph), cluster_(cluster), placement_(placement), names_(graph, cluster),
        epsilon_(placement.predicted.makespan * sameMoment) {
    index();
  }

  std::vector<ChainStep> walk() {
    if (placement_.assignments.empty())
      return {};
    std::size_t last = 0;
    for (std::size_t i = 0; i < placement_.assignments.size(); ++i)
      if (placement_.assignments[i].end > placement_.assignments[last].end)
        last = i;
    std::optional<Cursor> current = Cursor{ChainKind::task, last};
    Seconds until = placement_.assignments[last].end;
    // Every step starts before the one after it, so the walk ends; the bound is for zero-length steps.
    for (std::size_t guard = placement_.assignments.size() + placement_.transfers.size();
         current && guard != 0; --guard) {
      ChainStep step =
          current->kind == ChainKind::task ? taskStep(current->index) : transferStep(current->index);
      std::optional<Cursor> before;
      if (step.start > epsilon_)
        before = current->kind == ChainKind::task ? beforeTask(current->index, step)
                                                  : beforeTransfer(current->index, step);
      step.end = std::min(step.end, until); // a link is free again before its last byte arrives
      reversed_.push_back(step);
      until = step.start;
      const Seconds beforeEnd = before ? endOf(*before) : Seconds();
      if (beforeEnd < until - epsilon_ && until > epsilon_)
        reversed_.push_back(
            {ChainKind::idle, "nothing", step.where, beforeEnd, until, ChainReason::schedule, {}});
      until = std::min(until, std::max(beforeEnd, Seconds()));
      current = before;
    }
    return {reversed_.rbegin(), reversed_.rend()};
  }

private:
  void index() {
    assignmentOf_.assign(graph_.tasks.size(), placement_.assignments.size());
    for (std::size_t i = 0; i < placement_.assignments.size(); ++i) {
      assignmentOf_[placement_.assignments[i].task] = i;
      onDevice_[placement_.assignments[i].device.index()].push_back(i);
    }
    for (auto &[device, assignments] : onDevice_)
      std::ranges::stable_sort(assignments, {},
                               [&](std::size_t i) { return placement_.assignments[i].start; });
    predecessors_.assign(graph_.tasks.size(), {});
    for (const Dependency &dependency : graph_.dependencies)
      predecessors_[dependency.to].push_back(dependency.from);
    for (std::size_t i = 0; i < placement_.transfers.size(); ++i) { // sorted by start
      arrivals_[placement_.transfers[i].to.index()].push_back(i);
      for (const std::string &link : placement_.transfers[i].route)
        onLink_[link].push_back(i);
    }
  }

  bool sameTime(Seconds a, Seconds b) const { return a - b <= epsilon_ && b - a <= epsilon_; }
  Seconds endOf(Cursor cursor) const {
    return cursor.kind == ChainKind::task ? placement_.assignments[cursor.index].end
                                          : placement_.transfers[cursor.index].end;
  }
  bool isPredecessor(TaskId from, TaskId to) const {
    return std::ranges::find(predecessors_[to], from) != predecessors_[to].end();
  }

  ChainStep taskStep(std::size_t i) const {
    const Assignment &run = placement_.assignments[i];
    return {ChainKind::task,
            names_.task(run.task),
            deviceName(cluster_, run.device),
            run.start,
            run.end,
            ChainReason::programStart,
            {}};
  }

  ChainStep transferStep(std::size_t i) const {
    const Transfer &transfer = placement_.transfers[i];
    return {ChainKind::transfer,
            names_.carried(transfer),
            names_.source(transfer) + " -> " + deviceName(cluster_, transfer.to),
            transfer.start,
            transfer.end,
            ChainReason::programStart,
            transfer.route.empty() ? "" : transfer.route.front()};
  }

  /// What the task waited for: data that arrived when it started, a predecessor, or the task before it.
  std::optional<Cursor> beforeTask(std::size_t i, ChainStep &step) const {
    const Assignment &run = placement_.assignments[i];
    if (const auto found = arrivals_.find(run.device.index()); found != arrivals_.end())
      for (std::size_t transfer : found->second)
        if (sameTime(placement_.transfers[transfer].end, run.start) &&
            serves(placement_.transfers[transfer], run.task)) {
          step.reason = ChainReason::data;
          return Cursor{ChainKind::transfer, transfer};
        }
    for (TaskId from : predecessors_[run.task])
      if (const std::size_t before = assignmentOf_[from];
          before < placement_.assignments.size() && sameTime(placement_.assignments[before].end, run.start)) {
        step.reason = ChainReason::predecessor;
        step.blocker = names_.task(from);
        return Cursor{ChainKind::task, before};
      }
    const std::optional<std::size_t> before = lastBefore(run);
    step.reason = ChainReason::schedule;
    if (!before)
      return std::nullopt;
    if (sameTime(placement_.assignments[*before].end, run.start)) {
      step.reason = ChainReason::device;
      step.blocker = names_.task(placement_.assignments[*before].task);
    }
    return Cursor{ChainKind::task, *before};
  }

  /// What the transfer waited for: its producer, or another transfer on one of its links.
  std::optional<Cursor> beforeTransfer(std::size_t i, ChainStep &step) const {
    const Transfer &transfer = placement_.transfers[i];
    std::optional<std::size_t> producer;
    if (transfer.dependency && *transfer.dependency < graph_.dependencies.size())
      if (const std::size_t at = assignmentOf_[graph_.dependencies[*transfer.dependency].from];
          at < placement_.assignments.size())
        producer = at;
    if (producer && sameTime(placement_.assignments[*producer].end, transfer.start)) {
      step.reason = ChainReason::data;
      return Cursor{ChainKind::task, *producer};
    }
    if (const std::optional<Blocker> blocker = lastOnLinks(i)) {
      step.reason = ChainReason::link;
      step.blocker = blocker->link;
      return Cursor{ChainKind::transfer, blocker->transfer};
    }
    step.reason = ChainReason::schedule;
    return producer ? std::optional(Cursor{ChainKind::task, *producer}) : std::nullopt;
  }

  /// The transfer that began before this one, shares a link with it and ended last, if it ended no earlier
  /// than this one began.
  std::optional<Blocker> lastOnLinks(std::size_t i) const {
    const Transfer &transfer = placement_.transfers[i];
    std::optional<Blocker> best;
    for (const std::string &link : transfer.route)
      for (std::size_t other : onLink_.at(link)) {
        const Transfer &earlier = placement_.transfers[other];
        if (earlier.start >= transfer.start - epsilon_)
          break;
        if (earlier.end >= transfer.start - epsilon_ &&
            (!best || earlier.end > placement_.transfers[best->transfer].end))
          best = Blocker{other, link};
      }
    return best;
  }

  bool serves(const Transfer &transfer, TaskId task) const {
    if (transfer.dependency && *transfer.dependency < graph_.dependencies.size()) {
      const Dependency &dependency = graph_.dependencies[*transfer.dependency];
      if (dependency.to == task || isPredecessor(dependency.from, task))
        return true;
    }
    return transfer.buffer && std::ranges::any_of(graph_.tasks[task].accesses, [&](const Access &access) {
             return access.buffer == *transfer.buffer && access.mode != AccessMode::out;
           });
  }

  std::optional<std::size_t> lastBefore(const Assignment &run) const {
    const std::vector<std::size_t> &device = onDevice_.at(run.device.index());
    const auto next = std::ranges::lower_bound(
        device, run.start - epsilon_, {}, [&](std::size_t i) { return placement_.assignments[i].start; });
    if (next == device.begin())
      return std::nullopt;
    return *std::prev(next);
  }

  const TaskGraph &graph_;
  const Cluster &cluster_;
  const Placement &placement_;
  PlacementNames names_;
  Seconds epsilon_;
  IndexedVector<TaskId, std::size_t> assignmentOf_;
  IndexedVector<TaskId, std::vector<TaskId>> predecessors_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> onDevice_, arrivals_; // by device
  std::unordered_map<std::string, std::vector<std::size_t>> onLink_;
  std::vector<ChainStep> reversed_;
};

/// Makes one step of every run of transfers that queue on one link and take at most `tiny` each.
std::vector<ChainStep> withQueuesFolded(std::vector<ChainStep> chain, Seconds tiny) {
  constexpr std::size_t fewest = 3;
  auto isTiny = [&](const ChainStep &step) {
    return step.kind == ChainKind::transfer && step.end - step.start <= tiny;
  };
  std::vector<ChainStep> folded;
  for (std::size_t i = 0, end = 0; i < chain.size(); i = end) {
    end = i + 1;
    if (isTiny(chain[i]))
      while (end < chain.size() && isTiny(chain[end]) && chain[end].reason == ChainReason::link &&
             chain[end].blocker == chain[i + 1].blocker)
        ++end;
    if (end - i < fewest) {
      end = i + 1;
      folded.push_back(std::move(chain[i]));
      continue;
    }
    ChainStep &first = chain[i];
    const bool same = std::all_of(chain.begin() + static_cast<std::ptrdiff_t>(i),
                                  chain.begin() + static_cast<std::ptrdiff_t>(end),
                                  [&](const ChainStep &step) { return step.what == first.what; });
    const std::string &link = chain[i + 1].blocker;
    folded.push_back({ChainKind::transfer, same ? first.what : "data", link, first.start, chain[end - 1].end,
                      ChainReason::link, link, end - i});
  }
  return folded;
}

} // namespace

std::string PlacementNames::task(TaskId id) const {
  const Task &task = graph_.tasks[id];
  return task.name.empty() ? task.id : task.name;
}

std::string PlacementNames::carried(const Transfer &transfer) const {
  if (transfer.buffer && graph_.buffers.contains(*transfer.buffer)) {
    const Buffer &buffer = graph_.buffers[*transfer.buffer];
    return buffer.name.empty() ? buffer.id : buffer.name;
  }
  if (transfer.dependency && *transfer.dependency < graph_.dependencies.size()) {
    const Dependency &dependency = graph_.dependencies[*transfer.dependency];
    return task(dependency.from) + " -> " + task(dependency.to);
  }
  return "data";
}

std::string PlacementNames::source(const Transfer &transfer) const {
  return transfer.from.valid() ? deviceName(cluster_, transfer.from)
                               : cluster_.nodes[cluster_.devices[transfer.to].node].name + ":host";
}

std::string stepText(const ChainStep &step) {
  if (step.kind == ChainKind::idle)
    return "idle";
  if (step.kind == ChainKind::task)
    return step.what;
  return (step.transfers > 1 ? std::to_string(step.transfers) + " transfers of " : "transfer of ") +
         step.what;
}

std::string reasonText(const ChainStep &step) {
  if (step.kind == ChainKind::idle)
    return "";
  if (step.kind == ChainKind::transfer) {
    if (step.transfers > 1)
      return "queue on " + step.blocker;
    if (step.reason == ChainReason::link)
      return "behind another transfer on " + step.blocker;
    return step.blocker.empty() ? "" : "over " + step.blocker;
  }
  switch (step.reason) {
  case ChainReason::programStart:
    return "starts with the program";
  case ChainReason::data:
    return "waited for its data";
  case ChainReason::predecessor:
    return "waited for " + step.blocker;
  case ChainReason::device:
    return "device was busy with " + step.blocker;
  case ChainReason::link:
  case ChainReason::schedule:
    return "held back by the schedule";
  }
  return "";
}

std::vector<ChainStep> bindingChain(const TaskGraph &graph, const Cluster &cluster,
                                    const Placement &placement) {
  constexpr double tinyShare = 1e-3; // of the makespan: what shows as 0.1 %
  return withQueuesFolded(ChainWalk(graph, cluster, placement).walk(),
                          placement.predicted.makespan * tinyShare);
}

} // namespace streammap
