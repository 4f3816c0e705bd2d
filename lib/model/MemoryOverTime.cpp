// Every reader on a device needs its data there from some moment on until it ends: from the start of the last
// transfer that brought them before it starts, or, where it was written on the device and not sent there
// again, from the end of the task that wrote it. Between two uses without a new transfer it stays. That is
// the least a device must hold; a sweep over time adds the footprint of the running task, of which its own
// data are a part.
#include "model/MemoryOverTime.h"
#include "model/Footprint.h"
#include "model/Regions.h"
#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace streammap {
namespace {

/// Data that is told apart: what a task wrote into a buffer, what one dependency without a buffer carries, or
/// a region of a buffer as it was at the start.
struct DataKey {
  TaskId producer; ///< invalid: as at the start
  BufferId buffer; ///< invalid: none
  std::size_t dependency = 0;
  Region region;
  auto operator<=>(const DataKey &) const = default;
};

struct Need {
  DeviceId device;
  DataKey key;
  TaskId reader;
  double start, end, bytes;
};

struct Arrival {
  DeviceId device;
  DataKey key; ///< of data as at the start: without a region
  double start, end, bytes;
};

/// Bytes of group `group`, data on one device, that are held from `from` to `to`.
struct Hold {
  std::size_t group;
  double from, to, bytes;
};

class Account {
public:
  Account(const TaskGraph &graph, const Cluster &cluster, std::span<const Transfer> transfers,
          const IndexedVector<TaskId, const Assignment *> &chosen, double tolerance)
      : graph_(graph), cluster_(cluster), transfers_(transfers), chosen_(chosen), tolerance_(tolerance) {}

  std::vector<MemoryExcess> find() {
    collectNeeds();
    findSuspects();
    if (std::ranges::find(watched_, 1) == watched_.end())
      return {};
    std::erase_if(needs_, [&](const Need &need) { return !watched_[need.device]; });
    std::vector<MemoryExcess> found;
    for (const IndexedVector<DeviceId, std::vector<Event>> events = followData();
         DeviceId device : cluster_.devices.ids())
      if (const std::optional<MemoryExcess> excess = firstExcess(device, events[device]))
        found.push_back(*excess);
    return found;
  }

  IndexedVector<DeviceId, std::vector<HeldMemory>> trace() {
    watched_.assign(cluster_.devices.size(), 1);
    collectNeeds();
    const IndexedVector<DeviceId, std::vector<Event>> events = followData();
    IndexedVector<DeviceId, std::vector<HeldMemory>> traces(cluster_.devices.size());
    for (DeviceId device : cluster_.devices.ids())
      sweep(events[device], [&, &steps = traces[device]](const Event &event, double held, TaskId) {
        const Seconds time = momentOf(event);
        if (steps.empty() || steps.back().time < time)
          steps.push_back({time, Bytes(held)});
        else
          steps.back().held = Bytes(held);
        return true;
      });
    for (std::vector<HeldMemory> &steps : traces)
      std::erase_if(steps, [last = Bytes()](const HeldMemory &step) mutable {
        return std::exchange(last, step.held) == step.held;
      });
    return traces;
  }

private:
  struct Event {
    double time;
    int order; ///< at one moment: 0 ends, 1 data comes, 2 a task starts
    std::size_t subject;
    double bytes; ///< of data; a task's are worked out when it starts
  };

  /// From the needs of the watched devices to what happens on each, by time.
  IndexedVector<DeviceId, std::vector<Event>> followData() {
    collectArrivals();
    matchInitialData();
    auto byData = [](const auto &a, const auto &b) {
      return std::tie(a.device, a.key, a.start) < std::tie(b.device, b.key, b.start);
    };
    std::ranges::stable_sort(needs_, byData);
    std::ranges::stable_sort(arrivals_, byData);
    collectHolds();
    return collectEvents();
  }

  Bytes capacity(DeviceId device) const { return cluster_.models[cluster_.devices[device].model].memory; }

  void collectNeeds() {
    std::vector<std::size_t> order(graph_.dependencies.size()); // by reader
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return graph_.dependencies[i].to; });
    auto next = order.begin();
    for (TaskId reader : graph_.tasks.ids()) {
      const Assignment &run = *chosen_[reader];
      auto need = [&](const DataKey &key, double bytes) {
        if (bytes > 0 && (capacity(run.device) > Bytes() || !watched_.empty()))
          needs_.push_back({run.device, key, reader, run.start.value(), run.end.value(), bytes});
      };
      const auto first = next;
      for (; next != order.end() && graph_.dependencies[*next].to == reader; ++next)
        need(keyOf(*next), graph_.dependencies[*next].size.value());
      for (const Access &access : graph_.tasks[reader].accesses)
        if (access.mode != AccessMode::out)
          need({TaskId(), access.buffer, 0, access.region}, fresh(access, {first, next}));
    }
  }

  /// The bytes of the access that no dependency brings. Where dependencies bring bytes that their writers'
  /// accesses do not name, none: it cannot be told which.
  double fresh(const Access &access, std::span<const std::size_t> dependencies) const {
    double missing = static_cast<double>(access.region.bytes());
    for (std::size_t i : dependencies) {
      const Dependency &dependency = graph_.dependencies[i];
      if (dependency.buffer != access.buffer || dependency.size == Bytes())
        continue;
      double named = 0;
      for (const Access &written : graph_.tasks[dependency.from].accesses)
        if (written.buffer == access.buffer && written.mode != AccessMode::in)
          named += static_cast<double>(overlapBytes(written.region, access.region));
      if (named == 0 && graph_.tasks[dependency.from].accesses.empty())
        return 0;
      missing -= std::min(named, dependency.size.value());
    }
    return missing;
  }

  DataKey keyOf(std::size_t index) const {
    const Dependency &dependency = graph_.dependencies[index];
    return dependency.buffer ? DataKey{dependency.from, *dependency.buffer, 0, {}}
                             : DataKey{dependency.from, BufferId(), index, {}};
  }

  /// Devices on which everything that is ever needed, and the largest footprint, do not fit at once.
  void findSuspects() {
    IndexedVector<DeviceId, double> most(cluster_.devices.size()), largest(cluster_.devices.size());
    for (const Need &need : needs_)
      most[need.device] += need.bytes;
    for (TaskId task : graph_.tasks.ids())
      largest[chosen_[task]->device] =
          std::max(largest[chosen_[task]->device], footprint(graph_.tasks[task]).value());
    watched_.assign(cluster_.devices.size(), 0);
    for (DeviceId device : cluster_.devices.ids())
      watched_[device] =
          capacity(device) > Bytes() && most[device] + largest[device] > capacity(device).value();
  }

  void collectArrivals() {
    for (const Transfer &transfer : transfers_) {
      if (!watched_[transfer.to] || (!transfer.dependency && !transfer.buffer))
        continue;
      const DataKey key =
          transfer.dependency ? keyOf(*transfer.dependency) : DataKey{TaskId(), *transfer.buffer, 0, {}};
      arrivals_.push_back(
          {transfer.to, key, transfer.start.value(), transfer.end.value(), transfer.size.value()});
    }
  }

  /// A transfer of data as at the start does not say which region it is. A reader takes, of those of the
  /// right size that end before it starts, the last one; where a region has come before, only one that left
  /// after its last reader.
  void matchInitialData() {
    std::vector<Need *> readers;
    for (Need &need : needs_)
      if (!need.key.producer.valid())
        readers.push_back(&need);
    std::ranges::stable_sort(readers, [](const Need *a, const Need *b) {
      return std::tie(a->device, a->start, a->key) < std::tie(b->device, b->start, b->key);
    });
    std::vector<Arrival *> unnamed;
    for (Arrival &arrival : arrivals_)
      if (!arrival.key.producer.valid())
        unnamed.push_back(&arrival);
    auto place = [](const Arrival *a) { return std::tuple(a->device, a->key.buffer, a->bytes, a->start); };
    std::ranges::stable_sort(unnamed, {}, place);
    std::vector<char> taken(unnamed.size(), 0);
    for (Need *need : readers) {
      const auto begin = std::ranges::lower_bound(
          unnamed, std::tuple(need->device, need->key.buffer, need->bytes, -1.0), {}, place);
      auto latest = unnamed.end();
      for (auto at = begin;
           at != unnamed.end() && (*at)->device == need->device && (*at)->key.buffer == need->key.buffer &&
           (*at)->bytes == need->bytes && (*at)->start <= need->start + tolerance_;
           ++at)
        if (!taken[static_cast<std::size_t>(at - unnamed.begin())] && (*at)->end <= need->start + tolerance_)
          latest = at;
      if (latest != unnamed.end() && (*latest)->start >= lastUse(need->device, need->key) - tolerance_) {
        taken[static_cast<std::size_t>(latest - unnamed.begin())] = 1;
        (*latest)->key = need->key;
      }
      noteUse(*need);
    }
  }

  double lastUse(DeviceId device, const DataKey &key) const {
    const auto found = lastUse_.find({device, key});
    return found == lastUse_.end() ? -1 : found->second;
  }
  void noteUse(const Need &need) {
    double &last = lastUse_[{need.device, need.key}];
    last = std::max(last, need.end);
  }

  void collectHolds() {
    auto arrival = arrivals_.begin();
    for (auto need = needs_.begin(); need != needs_.end();) {
      const auto same = [&](const auto &other) {
        return other.device == need->device && other.key == need->key;
      };
      const auto needEnd = std::find_if_not(need, needs_.end(), same);
      while (arrival != arrivals_.end() &&
             std::tie(arrival->device, arrival->key) < std::tie(need->device, need->key))
        ++arrival;
      const auto arrivalEnd = std::find_if_not(arrival, arrivals_.end(), same);
      groupDevice_.push_back(need->device);
      holdGroup({need, needEnd}, {arrival, arrivalEnd});
      need = needEnd;
      arrival = arrivalEnd;
    }
  }

  void holdGroup(std::span<const Need> needs, std::span<const Arrival> arrivals) {
    const std::size_t group = groupDevice_.size() - 1;
    using Until = std::pair<double, double>;                     // end, bytes
    std::vector<std::vector<Until>> served(arrivals.size() + 1); // the last: what was written there
    for (const Need &need : needs) {
      ownGroups_.emplace_back(need.reader, group);
      double missing = need.bytes;
      for (std::size_t i = arrivals.size(); i-- > 0 && missing > 0;) {
        if (arrivals[i].end > need.start + tolerance_)
          continue;
        served[i].emplace_back(need.end, std::min(missing, arrivals[i].bytes));
        missing -= arrivals[i].bytes;
      }
      const TaskId producer = need.key.producer;
      if (missing > 0 && producer.valid() && chosen_[producer]->device == need.device)
        served.back().emplace_back(need.end, missing);
    }
    for (std::size_t i = 0; i < served.size(); ++i) {
      const double from = i < arrivals.size() ? arrivals[i].start
                          : served[i].empty() ? 0
                                              : chosen_[needs[0].key.producer]->end.value();
      // Readers may share bytes: at each moment the most that one of those to come needs.
      std::ranges::sort(served[i], std::greater());
      double most = 0;
      for (const auto &[until, bytes] : served[i])
        if (bytes > most) {
          if (from + tolerance_ < until)
            holds_.push_back({group, from + tolerance_, until, bytes - most});
          most = bytes;
        }
    }
  }

  // --- the sweep ---

  IndexedVector<DeviceId, std::vector<Event>> collectEvents() {
    IndexedVector<DeviceId, std::vector<Event>> events(cluster_.devices.size());
    for (const Hold &hold : holds_) {
      std::vector<Event> &own = events[groupDevice_[hold.group]];
      own.push_back({hold.from, 1, hold.group, hold.bytes});
      own.push_back({hold.to, 0, hold.group, -hold.bytes});
    }
    for (TaskId task : graph_.tasks.ids())
      if (const Assignment &run = *chosen_[task]; watched_[run.device] && run.start < run.end) {
        events[run.device].push_back({run.start.value(), 2, task.index(), 0});
        events[run.device].push_back({run.end.value(), 0, SIZE_MAX, 0});
      }
    for (std::vector<Event> &own : events)
      std::ranges::stable_sort(own, [](const Event &a, const Event &b) {
        return std::tie(a.time, a.order) < std::tie(b.time, b.order);
      });
    std::ranges::sort(ownGroups_);
    current_.assign(groupDevice_.size(), 0);
    return events;
  }

  /// Calls `atEach(event, bytes held after it, running task)` by time until it returns false.
  template <class AtEach>
  void sweep(const std::vector<Event> &events, AtEach atEach) {
    double held = 0;
    TaskId running;
    for (const Event &event : events) {
      if (event.order == 2) {
        running = TaskId(event.subject);
      } else if (event.subject == SIZE_MAX) {
        running = TaskId();
      } else {
        held += event.bytes;
        current_[event.subject] += event.bytes;
      }
      if (!atEach(event, held + (running.valid() ? beyondOwnData(running) : 0), running))
        return;
    }
  }

  std::optional<MemoryExcess> firstExcess(DeviceId device, const std::vector<Event> &events) {
    const double limit = capacity(device).value() * (1 + 1e-9);
    std::optional<MemoryExcess> found;
    sweep(events, [&](const Event &event, double held, TaskId running) {
      if (event.order != 0 && held > limit)
        found = MemoryExcess{device, momentOf(event), Bytes(held), running};
      return !found;
    });
    return found;
  }

  /// Data is taken to come a tolerance late (`holdGroup`).
  Seconds momentOf(const Event &event) const {
    return seconds(event.order == 1 ? event.time - tolerance_ : event.time);
  }

  /// What the task takes besides its data that are there now. A task that does not say takes just its data.
  double beyondOwnData(TaskId id) const {
    const Task &task = graph_.tasks[id];
    const bool says = task.deviceMemory || !task.accesses.empty();
    return says ? footprint(task).value() - ownData(id) : 0;
  }

  double ownData(TaskId task) const {
    double sum = 0;
    for (auto at = std::ranges::lower_bound(ownGroups_, std::pair(task, std::size_t{0}));
         at != ownGroups_.end() && at->first == task; ++at)
      sum += current_[at->second];
    return sum;
  }

  const TaskGraph &graph_;
  const Cluster &cluster_;
  std::span<const Transfer> transfers_;
  const IndexedVector<TaskId, const Assignment *> &chosen_;
  double tolerance_;
  std::vector<Need> needs_;
  std::vector<Arrival> arrivals_;
  IndexedVector<DeviceId, char> watched_;                  ///< devices whose memory is followed
  std::map<std::pair<DeviceId, DataKey>, double> lastUse_; ///< of data as at the start
  std::vector<DeviceId> groupDevice_;
  std::vector<std::pair<TaskId, std::size_t>> ownGroups_;
  std::vector<Hold> holds_;
  std::vector<double> current_; ///< bytes of each group at the moment of the sweep
};

} // namespace

std::vector<MemoryExcess> findMemoryExcess(const TaskGraph &graph, const Cluster &cluster,
                                           std::span<const Transfer> transfers,
                                           const IndexedVector<TaskId, const Assignment *> &chosen,
                                           double tolerance) {
  return Account(graph, cluster, transfers, chosen, tolerance).find();
}

IndexedVector<DeviceId, std::vector<HeldMemory>>
memoryOverTime(const TaskGraph &graph, const Cluster &cluster, const Placement &placement) {
  IndexedVector<TaskId, const Assignment *> chosen(graph.tasks.size(), nullptr);
  for (const Assignment &assignment : placement.assignments)
    chosen[assignment.task] = &assignment;
  const double tolerance = 1e-9 * placement.predicted.makespan.value();
  return Account(graph, cluster, placement.transfers, chosen, tolerance).trace();
}

} // namespace streammap
