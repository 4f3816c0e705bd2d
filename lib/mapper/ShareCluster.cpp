#include "mapper/ShareCluster.h"
#include "sim/Problem.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace streammap {
namespace {

/// What one program wants, by class of devices (a model; the same index for all programs).
struct Need {
  std::vector<double> demand;     ///< devices of each class in one unit; the largest is 1
  std::vector<std::size_t> least; ///< devices it cannot do without
  std::size_t most = 0;           ///< devices in all that it can keep busy
  std::set<NodeId> pinned;        ///< nodes that tasks ask for by name
};

/// Devices by class, of those that are up.
struct Supply {
  std::vector<GpuModelId> models;
  std::vector<std::vector<DeviceId>> devices;
  std::size_t classOf(GpuModelId model) const {
    return static_cast<std::size_t>(std::ranges::find(models, model) - models.begin());
  }
};

Supply supplyOf(const Cluster &cluster) {
  Supply supply;
  for (DeviceId device : cluster.devices.ids()) {
    const Device &each = cluster.devices[device];
    if (each.state != State::up || cluster.nodes[each.node].state != State::up)
      continue;
    const std::size_t index = supply.classOf(each.model);
    if (index == supply.models.size()) {
      supply.models.push_back(each.model);
      supply.devices.emplace_back();
    }
    supply.devices[index].push_back(device);
  }
  return supply;
}

/// Spread evenly, a task that takes t_k on each of c_k devices of class k keeps all of them busy for
/// 1 / sum(c_k / t_k), c_k of it on class k.
Need needOf(const Problem &problem, const Supply &supply) {
  Need need;
  const std::size_t classes = supply.models.size();
  need.demand.assign(classes, 0);
  need.least.assign(classes, 0);
  need.most = problem.graph().tasks.size();
  for (TaskId task : problem.graph().tasks.ids()) {
    double rate = 0;
    std::vector<std::size_t> allowed;
    for (ClassId id : problem.classes().ids()) {
      const std::optional<TimeEstimate> &estimate = problem.estimate(task, id);
      if (!estimate)
        continue;
      const std::size_t k = supply.classOf(problem.classes()[id]);
      allowed.push_back(k);
      // A task of no time still needs a place.
      rate += static_cast<double>(supply.devices[k].size()) / std::max(estimate->time.value(), 1e-9);
    }
    for (std::size_t k : allowed)
      need.demand[k] += static_cast<double>(supply.devices[k].size()) / rate;
    if (allowed.size() == 1)
      need.least[allowed.front()] = 1;
    if (const std::optional<NodeId> node = problem.pinned(task))
      need.pinned.insert(*node);
  }
  const double largest = std::ranges::max(need.demand);
  for (double &demand : need.demand)
    demand /= largest;
  if (std::ranges::all_of(need.least, [](std::size_t count) { return count == 0; }))
    need.least[static_cast<std::size_t>(std::ranges::max_element(need.demand) - need.demand.begin())] = 1;
  return need;
}

std::size_t sum(const std::vector<std::size_t> &counts) {
  std::size_t total = 0;
  for (std::size_t count : counts)
    total += count;
  return total;
}

/// How many devices of each class every program gets.
class Deal {
public:
  Deal(const Supply &supply, const std::vector<Need> &needs, std::span<const double> weights)
      : supply_(supply), needs_(needs), weights_(weights) {
    for (const Need &need : needs)
      counts_.push_back(need.least);
    for (std::size_t k = 0; k < supply.models.size(); ++k) {
      std::size_t taken = 0;
      for (const std::vector<std::size_t> &counts : counts_)
        taken += counts[k];
      free_.push_back(static_cast<long>(supply.devices[k].size()) - static_cast<long>(taken));
    }
  }

  /// A class of which not every program that needs one can have one.
  std::optional<std::size_t> tooFew() const {
    const auto found = std::ranges::find_if(free_, [](long count) { return count < 0; });
    return found == free_.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - free_.begin()));
  }

  std::vector<std::vector<std::size_t>> dealAll() {
    std::vector<double> capacities;
    std::vector<std::vector<double>> demands;
    for (const std::vector<DeviceId> &devices : supply_.devices)
      capacities.push_back(static_cast<double>(devices.size()));
    for (const Need &need : needs_)
      demands.push_back(need.demand);
    const std::vector<std::size_t> units = dominantResourceUnits(capacities, demands, weights_);
    dealWhole(units);
    dealRest();
    return counts_;
  }

private:
  /// Whole devices of each program's units, round by round so that roundings up fall on all alike.
  void dealWhole(const std::vector<std::size_t> &units) {
    const std::size_t rounds = units.empty() ? 0 : std::ranges::max(units);
    for (std::size_t round = 1; round <= rounds; ++round)
      for (std::size_t program = 0; program < needs_.size(); ++program)
        for (std::size_t k = 0; round <= units[program] && k < free_.size(); ++k) {
          const double due = static_cast<double>(round) * needs_[program].demand[k];
          while (static_cast<double>(counts_[program][k]) < std::floor(due + 1e-9) && give(program, k))
            continue;
        }
  }

  /// What is left, one by one to the program with the smallest share that has use for it.
  void dealRest() {
    for (;;) {
      std::optional<std::pair<double, std::pair<std::size_t, std::size_t>>> best;
      for (std::size_t program = 0; program < needs_.size(); ++program) {
        const std::optional<std::size_t> k = mostWanted(program);
        if (k && (!best || share(program) < best->first))
          best = {share(program), {program, *k}};
      }
      if (!best)
        return;
      give(best->second.first, best->second.second);
    }
  }

  /// The free class that is furthest behind the program's needs (the divisor rule of D'Hondt).
  std::optional<std::size_t> mostWanted(std::size_t program) const {
    std::optional<std::size_t> best;
    double bestRatio = 0;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const double ratio = needs_[program].demand[k] / static_cast<double>(counts_[program][k] + 1);
      if (free_[k] > 0 && ratio > bestRatio && sum(counts_[program]) < needs_[program].most) {
        best = k;
        bestRatio = ratio;
      }
    }
    return best;
  }

  double share(std::size_t program) const {
    double largest = 0;
    for (std::size_t k = 0; k < free_.size(); ++k)
      largest = std::max(largest, static_cast<double>(counts_[program][k]) /
                                      static_cast<double>(supply_.devices[k].size()));
    return largest / weights_[program];
  }

  bool give(std::size_t program, std::size_t k) {
    if (free_[k] <= 0 || sum(counts_[program]) >= needs_[program].most)
      return false;
    --free_[k];
    ++counts_[program][k];
    return true;
  }

  const Supply &supply_;
  const std::vector<Need> &needs_;
  std::span<const double> weights_;
  std::vector<std::vector<std::size_t>> counts_;
  std::vector<long> free_;
};

/// Picks the devices themselves.
class Picker {
public:
  Picker(const Cluster &cluster, const Supply &supply) : cluster_(cluster), supply_(supply) {
    taken_.assign(cluster.devices.size(), false);
    for (std::size_t k = 0; k < supply.models.size(); ++k)
      for (DeviceId device : supply.devices[k])
        ++freeOn_[{k, cluster.devices[device].node}];
  }

  std::vector<DeviceId> pick(const std::vector<std::size_t> &counts, const Need &need) {
    std::vector<DeviceId> picked;
    std::set<NodeId> mine;
    for (std::size_t k = 0; k < counts.size(); ++k)
      for (std::size_t left = counts[k]; left > 0;) {
        const NodeId node = bestNode(k, left, mine, need.pinned);
        mine.insert(node);
        for (DeviceId device : supply_.devices[k])
          if (left > 0 && cluster_.devices[device].node == node && !taken_[device]) {
            taken_[device] = true;
            picked.push_back(device);
            --freeOn_[{k, node}];
            --left;
          }
      }
    std::ranges::sort(picked);
    return picked;
  }

private:
  /// A node that a task asks for; else one the program is on; else one under its leaves; then the smallest
  /// that holds all that is left, or else the largest: programs stay together, and nodes stay whole for
  /// others.
  NodeId bestNode(std::size_t k, std::size_t left, const std::set<NodeId> &mine,
                  const std::set<NodeId> &pinned) const {
    using Rank = std::tuple<bool, bool, bool, bool, std::size_t, NodeId>;
    std::optional<Rank> best;
    for (const auto &[key, free] : freeOn_) {
      const auto &[of, node] = key;
      if (of != k || free == 0)
        continue;
      const bool near = std::ranges::any_of(mine, [&](NodeId other) {
        return cluster_.nodes[other].leaf && cluster_.nodes[other].leaf == cluster_.nodes[node].leaf;
      });
      const bool holdsAll = free >= left;
      const Rank rank{!pinned.contains(node) || mine.contains(node),
                      !mine.contains(node),
                      !near,
                      !holdsAll,
                      holdsAll ? free : cluster_.devices.size() - free,
                      node};
      if (!best || rank < *best)
        best = rank;
    }
    return std::get<NodeId>(*best);
  }

  const Cluster &cluster_;
  const Supply &supply_;
  IndexedVector<DeviceId, bool> taken_;
  std::map<std::pair<std::size_t, NodeId>, std::size_t> freeOn_;
};

ProgramShare describe(std::vector<DeviceId> devices, const Cluster &cluster, const Supply &supply) {
  ProgramShare share;
  for (std::size_t k = 0; k < supply.models.size(); ++k) {
    const auto count = std::ranges::count_if(
        devices, [&](DeviceId device) { return cluster.devices[device].model == supply.models[k]; });
    const double part = static_cast<double>(count) / static_cast<double>(supply.devices[k].size());
    if (part > share.dominantShare) {
      share.dominantShare = part;
      share.dominantModel = cluster.models[supply.models[k]].name;
    }
  }
  share.devices = std::move(devices);
  return share;
}

Cluster reserve(Cluster cluster, std::span<const DeviceId> devices, bool listed) {
  for (DeviceId device : cluster.devices.ids())
    if ((std::ranges::find(devices, device) != devices.end()) == listed &&
        cluster.devices[device].state == State::up) {
      cluster.devices[device].state = State::reserved;
      cluster.devices[device].reason = "another program's";
    }
  return cluster;
}

} // namespace

std::vector<std::size_t> dominantResourceUnits(std::span<const double> capacities,
                                               std::span<const std::vector<double>> demands,
                                               std::span<const double> weights) {
  std::vector<std::size_t> units(demands.size(), 0);
  std::vector<bool> done(demands.size(), false);
  std::vector<double> used(capacities.size(), 0);
  const auto share = [&](std::size_t user) {
    double largest = 0;
    for (std::size_t k = 0; k < capacities.size(); ++k)
      if (demands[user][k] > 0)
        largest = std::max(largest, static_cast<double>(units[user]) * demands[user][k] / capacities[k]);
    return largest / weights[user];
  };
  const auto fits = [&](std::size_t user) {
    for (std::size_t k = 0; k < capacities.size(); ++k)
      if (used[k] + demands[user][k] > capacities[k] * (1 + 1e-12))
        return false;
    return true;
  };
  for (;;) {
    std::optional<std::size_t> next;
    for (std::size_t user = 0; user < demands.size(); ++user)
      if (!done[user] && (!next || share(user) < share(*next)))
        next = user;
    if (!next)
      return units;
    if (!fits(*next)) {
      done[*next] = true;
      continue;
    }
    ++units[*next];
    for (std::size_t k = 0; k < capacities.size(); ++k)
      used[k] += demands[*next][k];
  }
}

Expected<ClusterShares> shareCluster(const Cluster &cluster, std::span<const TaskGraph *const> programs,
                                     std::span<const double> weights) {
  const Supply supply = supplyOf(cluster);
  std::vector<Need> needs;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Expected<Problem> problem = makeProblem(*programs[i], cluster);
    if (!problem)
      return failure("program " + std::to_string(i + 1) + ": " + problem.error().message);
    if (programs[i]->tasks.empty())
      return failure("program " + std::to_string(i + 1) + " has no tasks");
    needs.push_back(needOf(*problem, supply));
  }
  Deal deal(supply, needs, weights);
  if (const std::optional<std::size_t> k = deal.tooFew())
    return failure("the programs cannot run at the same time: more of them need a device of model " +
                   cluster.models[supply.models[*k]].name + " than the " +
                   std::to_string(supply.devices[*k].size()) + " that are up");
  const std::vector<std::vector<std::size_t>> counts = deal.dealAll();
  // Pinned programs pick first, then large ones: what is left for small ones fits into gaps.
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < programs.size(); ++i)
    order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::tuple(needs[a].pinned.empty(), sum(counts[b])) <
           std::tuple(needs[b].pinned.empty(), sum(counts[a]));
  });
  Picker picker(cluster, supply);
  ClusterShares shares;
  shares.programs.resize(programs.size());
  for (std::size_t program : order)
    shares.programs[program] = describe(picker.pick(counts[program], needs[program]), cluster, supply);
  return shares;
}

Cluster onlyDevices(const Cluster &cluster, std::span<const DeviceId> devices) {
  return reserve(cluster, devices, false);
}

Cluster withoutDevices(const Cluster &cluster, std::span<const DeviceId> devices) {
  return reserve(cluster, devices, true);
}

} // namespace streammap
