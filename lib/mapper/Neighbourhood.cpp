#include "mapper/Neighbourhood.h"
#include <algorithm>

namespace streammap {
namespace {

// Shares of the changes. Measured on the sets of bench/mapper: without `gather` graphs with much
// communication stay in local optima, without `rebuild` large clusters do.
constexpr double shareReassign = 0.40, shareReorder = 0.21, shareSwap = 0.10, shareGather = 0.12,
                 shareCross = 0.06, shareRegroup = 0.03; // the others: rebuild
constexpr double shareCritical = 0.5;      ///< of the tasks to change that lie on the critical path
constexpr double shareNeighbour = 0.6;     ///< of the devices that are a neighbour's
constexpr std::size_t mostTried = 24;      ///< devices a rebuild looks at for a task
constexpr std::size_t longestWindow = 24;  ///< tasks a rebuild places anew
constexpr std::size_t longestRest = 400;   ///< tasks up to which a rebuild may go on to the end
constexpr std::size_t largestGathered = 8; ///< tasks, or a quarter of the graph if that is less

} // namespace

Neighbourhood::Neighbourhood(const SearchSpace &space, Solution &solution, Random &random)
    : space_(space), solution_(solution), random_(random), position_(solution.order.size()) {
  reset();
}

void Neighbourhood::reset() {
  for (std::size_t i = 0; i < solution_.order.size(); ++i)
    position_[solution_.order[i]] = static_cast<std::uint32_t>(i);
  critical_.clear();
  reassigned_.clear();
  shifted_.clear();
}

TaskId Neighbourhood::pick() {
  if (!critical_.empty() && random_.chance(shareCritical))
    return critical_[random_.below(critical_.size())];
  return solution_.order[random_.below(solution_.order.size())];
}

DeviceId Neighbourhood::pickDevice(TaskId task) {
  if (!random_.chance(shareNeighbour))
    return anyDevice(task);
  const std::span<const TaskId> before = space_.predecessors(task), after = space_.successors(task);
  if (before.size() + after.size() == 0)
    return anyDevice(task);
  const std::size_t i = random_.below(before.size() + after.size());
  TaskId neighbour = i < before.size() ? before[i] : after[i - before.size()];
  // A sibling shares data with the task as well.
  const std::span<const TaskId> siblings =
      i < before.size() ? space_.successors(neighbour) : space_.predecessors(neighbour);
  if (random_.chance(0.3))
    neighbour = siblings[random_.below(siblings.size())];
  const DeviceId device = solution_.device[neighbour];
  return space_.problem().allows(task, device) ? device : anyDevice(task);
}

bool Neighbourhood::assign(TaskId task, DeviceId device) {
  const DeviceId before = solution_.device[task];
  if (before == device || !mayRun(task, device))
    return false;
  reassigned_.push_back({task, before});
  solution_.device[task] = device;
  first_ = std::min<std::size_t>(first_, position_[task]);
  return true;
}

void Neighbourhood::shift(std::size_t from, std::size_t to) {
  std::vector<TaskId> &order = solution_.order;
  if (from < to)
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(from),
                order.begin() + static_cast<std::ptrdiff_t>(from) + 1,
                order.begin() + static_cast<std::ptrdiff_t>(to) + 1);
  else
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(to),
                order.begin() + static_cast<std::ptrdiff_t>(from),
                order.begin() + static_cast<std::ptrdiff_t>(from) + 1);
  for (std::size_t i = std::min(from, to); i <= std::max(from, to); ++i)
    position_[order[i]] = static_cast<std::uint32_t>(i);
}

/// Anywhere between the last of its predecessors and the first of its successors.
bool Neighbourhood::moveWithinWindow(TaskId task) {
  std::size_t low = 0, high = solution_.order.size() - 1;
  for (TaskId before : space_.predecessors(task))
    low = std::max<std::size_t>(low, position_[before] + 1);
  for (TaskId after : space_.successors(task))
    high = std::min<std::size_t>(high, position_[after] - 1);
  const std::size_t from = position_[task], to = low + random_.below(high - low + 1);
  if (from == to)
    return false;
  shift(from, to);
  shifted_.push_back({from, to});
  first_ = std::min({first_, from, to});
  return true;
}

void Neighbourhood::reassign() {
  const TaskId task = pick();
  if (assign(task, pickDevice(task)) && random_.chance(0.5))
    moveWithinWindow(task);
}

void Neighbourhood::reorder() {
  moveWithinWindow(pick());
}

void Neighbourhood::swap() {
  const TaskId a = pick();
  const std::size_t reach = std::min<std::size_t>(solution_.order.size(), 32);
  const std::size_t low = position_[a] < reach / 2 ? 0 : position_[a] - reach / 2;
  const TaskId b = solution_.order[std::min(low + random_.below(reach), solution_.order.size() - 1)];
  const DeviceId deviceA = solution_.device[a], deviceB = solution_.device[b];
  if (deviceA == deviceB || !mayRun(a, deviceB) || !mayRun(b, deviceA))
    return;
  assign(a, deviceB);
  assign(b, deviceA);
}

void Neighbourhood::gather() {
  const TaskId seed = pick();
  const DeviceId target = random_.chance(0.5) ? pickDevice(seed) : anyDevice(seed);
  const std::size_t most =
      2 + random_.below(std::max<std::size_t>(1, std::min(largestGathered, solution_.order.size() / 4)));
  std::vector<TaskId> part{seed};
  while (part.size() < most) {
    const TaskId from = part[random_.below(part.size())];
    const std::span<const TaskId> next =
        random_.chance(0.5) ? space_.successors(from) : space_.predecessors(from);
    if (next.empty())
      break;
    const TaskId task = next[random_.below(next.size())];
    if (std::ranges::find(part, task) != part.end())
      break;
    part.push_back(task);
  }
  for (TaskId task : part)
    assign(task, target);
}

void Neighbourhood::cross() {
  const TaskId a = pick(), b = solution_.order[random_.below(solution_.order.size())];
  const DeviceId deviceA = solution_.device[a];
  const DeviceId deviceB = random_.chance(0.7) ? solution_.device[b] : anyDevice(a);
  if (deviceA == deviceB)
    return;
  for (std::size_t i = position_[a]; i < solution_.order.size(); ++i) {
    const TaskId task = solution_.order[i];
    if (solution_.device[task] == deviceA)
      assign(task, deviceB);
    else if (solution_.device[task] == deviceB)
      assign(task, deviceA);
  }
}

void Neighbourhood::regroup() {
  if (space_.groups().empty())
    return;
  const std::vector<TaskId> &group = space_.groups()[random_.below(space_.groups().size())];
  const auto &devices = space_.problem().cluster().devices;
  const NodeId node = devices[anyDevice(group.front())].node;
  if (!space_.canMoveGroup(solution_, group, node))
    return;
  for (TaskId task : group) {
    std::vector<DeviceId> there;
    for (DeviceId device : space_.allowed(task))
      if (devices[device].node == node)
        there.push_back(device);
    if (there.empty())
      return undo();
    reassigned_.push_back({task, solution_.device[task]});
    solution_.device[task] = there[random_.below(there.size())];
    first_ = std::min<std::size_t>(first_, position_[task]);
  }
}

/// All devices of a small cluster; on a larger one those of tasks that share data, and some at random.
std::vector<DeviceId> Neighbourhood::worthTrying(TaskId task) {
  const std::span<const DeviceId> allowed = space_.allowed(task);
  std::vector<DeviceId> devices;
  if (allowed.size() <= mostTried) {
    devices.assign(allowed.begin(), allowed.end());
  } else {
    devices.push_back(solution_.device[task]);
    for (TaskId before : space_.predecessors(task).first(
             std::min<std::size_t>(space_.predecessors(task).size(), mostTried / 3)))
      devices.push_back(solution_.device[before]);
    while (devices.size() < mostTried)
      devices.push_back(random_.chance(0.5) ? pickDevice(task) : anyDevice(task));
    std::ranges::sort(devices);
    const auto repeated = std::ranges::unique(devices);
    devices.erase(repeated.begin(), repeated.end());
  }
  std::erase_if(devices, [&](DeviceId device) { return !mayRun(task, device); });
  return devices;
}

std::optional<std::size_t> Neighbourhood::rebuild(Evaluator &evaluator) {
  const TaskId seed = pick();
  if (random_.chance(0.5))
    moveWithinWindow(seed);
  const std::size_t start = std::min<std::size_t>(first_, position_[seed]);
  const std::size_t rest = solution_.order.size() - start;
  // To the end it is a list schedule of its own, which pays where any device is as good as another.
  const std::size_t length =
      rest <= longestRest && random_.chance(0.3) ? rest : 1 + random_.below(std::min(longestWindow, rest));
  const Seconds noise = space_.meanTime() * (random_.chance(0.5) ? 0 : random_.chance(0.5) ? 0.5 : 2);
  for (std::size_t i = evaluator.placed(); i < start; ++i)
    evaluator.place(solution_.order[i], solution_.device[solution_.order[i]]);
  evaluator.rewind(start);
  for (std::size_t i = start; i < start + length; ++i) {
    const TaskId task = solution_.order[i];
    DeviceId best = solution_.device[task];
    Seconds least = never;
    for (DeviceId device : worthTrying(task))
      if (const Seconds end = evaluator.endOn(task, device) + noise * random_.unit(); end < least) {
        least = end;
        best = device;
      }
    assign(task, best);
    evaluator.place(task, best);
  }
  return reassigned_.empty() && shifted_.empty() ? std::nullopt : std::optional(first_);
}

std::optional<std::size_t> Neighbourhood::change(Evaluator &evaluator) {
  reassigned_.clear();
  shifted_.clear();
  first_ = solution_.order.size();
  double share = random_.unit();
  auto drew = [&](double part) { return (share -= part) < 0; };
  if (drew(shareReassign))
    reassign();
  else if (drew(shareReorder))
    reorder();
  else if (drew(shareSwap))
    swap();
  else if (drew(shareGather))
    gather();
  else if (drew(shareCross))
    cross();
  else if (drew(shareRegroup))
    regroup();
  else
    return rebuild(evaluator);
  return reassigned_.empty() && shifted_.empty() ? std::nullopt : std::optional(first_);
}

void Neighbourhood::undo() {
  for (auto change = reassigned_.rbegin(); change != reassigned_.rend(); ++change)
    solution_.device[change->task] = change->before;
  for (auto change = shifted_.rbegin(); change != shifted_.rend(); ++change)
    shift(change->to, change->from);
  reassigned_.clear();
  shifted_.clear();
}

} // namespace streammap
