#pragma once
// Which devices each of several programs gets, so that they can run at the same time.
//
//   Expected<ClusterShares> shares = shareCluster(cluster, {&a, &b}, {1, 1});
//   Cluster forA = onlyDevices(cluster, shares->programs[0].devices);    // map program a on this one
//
// The rule is dominant-resource fairness (Ghodsi et al., "Dominant Resource Fairness: Fair Allocation of
// Multiple Resource Types", NSDI 2011). Resources are the models of devices; a program's dominant resource is
// the one of which it needs the largest part of what there is, and its share of that is what is kept equal.
// No program does better by asking for more than it needs, and none would rather have another's share.
#include "model/Cluster.h"
#include "support/Expected.h"
#include <span>
#include <vector>

namespace streammap {

/// Algorithm 1 of the paper: the user with the smallest dominant share, divided by its weight, gets one more
/// unit, ties to the first; a user whose next unit does not fit is done, the others go on. `demands[user][k]`
/// is what one unit takes of resource k (not negative, some above 0). Returns the units of each user. O(units
/// x users x resources).
std::vector<std::size_t> dominantResourceUnits(std::span<const double> capacities,
                                               std::span<const std::vector<double>> demands,
                                               std::span<const double> weights);

struct ProgramShare {
  std::vector<DeviceId> devices; ///< by id
  double dominantShare = 0;      ///< part of all devices of the model of which it has the largest part
  std::string dominantModel;     ///< that model
};

struct ClusterShares {
  std::vector<ProgramShare> programs; ///< in the order given
};

/// Devices that are up are dealt out; none to two programs. A program's need of a model is the time its
/// devices would be busy if the program were alone and its work spread evenly over all devices that may run
/// it. Whole devices are dealt, at least one of every model that some task cannot do without, and what
/// fairness leaves over goes to those that can use it. No program gets more devices than it has tasks.
/// Devices of a program are on few nodes, and under one leaf where they can be.
///
/// Fails where a program runs nowhere, or too few devices are left for one; the message says which (counted
/// from 1) and why. O(programs x (tasks x models + devices^2)).
Expected<ClusterShares> shareCluster(const Cluster &cluster, std::span<const TaskGraph *const> programs,
                                     std::span<const double> weights);

/// The cluster with all other devices reserved.
Cluster onlyDevices(const Cluster &cluster, std::span<const DeviceId> devices);
/// The cluster with these devices reserved.
Cluster withoutDevices(const Cluster &cluster, std::span<const DeviceId> devices);

} // namespace streammap
