#include "mapper/Explain.h"
#include "sim/ScheduleBuilder.h"
#include "support/Text.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace streammap {
namespace {

constexpr std::size_t fewDevices = 64; ///< up to here each is retimed
constexpr std::size_t mostRetimed = 24;
constexpr std::size_t mostLevers = 10;
constexpr double same = 1e-9; ///< relative: schedules are sums of doubles

bool isEarlier(Seconds a, Seconds b) {
  return a < b - seconds(same * std::max(std::abs(a.value()), std::abs(b.value())));
}
bool isSame(Seconds a, Seconds b) {
  return !isEarlier(a, b) && !isEarlier(b, a);
}

/// The problem on devices of unlimited memory: what a task waits for less there, it waits for memory.
Cluster withoutMemoryLimits(const Cluster &cluster) {
  Cluster unlimited = cluster;
  for (GpuModel &model : unlimited.models)
    model.memory = Bytes();
  return unlimited;
}

class Explainer {
public:
  Explainer(const Problem &problem, const Placement &placement, TaskId task)
      : problem_(problem), placement_(placement), task_(task), decisions_(decisionsOf(problem, placement)),
        unlimitedCluster_(withoutMemoryLimits(problem.cluster())),
        unlimited_(makeProblem(problem.graph(), unlimitedCluster_)) {}

  TaskExplanation explain() {
    TaskExplanation why;
    why.task = task_;
    why.predicted = placement_.predicted.makespan;
    const DeviceId here = decisions_.device[task_];
    const Placement chosen = retime(problem_, decisions_);
    why.chosen = judge(chosen, here);
    std::vector<Alternative> others;
    for (DeviceId device : devicesToTry())
      if (device != here)
        others.push_back(judge(retime(problem_, decisions_.moved(task_, device)), device));
    std::ranges::stable_sort(others, [](const Alternative &a, const Alternative &b) {
      return !isSame(a.makespan, b.makespan) ? a.makespan < b.makespan : isEarlier(a.end, b.end);
    });
    why.others = grouped(std::move(others));
    for (const Alternative &other : why.others)
      why.whyLost.push_back(reason(why.chosen, other));
    if (!why.others.empty())
      why.flips = flips(chosen, why.others.front().device);
    why.unavailable = unavailable();
    return why;
  }

private:
  /// Why the task may not move to the node while the others stay, or nothing.
  std::optional<std::string> groupObjection(NodeId node) const {
    if (!problem_.group(task_) && problem_.apart(task_).empty())
      return std::nullopt;
    for (TaskId other : problem_.graph().tasks.ids()) {
      if (other == task_)
        continue;
      const NodeId there = problem_.cluster().devices[decisions_.device[other]].node;
      if (problem_.group(task_) && problem_.group(other) == problem_.group(task_) && there != node)
        return "together with " + taskName(problem_.graph(), other) + " on " +
               problem_.cluster().nodes[there].name;
      if (there != node)
        continue;
      for (std::size_t key : problem_.apart(task_))
        if (std::ranges::find(problem_.apart(other), key) != problem_.apart(other).end())
          return "apart from " + taskName(problem_.graph(), other) + ", which runs there";
    }
    return std::nullopt;
  }

  /// Every device that may run the task, or on large clusters those the schedule builder would look at.
  std::vector<DeviceId> devicesToTry() {
    std::map<NodeId, bool> nodes;
    auto mayMoveTo = [&](DeviceId device) {
      if (!problem_.allows(task_, device))
        return false;
      const NodeId node = problem_.cluster().devices[device].node;
      const auto [found, isNew] = nodes.try_emplace(node, false);
      if (isNew)
        found->second = !groupObjection(node);
      return found->second;
    };
    std::vector<DeviceId> devices;
    if (problem_.devices().size() <= fewDevices) {
      std::ranges::copy_if(problem_.devices(), std::back_inserter(devices), mayMoveTo);
      return devices;
    }
    ScheduleBuilder builder(problem_);
    for (TaskId before : decisions_.order) {
      if (before == task_)
        break;
      builder.place(before, decisions_.device[before]);
    }
    std::vector<std::pair<Seconds, DeviceId>> byEnd;
    for (DeviceId device : builder.candidates(task_))
      if (mayMoveTo(device))
        byEnd.emplace_back(builder.slotOn(task_, device).end, device);
    std::ranges::sort(byEnd);
    for (const auto &[end, device] : byEnd)
      if (devices.size() < mostRetimed)
        devices.push_back(device);
    return devices;
  }

  Alternative judge(const Placement &placement, DeviceId device) const {
    Alternative alternative;
    const Assignment &run = placement.assignments[task_.index()];
    alternative.device = device;
    alternative.start = run.start;
    alternative.end = run.end;
    alternative.makespan = placement.predicted.makespan;
    const Arrival arrival = dataArrives(problem_, placement, device);
    alternative.link = arrival.link;
    CostParts &parts = alternative.parts;
    parts.compute = run.end - run.start;
    parts.transfer = arrival.at - predecessorsEnd(placement);
    parts.wait = run.start - arrival.at;
    parts.memory = waitedForMemory(parts.wait, device);
    parts.wait -= parts.memory;
    for (const Assignment &other : placement.assignments)
      if (other.device == device && other.task != task_ && parts.wait > Seconds() &&
          isSame(other.end, run.start))
        alternative.waited = taskName(problem_.graph(), other.task);
    return alternative;
  }

  Seconds predecessorsEnd(const Placement &placement) const {
    Seconds end;
    for (std::size_t i : problem_.incoming(task_))
      end = std::max(end, placement.assignments[problem_.graph().dependencies[i].from.index()].end);
    return end;
  }

  struct Arrival {
    Seconds at; ///< no earlier than the last predecessor's end
    std::string link;
  };

  /// The last of the task's pieces of data to reach the device, which may have come for another task.
  Arrival dataArrives(const Problem &problem, const Placement &placement, DeviceId device) const {
    const Seconds start = placement.assignments[task_.index()].start;
    Arrival last{predecessorsEnd(placement), ""};
    for (PieceId id : problem.inputs(task_)) {
      const Piece &piece = problem.pieces()[id];
      for (const Transfer &transfer : placement.transfers)
        if (transfer.to == device && transfer.dependency == piece.dependency &&
            transfer.buffer == piece.buffer && transfer.size == piece.size &&
            !isEarlier(start, transfer.end) && transfer.end > last.at)
          last = {std::min(transfer.end, start), narrowest(transfer)};
    }
    return last;
  }

  std::string narrowest(const Transfer &transfer) const {
    const Link *found = nullptr;
    for (const std::string &name : transfer.route)
      for (const Link &link : problem_.fabric().links())
        if (link.name == name && (!found || link.bandwidth < found->bandwidth))
          found = &link;
    return found ? found->name : "";
  }

  /// How much of a wait is gone where memory has no limit.
  Seconds waitedForMemory(Seconds wait, DeviceId device) const {
    if (wait <= Seconds() || !unlimited_ ||
        problem_.cluster().models[problem_.cluster().devices[device].model].memory == Bytes())
      return {};
    const Placement placement = retime(*unlimited_, decisions_.moved(task_, device));
    const Seconds otherWait =
        placement.assignments[task_.index()].start - dataArrives(*unlimited_, placement, device).at;
    return isEarlier(otherWait, wait) ? wait - std::max(otherWait, Seconds()) : Seconds();
  }

  std::vector<Alternative> grouped(std::vector<Alternative> all) const {
    std::vector<Alternative> groups;
    auto alike = [&](const Alternative &a, const Alternative &b) {
      return problem_.classOf(a.device) == problem_.classOf(b.device) && isSame(a.end, b.end) &&
             isSame(a.makespan, b.makespan) && isSame(a.parts.transfer, b.parts.transfer) &&
             isSame(a.parts.memory, b.parts.memory) && isSame(a.parts.wait, b.parts.wait);
    };
    for (Alternative &one : all) {
      const auto known =
          std::ranges::find_if(groups, [&](const Alternative &group) { return alike(group, one); });
      if (known == groups.end())
        groups.push_back(std::move(one));
      else
        ++known->alike;
    }
    return groups;
  }

  std::string reason(const Alternative &chosen, const Alternative &other) const {
    const CostParts &a = chosen.parts, &b = other.parts;
    const std::string makespan =
        isSame(chosen.makespan, other.makespan)
            ? ""
            : "the makespan would be " + toText(other.makespan - chosen.makespan) + " longer";
    if (isEarlier(other.makespan, chosen.makespan))
      return "it would be better: the makespan would be " + toText(chosen.makespan - other.makespan) +
             " shorter; the strategy decided before it knew that";
    if (isEarlier(other.end, chosen.end) || isSame(other.end, chosen.end))
      return !makespan.empty() ? "the task would end no later there, but what follows it would: " + makespan
             : isSame(other.end, chosen.end)
                 ? "a tie: neither the task nor the program would end earlier or later"
                 : "the task would end " + toText(chosen.end - other.end) +
                       " earlier there, and the program no sooner";
    struct Part {
      Seconds more;
      std::string text;
    };
    std::vector<Part> parts{{b.transfer - a.transfer,
                             "its data arrives later" + (other.link.empty() ? "" : ", by " + other.link)},
                            {b.wait - a.wait, other.waited.empty()
                                                  ? "the device is not free"
                                                  : "the device is busy with " + other.waited},
                            {b.memory - a.memory, "the device's memory is full"},
                            {b.compute - a.compute, "it computes longer"}};
    std::ranges::stable_sort(parts, std::greater{}, &Part::more);
    std::string text = parts[0].text + " (" + toText(parts[0].more) + ")";
    if (isEarlier(other.end - chosen.end, parts[0].more * 2) && parts[1].more > Seconds() &&
        isEarlier(parts[0].more, other.end - chosen.end))
      text += " and " + parts[1].text + " (" + toText(parts[1].more) + ")";
    return text + (makespan.empty() ? "; the makespan stays" : "; " + makespan);
  }

  // --- what would flip the choice ---

  /// An assumption that may decide, and the direction in which changing it helps the alternative.
  struct Lever {
    Change change;
    bool up;
  };

  void addTimeLever(std::vector<Lever> &levers, TaskId task, DeviceId device, bool up) const {
    Change change;
    change.task = task;
    change.model = problem_.classOf(device);
    if (problem_.timeOn(task, device) > Seconds())
      levers.push_back({change, up});
  }

  /// Links that carry what the task reads or writes; each helps the side that uses it and not the other.
  std::vector<std::string> linksOfTask(const Placement &placement) const {
    std::set<std::string> links;
    const TaskGraph &graph = problem_.graph();
    const DeviceId device = placement.assignments[task_.index()].device;
    for (const Transfer &transfer : placement.transfers) {
      const bool out = transfer.dependency && graph.dependencies[*transfer.dependency].from == task_;
      const bool in = transfer.to == device && std::ranges::any_of(problem_.inputs(task_), [&](PieceId id) {
                        const Piece &piece = problem_.pieces()[id];
                        return piece.dependency == transfer.dependency && piece.buffer == transfer.buffer;
                      });
      if (in || out)
        links.insert(transfer.route.begin(), transfer.route.end());
    }
    return {links.begin(), links.end()};
  }

  void addLinkLevers(std::vector<Lever> &levers, const Placement &placement, bool up) const {
    for (const std::string &link : linksOfTask(placement))
      if (const std::optional<LinkGroup> group = linkGroupOf(problem_.cluster(), link)) {
        Change change;
        change.kind = ChangeKind::linkSpeed;
        change.links = *group;
        if (std::ranges::none_of(levers, [&](const Lever &known) {
              return known.change.kind == ChangeKind::linkSpeed && known.change.links == *group &&
                     known.up == up;
            }))
          levers.push_back({change, up});
      }
  }

  /// The task before this one on the device, whose time decides when it is free.
  std::optional<TaskId> before(const Placement &placement) const {
    const Assignment &run = placement.assignments[task_.index()];
    for (const Assignment &other : placement.assignments)
      if (other.device == run.device && other.task != task_ && isSame(other.end, run.start))
        return other.task;
    return std::nullopt;
  }

  std::vector<Lever> levers(const Placement &chosen, const Placement &other, DeviceId there) const {
    std::vector<Lever> levers;
    const DeviceId here = decisions_.device[task_];
    addTimeLever(levers, task_, here, true);
    addTimeLever(levers, task_, there, false);
    if (const std::optional<TaskId> busy = before(other))
      addTimeLever(levers, *busy, there, false);
    if (const std::optional<TaskId> busy = before(chosen))
      addTimeLever(levers, *busy, here, true);
    addLinkLevers(levers, other, true);
    addLinkLevers(levers, chosen, false);
    if (levers.size() > mostLevers)
      levers.resize(mostLevers);
    return levers;
  }

  bool flipped(const Change &change, const Decisions &moved) const {
    return isBetter(retimeChanged(problem_, moved, change), retimeChanged(problem_, decisions_, change),
                    task_);
  }

  std::optional<Change> smallestFlip(const Lever &lever, const Decisions &moved, double giveUp) const {
    auto at = [&](double factor) {
      Change change = lever.change;
      change.factor = lever.up ? factor : 1 / factor;
      return change;
    };
    double low = 1;
    for (double high : {1.02, 1.05, 1.1, 1.2, 1.4, 1.7, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1000.0}) {
      if (low > giveUp)
        return std::nullopt;
      if (flipped(at(high), moved)) {
        while (high / low > 1.002) {
          const double middle = std::sqrt(low * high);
          (flipped(at(middle), moved) ? high : low) = middle;
        }
        return at(high);
      }
      low = high;
    }
    return std::nullopt;
  }

  static double size(const Change &change) { return std::max(change.factor, 1 / change.factor); }

  std::vector<Change> flips(const Placement &chosen, DeviceId there) const {
    const Decisions moved = decisions_.moved(task_, there);
    const Placement other = retime(problem_, moved);
    if (isBetter(other, chosen, task_))
      return {};
    std::vector<Change> found;
    double giveUp = 1000;
    for (const Lever &lever : levers(chosen, other, there))
      if (const std::optional<Change> change = smallestFlip(lever, moved, giveUp)) {
        found.push_back(*change);
        giveUp = std::min(giveUp, 5 * size(*change)); // who needs far more is of no interest beside it
      }
    std::ranges::stable_sort(found, {}, size);
    return found;
  }

  // --- what was not considered ---

  std::string objection(DeviceId id) const {
    const Cluster &cluster = problem_.cluster();
    const Device &device = cluster.devices[id];
    const Node &node = cluster.nodes[device.node];
    const bool nodeDown = node.state != State::up;
    if (nodeDown || device.state != State::up) {
      const std::string &why = nodeDown ? node.reason : device.reason;
      return std::string(toText(nodeDown ? node.state : device.state)) +
             (why.empty() ? "" : " (" + why + ")");
    }
    if (!problem_.estimate(task_, problem_.classOf(id)))
      return "not allowed by its device, capability, model or memory";
    if (!problem_.allows(task_, id))
      return "the task is bound to node " + cluster.nodes[*problem_.pinned(task_)].name;
    return groupObjection(device.node).value_or("");
  }

  std::vector<Unavailable> unavailable() const {
    const Cluster &cluster = problem_.cluster();
    std::map<std::pair<std::string, std::string>, std::vector<DeviceId>> byReason; // model, reason
    for (DeviceId id : cluster.devices.ids())
      if (const std::string why = objection(id); !why.empty())
        byReason[{cluster.models[cluster.devices[id].model].name, why}].push_back(id);
    std::vector<Unavailable> list;
    for (const auto &[key, devices] : byReason)
      list.push_back({deviceName(cluster, devices.front()) +
                          (devices.size() > 1 ? " and " + std::to_string(devices.size() - 1) + " more" : "") +
                          " (" + key.first + ")",
                      key.second});
    return list;
  }

  const Problem &problem_;
  const Placement &placement_;
  TaskId task_;
  Decisions decisions_;
  Cluster unlimitedCluster_;
  Expected<Problem> unlimited_;
};

} // namespace

bool isBetter(const Placement &a, const Placement &b, TaskId task) {
  if (!isSame(a.predicted.makespan, b.predicted.makespan))
    return a.predicted.makespan < b.predicted.makespan;
  return isEarlier(a.assignments[task.index()].end, b.assignments[task.index()].end);
}

Placement retimeChanged(const Problem &problem, const Decisions &decisions, const Change &change) {
  if (change.kind == ChangeKind::taskTime) {
    const TaskGraph graph = scaledTime(problem, change.task, change.model, change.factor);
    return retime(*makeProblem(graph, problem.cluster()), decisions);
  }
  const Cluster cluster = scaledLinks(problem.cluster(), change.links, change.factor);
  return retime(*makeProblem(problem.graph(), cluster), decisions);
}

TaskExplanation explainTask(const Problem &problem, const Placement &placement, TaskId task) {
  return Explainer(problem, placement, task).explain();
}

} // namespace streammap
