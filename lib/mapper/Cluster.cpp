// Clustering: tasks that pay much for exchanging data are tied into clusters before any device is chosen, and
// each cluster goes to one device. For programs with much communication, where list schedulers spread a chain
// over devices because each step looks free.
//
// Clusters are those of DSC (Yang and Gerasoulis, "DSC: scheduling parallel tasks on an unbounded number of
// processors", IEEE TPDS 5, 1994), with the end of a cluster only as the place to join: tasks by descending
// upward rank, each at the end of the cluster of the predecessor that lets it start soonest, or in a cluster
// of its own where that starts it sooner. Clusters then go to devices by descending work, each where the
// device ends its work first. O(dependencies + tasks log tasks + clusters x devices).
#include "mapper/ListSchedulers.h"
#include "mapper/MeanCosts.h"
#include <algorithm>
#include <limits>

namespace streammap {
namespace {

class Clustering {
public:
  Clustering(const Problem &problem, const MeanCosts &means)
      : problem_(problem), means_(means), clusterOf_(problem.graph().tasks.size()),
        ends_(problem.graph().tasks.size()) {}

  /// The members of each cluster, in `order`.
  std::vector<std::vector<TaskId>> run(const std::vector<TaskId> &order) {
    for (TaskId task : order)
      join(task);
    return std::move(clusters_);
  }

private:
  /// With every transfer paid but those from `cluster`.
  Seconds startIn(TaskId task, std::optional<std::size_t> cluster) const {
    Seconds start = cluster ? ends_[clusters_[*cluster].back()] : Seconds();
    for (std::size_t i : problem_.incoming(task)) {
      const Dependency &dependency = problem_.graph().dependencies[i];
      const bool here = cluster && clusterOf_[dependency.from] == *cluster;
      start = std::max(start, ends_[dependency.from] + (here ? Seconds() : means_.transfer(dependency)));
    }
    return start;
  }

  bool canShare(TaskId task, std::size_t cluster) const {
    const TaskId last = clusters_[cluster].back();
    return std::ranges::any_of(problem_.classes().ids(), [&](ClassId c) {
      return problem_.classSize(c) != 0 && problem_.estimate(task, c) && problem_.estimate(last, c);
    });
  }

  void join(TaskId task) {
    std::optional<std::size_t> best;
    Seconds soonest = startIn(task, std::nullopt);
    for (std::size_t i : problem_.incoming(task)) {
      const std::size_t cluster = clusterOf_[problem_.graph().dependencies[i].from];
      if (best == cluster || !canShare(task, cluster))
        continue;
      if (const Seconds start = startIn(task, cluster); start <= soonest) {
        best = cluster;
        soonest = start;
      }
    }
    if (!best) {
      best = clusters_.size();
      clusters_.emplace_back();
    }
    clusters_[*best].push_back(task);
    clusterOf_[task] = *best;
    ends_[task] = soonest + means_.task(task);
  }

  const Problem &problem_;
  const MeanCosts &means_;
  std::vector<std::vector<TaskId>> clusters_;
  IndexedVector<TaskId, std::size_t> clusterOf_;
  IndexedVector<TaskId, Seconds> ends_;
};

/// A device for each cluster; tasks that may not run on their cluster's go to the device that is free first.
class Assigning {
public:
  explicit Assigning(const Problem &problem) : problem_(problem), load_(problem.cluster().devices.size()) {}

  void assign(const std::vector<TaskId> &cluster, IndexedVector<TaskId, DeviceId> &devices) {
    std::vector<Seconds> work(problem_.classes().size());
    for (TaskId task : cluster)
      for (ClassId c : problem_.classes().ids())
        if (const auto &estimate = problem_.estimate(task, c))
          work[c.index()] += estimate->time;
        else
          work[c.index()] += seconds(std::numeric_limits<double>::infinity());
    const std::optional<DeviceId> device = soonest(work, [&](DeviceId candidate) {
      return std::ranges::all_of(cluster, [&](TaskId task) { return problem_.allows(task, candidate); });
    });
    if (!device && cluster.size() > 1) {
      for (TaskId task : cluster)
        assign({task}, devices);
      return;
    }
    for (TaskId task : cluster)
      devices[task] = *device; // one task alone has a device, or there would be no problem
    load_[*device] += work[problem_.classOf(*device).index()];
  }

private:
  template <class Allows>
  std::optional<DeviceId> soonest(const std::vector<Seconds> &work, Allows allows) const {
    std::optional<DeviceId> best;
    Seconds end;
    for (DeviceId device : problem_.devices()) {
      const Seconds its = load_[device] + work[problem_.classOf(device).index()];
      if ((!best || its < end) && allows(device)) {
        best = device;
        end = its;
      }
    }
    return best;
  }

  const Problem &problem_;
  IndexedVector<DeviceId, Seconds> load_;
};

} // namespace

Expected<Placement> mapCluster(const Problem &problem, const MapOptions &) {
  for (TaskId task : problem.graph().tasks.ids())
    if (problem.group(task) || !problem.apart(task).empty())
      return failure("clusters do not look at together() and apart()");
  const MeanCosts means(problem);
  const std::vector<TaskId> order = byDescendingRank(problem, means.upwardRanks());
  const std::vector<std::vector<TaskId>> clusters = Clustering(problem, means).run(order);
  std::vector<std::pair<Seconds, std::size_t>> byWork;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    Seconds work;
    for (TaskId task : clusters[i])
      work += means.task(task);
    byWork.emplace_back(work, i);
  }
  std::ranges::stable_sort(byWork, std::greater(), [](const auto &one) { return one.first; });
  IndexedVector<TaskId, DeviceId> devices(problem.graph().tasks.size());
  Assigning assigning(problem);
  for (const auto &[work, i] : byWork)
    assigning.assign(clusters[i], devices);
  return simulate(problem, order, devices);
}

} // namespace streammap
