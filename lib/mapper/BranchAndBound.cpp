#include "mapper/BranchAndBound.h"
#include <algorithm>
#include <bit>
#include <ranges>

namespace streammap {
namespace {

constexpr double impossible = RelaxedProblem::impossible;
constexpr std::size_t seenStates = std::size_t{1} << 19; ///< 8 MiB; the older of two that collide gives way
constexpr double rounding = 1e-12; ///< relative; sums of the same times in another order differ by less

/// 128 bits that stand for a state: two that differ agree by chance once in 2^128.
struct Fingerprint {
  std::uint64_t low = 0x243f6a8885a308d3, high = 0x13198a2e03707344;
  void add(std::uint64_t value) {
    low = (low ^ value) * 0x9e3779b97f4a7c15;
    low ^= low >> 29;
    high = (high + value) * 0xc2b2ae3d27d4eb4f;
    high ^= high >> 31;
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  auto operator<=>(const Fingerprint &) const = default;
};

class Search {
public:
  Search(const Problem &problem, const RelaxedProblem &relaxed, Seconds cutoff, std::uint64_t mostSteps,
         const StopCondition &stop)
      : problem_(problem), r_(relaxed), stop_(stop), mostSteps_(mostSteps), best_(cutoff.value()),
        ends_(r_.tasks()), deviceOf_(r_.tasks()), waiting_(r_.tasks()), free_(r_.devices()),
        starts_(r_.tasks() * r_.devices()), seen_(seenStates) {
    for (std::size_t task = 0; task < r_.tasks(); ++task) {
      waiting_[task] = r_.inputs(task).size();
      byTail_.push_back(task);
      left_ |= std::uint64_t{1} << task;
    }
    std::ranges::stable_sort(byTail_, std::greater(), [&](std::size_t task) { return r_.leastTail(task); });
  }

  ExactResult run() {
    expand();
    return {!aborted_, steps_, best_, std::move(bestSchedule_)};
  }

private:
  struct Child {
    double bound, start;
    std::uint8_t task, device;
  };

  bool isLeft(std::size_t task) const { return left_ >> task & 1; }
  bool groupsAllow(std::size_t task, std::size_t device) const;
  double startOn(std::size_t task, std::size_t device) const;
  double joinStart(std::size_t task, std::size_t device) const;
  double bound();
  double workBound() const;
  Fingerprint fingerprint(std::vector<Fingerprint> &ofDevices) const;
  bool wasSeen(const Fingerprint &state) const { return seen_[state.low % seenStates] == state; }
  std::vector<Child> children(double bound, const std::vector<Fingerprint> &devices) const;
  void expand();
  void place(const Child &child);
  void takeBack(double freeBefore, double latestBefore);

  const Problem &problem_;
  const RelaxedProblem &r_;
  const StopCondition &stop_;
  std::uint64_t mostSteps_, steps_ = 0;
  bool aborted_ = false;
  double best_;
  std::vector<std::pair<TaskId, DeviceId>> bestSchedule_;
  // The partial schedule.
  std::vector<std::pair<std::uint8_t, std::uint8_t>> placed_; ///< tasks and devices, by start
  std::uint64_t left_ = 0;                                    ///< tasks not placed
  std::vector<double> ends_;
  std::vector<std::size_t> deviceOf_, waiting_;
  std::vector<double> free_;   ///< from when a device is
  double now_ = 0;             ///< the last start; none comes before it any more
  double latest_ = 0;          ///< the last end
  std::vector<double> starts_; ///< of the tasks left, at the earliest, by device
  std::vector<std::size_t> byTail_;
  std::vector<Fingerprint> seen_;
};

bool Search::groupsAllow(std::size_t task, std::size_t device) const {
  const TaskId id = r_.taskId(task);
  const auto &group = problem_.group(id);
  const auto &apart = problem_.apart(id);
  if (!group && apart.empty())
    return true;
  return std::ranges::none_of(placed_, [&](const auto &other) {
    const TaskId otherId = r_.taskId(other.first);
    const bool sameNode = r_.node(other.second) == r_.node(device);
    if (group && problem_.group(otherId) == group && !sameNode)
      return true;
    return sameNode &&
           std::ranges::find_first_of(problem_.apart(otherId), apart) != problem_.apart(otherId).end();
  });
}

/// Of a task whose predecessors are placed.
double Search::startOn(std::size_t task, std::size_t device) const {
  double start = std::max(free_[device], r_.ready(task, device));
  for (const auto &[from, delays] : r_.inputs(task))
    start = std::max(start, ends_[from] + r_.delay(delays, deviceOf_[from], device));
  return start;
}

/// At the earliest, of a task some of whose predecessors are left: each of those ends on the device, one
/// after the other, or elsewhere and sends its data.
double Search::joinStart(std::size_t task, std::size_t device) const {
  struct Job {
    double away, head, time;
  };
  Job jobs[RelaxedProblem::mostTasks];
  std::size_t count = 0;
  double start = std::max({free_[device], now_, r_.ready(task, device)});
  for (const auto &[from, delays] : r_.inputs(task)) {
    if (!isLeft(from)) {
      start = std::max(start, ends_[from] + r_.delay(delays, deviceOf_[from], device));
      continue;
    }
    double away = impossible;
    for (std::size_t other = 0; other < r_.devices(); ++other)
      if (other != device)
        away = std::min(away, starts_[from * r_.devices() + other] + r_.time(from, other) +
                                  r_.delay(delays, other, device));
    jobs[count++] = {away, starts_[from * r_.devices() + device], r_.time(from, device)};
  }
  if (count == 1)
    return std::max(start, std::min(jobs[0].away, jobs[0].head + jobs[0].time));
  std::sort(jobs, jobs + count, [](const Job &a, const Job &b) { return a.head < b.head; });
  std::vector<double> away;
  for (std::size_t i = 0; i < count; ++i)
    away.push_back(jobs[i].away);
  std::ranges::sort(away);
  const double joined = stayOrGo(away, [&](std::size_t gone) {
    // Those that stay are the ones whose data would come later than of the last that goes.
    const double last = gone == 0 ? -1 : away[gone - 1];
    double end = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (jobs[i].away > last)
        end = std::max(end, jobs[i].head) + jobs[i].time;
    return end;
  });
  return std::max(start, joined);
}

/// Fills in `starts_` and returns what no completion of the partial schedule is below.
double Search::bound() {
  double least = latest_;
  for (std::uint64_t rest = left_; rest != 0; rest &= rest - 1) {
    const auto task = static_cast<std::size_t>(std::countr_zero(rest));
    double end = impossible;
    for (std::size_t device = 0; device < r_.devices(); ++device) {
      double &start = starts_[task * r_.devices() + device];
      start = impossible;
      if (r_.time(task, device) == impossible)
        continue;
      if (waiting_[task] == 0) {
        start = startOn(task, device);
        if (start < now_) {
          // It was to start before now, so another comes first on this device.
          double shortest = impossible;
          for (std::uint64_t others = left_ & ~(std::uint64_t{1} << task); others != 0; others &= others - 1)
            shortest =
                std::min(shortest, r_.time(static_cast<std::size_t>(std::countr_zero(others)), device));
          start = now_ + shortest;
        }
      } else {
        start = joinStart(task, device);
      }
      end = std::min(end, start + r_.time(task, device) + r_.tail(task, device));
    }
    least = std::max(least, end);
    if (least >= best_)
      return least;
  }
  return std::max(least, workBound());
}

/// The work left, with the least that follows it, does not end before all devices together have done it.
double Search::workBound() const {
  double sorted[RelaxedProblem::mostDevices];
  for (std::size_t device = 0; device < r_.devices(); ++device)
    sorted[device] = std::max(free_[device], now_);
  std::sort(sorted, sorted + r_.devices());
  double least = 0, work = 0;
  for (std::size_t task : byTail_) {
    if (!isLeft(task))
      continue;
    work += r_.leastTime(task);
    // The first moment by which the devices have that much time: they come free one by one.
    double sum = 0, moment = 0;
    for (std::size_t used = 0; used < r_.devices(); ++used) {
      sum += sorted[used];
      moment = (sum + work) / static_cast<double>(used + 1);
      if (used + 1 == r_.devices() || moment <= sorted[used + 1])
        break;
    }
    least = std::max(least, moment + r_.leastTail(task));
  }
  return least;
}

/// Two partial schedules with one fingerprint have the same completions, times included, but for devices of
/// a kind that trade places: what lies before `now_` is over, whenever it was.
Fingerprint Search::fingerprint(std::vector<Fingerprint> &ofDevices) const {
  auto fromNow = [&](double moment) { return moment < now_ ? -1 : moment; };
  for (std::size_t device = 0; device < r_.devices(); ++device) {
    Fingerprint &print = ofDevices[device] = {};
    print.add(std::uint64_t{r_.kind(device)});
    print.add(fromNow(free_[device]));
  }
  for (const auto &[from, on] : placed_)
    for (const auto &[to, delays] : r_.outputs(from)) {
      if (!isLeft(to))
        continue;
      for (std::size_t device = 0; device < r_.devices(); ++device) {
        const double arrival = fromNow(ends_[from] + r_.delay(delays, on, device));
        if (arrival < 0)
          continue;
        Fingerprint single; // summed, as tasks may have been placed in another order
        single.add(std::uint64_t{from} << 8 | to);
        single.add(arrival);
        ofDevices[device].low += single.low;
        ofDevices[device].high += single.high;
      }
    }
  for (const auto &[task, device] : placed_)
    if (const TaskId id = r_.taskId(task); problem_.group(id) || !problem_.apart(id).empty())
      ofDevices[device].add(std::uint64_t{task}); // where it is stays of interest
  std::vector<Fingerprint> sorted = ofDevices;
  std::ranges::sort(sorted);
  Fingerprint state;
  state.add(left_);
  state.add(now_);
  state.add(latest_);
  state.add(placed_.empty() ? std::uint64_t{0} : std::uint64_t{placed_.back().first});
  for (const Fingerprint &print : sorted) {
    state.add(print.low);
    state.add(print.high);
  }
  return state;
}

std::vector<Search::Child> Search::children(double bound, const std::vector<Fingerprint> &devices) const {
  std::vector<Child> children;
  for (std::uint64_t rest = left_; rest != 0; rest &= rest - 1) {
    const auto task = static_cast<std::size_t>(std::countr_zero(rest));
    if (waiting_[task] != 0)
      continue;
    for (std::size_t device = 0; device < r_.devices(); ++device) {
      if (r_.time(task, device) == impossible || !groupsAllow(task, device))
        continue;
      const double start = startOn(task, device);
      if (start < now_)
        continue; // belongs to another order
      if (start == now_ && !placed_.empty() && task < placed_.back().first && r_.time(task, device) > 0 &&
          r_.time(placed_.back().first, placed_.back().second) > 0)
        continue; // of two that start together, the lower number comes first
      if (std::ranges::any_of(std::views::iota(std::size_t{0}, device),
                              [&](std::size_t other) { return devices[other] == devices[device]; }))
        continue; // alike
      const double end = start + r_.time(task, device) + r_.tail(task, device);
      if (std::max(bound, end) < best_ * (1 - rounding))
        children.push_back({std::max(bound, end), start, static_cast<std::uint8_t>(task),
                            static_cast<std::uint8_t>(device)});
    }
  }
  std::ranges::stable_sort(children, [&](const Child &a, const Child &b) {
    if (a.bound != b.bound)
      return a.bound < b.bound;
    if (a.start != b.start)
      return a.start < b.start;
    return r_.tail(a.task, a.device) > r_.tail(b.task, b.device);
  });
  return children;
}

void Search::expand() {
  if (left_ == 0) {
    if (latest_ < best_ * (1 - rounding)) {
      best_ = latest_;
      bestSchedule_.clear();
      for (const auto &[task, device] : placed_)
        bestSchedule_.emplace_back(r_.taskId(task), r_.deviceId(device));
    }
    return;
  }
  if (++steps_ > mostSteps_ || (steps_ % 256 == 0 && stop_.isMet()))
    aborted_ = true;
  if (aborted_)
    return;
  const double least = bound();
  if (least >= best_ * (1 - rounding))
    return;
  std::vector<Fingerprint> devices(r_.devices());
  const Fingerprint state = fingerprint(devices);
  if (wasSeen(state))
    return;
  for (const Child &child : children(least, devices)) {
    if (child.bound >= best_ * (1 - rounding))
      continue; // something better was found since
    const double freeBefore = free_[child.device], nowBefore = now_, latestBefore = latest_;
    place(child);
    expand();
    takeBack(freeBefore, latestBefore);
    now_ = nowBefore;
    if (aborted_)
      return;
  }
  seen_[state.low % seenStates] = state;
}

void Search::place(const Child &child) {
  placed_.emplace_back(child.task, child.device);
  left_ &= ~(std::uint64_t{1} << child.task);
  deviceOf_[child.task] = child.device;
  ends_[child.task] = free_[child.device] = child.start + r_.time(child.task, child.device);
  now_ = child.start;
  latest_ = std::max(latest_, ends_[child.task]);
  for (const auto &[to, delays] : r_.outputs(child.task))
    --waiting_[to];
}

void Search::takeBack(double freeBefore, double latestBefore) {
  const auto [task, device] = placed_.back();
  placed_.pop_back();
  left_ |= std::uint64_t{1} << task;
  free_[device] = freeBefore;
  latest_ = latestBefore;
  for (const auto &[to, delays] : r_.outputs(task))
    ++waiting_[to];
}

} // namespace

ExactResult branchAndBound(const Problem &problem, const RelaxedProblem &relaxed, Seconds cutoff,
                           std::uint64_t mostSteps, const StopCondition &stop) {
  return Search(problem, relaxed, cutoff, mostSteps, stop).run();
}

} // namespace streammap
