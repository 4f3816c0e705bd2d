#include "mapper/RelaxedProblem.h"
#include <algorithm>

namespace streammap {
namespace {

/// Least times between all places for a size of data: devices first, then hosts (Floyd and Warshall).
class Distances {
public:
  Distances(const Problem &problem, Bytes size)
      : devices_(problem.devices().size()), places_(devices_ + problem.cluster().nodes.size()),
        times_(places_ * places_) {
    const Fabric &fabric = problem.fabric();
    std::vector<Place> places;
    for (DeviceId device : problem.devices())
      places.push_back(fabric.placeOf(device));
    for (NodeId node : problem.cluster().nodes.ids())
      places.push_back(Fabric::hostOf(node));
    for (std::size_t from = 0; from < places_; ++from)
      for (std::size_t to = 0; to < places_; ++to)
        if (from != to)
          at(from, to) = fabric.route(places[from], places[to]).time(size).value();
    // What comes over the network passes the memory of the host.
    for (std::size_t from = 0; from < places_; ++from)
      for (std::size_t to = 0; to < devices_; ++to)
        if (places[from].node != places[to].node) {
          double &host = at(from, devices_ + places[to].node.index());
          host = std::min(host, at(from, to));
        }
    for (std::size_t over = 0; over < places_; ++over)
      for (std::size_t from = 0; from < places_; ++from)
        for (std::size_t to = 0; to < places_; ++to)
          at(from, to) = std::min(at(from, to), at(from, over) + at(over, to));
  }

  double between(std::size_t from, std::size_t to) const { return times_[from * places_ + to]; }
  /// Host code runs on every node, so initial data starts in the memory of each.
  double fromAnyHost(std::size_t to) const {
    double least = RelaxedProblem::impossible;
    for (std::size_t host = devices_; host < places_; ++host)
      least = std::min(least, between(host, to));
    return least;
  }

private:
  double &at(std::size_t from, std::size_t to) { return times_[from * places_ + to]; }

  std::size_t devices_, places_;
  std::vector<double> times_;
};

constexpr std::size_t mostNodes = 128;

} // namespace

std::optional<RelaxedProblem> RelaxedProblem::of(const Problem &problem) {
  if (problem.graph().tasks.size() > mostTasks || problem.devices().size() > mostDevices ||
      problem.cluster().nodes.size() > mostNodes)
    return std::nullopt;
  RelaxedProblem relaxed;
  relaxed.taskIds_ = problem.topologicalOrder();
  relaxed.deviceIds_ = problem.devices();
  relaxed.collectTimes(problem);
  relaxed.collectLinks(problem);
  relaxed.collectReady(problem);
  relaxed.collectKinds(problem);
  relaxed.dropSpareDevices();
  relaxed.collectTails();
  return relaxed;
}

void RelaxedProblem::collectTimes(const Problem &problem) {
  for (DeviceId device : deviceIds_)
    nodes_.push_back(problem.cluster().devices[device].node.index());
  for (TaskId task : taskIds_) {
    double least = impossible;
    for (DeviceId device : deviceIds_) {
      times_.push_back(problem.allows(task, device) ? problem.timeOn(task, device).value() : impossible);
      least = std::min(least, times_.back());
    }
    leastTimes_.push_back(least);
  }
}

std::uint32_t RelaxedProblem::tableFor(const Problem &problem, Bytes size) {
  const auto known = std::ranges::find(tables_, size.value(), &Table::size);
  if (known != tables_.end())
    return static_cast<std::uint32_t>(known - tables_.begin());
  Table table{size.value(), std::vector<double>(devices() * devices()), std::nullopt};
  if (size > Bytes()) {
    const Distances distances(problem, size);
    for (std::size_t from = 0; from < devices(); ++from)
      for (std::size_t to = 0; to < devices(); ++to)
        table.delays[from * devices() + to] = distances.between(from, to);
  }
  table.uniform = devices() > 1 ? table.delays[1] : 0;
  for (std::size_t from = 0; from < devices(); ++from)
    for (std::size_t to = 0; to < devices(); ++to)
      if (from != to && table.delays[from * devices() + to] != table.uniform)
        table.uniform.reset();
  tables_.push_back(std::move(table));
  return static_cast<std::uint32_t>(tables_.size() - 1);
}

/// One link for each pair of tasks, for the largest piece between them: the others are there by then.
void RelaxedProblem::collectLinks(const Problem &problem) {
  inputs_.resize(tasks());
  outputs_.resize(tasks());
  IndexedVector<TaskId, std::size_t> index(tasks());
  for (std::size_t task = 0; task < tasks(); ++task)
    index[taskIds_[task]] = task;
  for (std::size_t task = 0; task < tasks(); ++task) {
    std::vector<std::optional<Bytes>> needed(tasks());
    for (std::size_t i : problem.incoming(taskIds_[task]))
      needed[index[problem.graph().dependencies[i].from]] = Bytes();
    for (PieceId id : problem.inputs(taskIds_[task]))
      if (const Piece &piece = problem.pieces()[id]; piece.producer.valid()) {
        std::optional<Bytes> &size = needed[index[piece.producer]];
        size = std::max(size.value_or(Bytes()), piece.size);
      }
    for (std::size_t from = 0; from < tasks(); ++from)
      if (needed[from]) {
        const std::uint32_t table = tableFor(problem, *needed[from]);
        inputs_[task].push_back({static_cast<std::uint32_t>(from), table});
        outputs_[from].push_back({static_cast<std::uint32_t>(task), table});
      }
  }
}

void RelaxedProblem::collectReady(const Problem &problem) {
  ready_.assign(tasks() * devices(), 0);
  for (std::size_t task = 0; task < tasks(); ++task) {
    Bytes largest;
    for (PieceId id : problem.inputs(taskIds_[task]))
      if (const Piece &piece = problem.pieces()[id]; !piece.producer.valid())
        largest = std::max(largest, piece.size);
    if (largest <= Bytes())
      continue;
    const Distances distances(problem, largest);
    for (std::size_t device = 0; device < devices(); ++device)
      ready_[task * devices() + device] = distances.fromAnyHost(device);
  }
}

/// Whether the two can trade places: tasks take as long on either, and so does data to and from others.
bool RelaxedProblem::canTrade(std::size_t a, std::size_t b) const {
  for (std::size_t task = 0; task < tasks(); ++task)
    if (time(task, a) != time(task, b) || ready(task, a) != ready(task, b))
      return false;
  return std::ranges::all_of(tables_, [&](const Table &table) {
    auto delayOf = [&](std::size_t from, std::size_t to) { return table.delays[from * devices() + to]; };
    for (std::size_t other = 0; other < devices(); ++other)
      if (other != a && other != b &&
          (delayOf(a, other) != delayOf(b, other) || delayOf(other, a) != delayOf(other, b)))
        return false;
    return delayOf(a, b) == delayOf(b, a);
  });
}

void RelaxedProblem::collectKinds(const Problem &problem) {
  // Constraints speak of nodes, so with them only devices that are all of their node, or on one, can trade.
  const bool constrained = std::ranges::any_of(
      taskIds_, [&](TaskId task) { return problem.group(task) || !problem.apart(task).empty(); });
  auto alone = [&](std::size_t device) { return std::ranges::count(nodes_, nodes_[device]) == 1; };
  for (std::size_t device = 0; device < devices(); ++device) {
    std::size_t kind = device;
    for (std::size_t other = 0; other < device && kind == device; ++other)
      if (kinds_[other] == other && canTrade(other, device) &&
          (!constrained || nodes_[other] == nodes_[device] || (alone(other) && alone(device))))
        kind = other;
    kinds_.push_back(kind);
  }
}

/// Of a kind no more devices than tasks are of use.
void RelaxedProblem::dropSpareDevices() {
  std::vector<std::size_t> kept, count(devices());
  for (std::size_t device = 0; device < devices(); ++device)
    if (count[kinds_[device]]++ < tasks())
      kept.push_back(device);
  if (kept.size() == devices())
    return;
  auto select = [&](auto &values, std::size_t rows) {
    auto selected = values;
    selected.clear();
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t device : kept)
        selected.push_back(values[row * devices() + device]);
    values = std::move(selected);
  };
  select(times_, tasks());
  select(ready_, tasks());
  for (Table &table : tables_) {
    std::vector<double> selected;
    for (std::size_t from : kept)
      for (std::size_t to : kept)
        selected.push_back(table.delays[from * devices() + to]);
    table.delays = std::move(selected);
  }
  select(nodes_, 1);
  select(kinds_, 1);
  for (std::size_t &kind : kinds_) // the first of a kind is always kept
    kind = static_cast<std::size_t>(std::ranges::find(kept, kind) - kept.begin());
  select(deviceIds_, 1);
}

double RelaxedProblem::tailOn(std::size_t task, std::size_t device) const {
  struct Job {
    double away, time, tail; ///< done after the task's end elsewhere; here: how long, and what follows
  };
  std::vector<Job> jobs;
  for (const Link &link : outputs_[task]) {
    double away = impossible;
    for (std::size_t other = 0; other < devices(); ++other)
      if (other != device && time(link.task, other) != impossible)
        away = std::min(away,
                        delay(link.delays, device, other) + time(link.task, other) + tail(link.task, other));
    jobs.push_back({away, time(link.task, device), tail(link.task, device)});
  }
  std::ranges::sort(jobs, {}, &Job::away);
  std::vector<double> away;
  for (const Job &job : jobs)
    away.push_back(job.away);
  return stayOrGo(away, [&](std::size_t gone) {
    // One machine, longest tail first (Jackson's rule): the best order of those that stay.
    std::vector<Job> here(jobs.begin() + static_cast<std::ptrdiff_t>(gone), jobs.end());
    std::ranges::sort(here, std::greater(), &Job::tail);
    double busy = 0, end = 0;
    for (const Job &job : here) {
      busy += job.time;
      end = std::max(end, busy + job.tail);
    }
    return end;
  });
}

void RelaxedProblem::collectTails() {
  tails_.assign(tasks() * devices(), 0);
  leastTails_.assign(tasks(), 0);
  for (std::size_t task = tasks(); task-- > 0;) {
    double least = impossible;
    for (std::size_t device = 0; device < devices(); ++device) {
      tails_[task * devices() + device] = tailOn(task, device);
      if (time(task, device) != impossible)
        least = std::min(least, tail(task, device));
    }
    leastTails_[task] = least;
  }
}

} // namespace streammap
