#pragma once
// The same problem with one assumption changed by a factor: an estimate, or the speed of a link. Graphs and
// clusters are values, so a changed one is a new one; make a problem of it and retime (Retime.h).
//
//   scaledTime(problem, gemm, h100, 1.3);               // gemm takes 1.3 times as long on H100
//   scaledLinks(cluster, *linkGroupOf(cluster, "n001:nic.up"), 2)   // n001's NICs twice as fast
#include "sim/Problem.h"
#include <functional>

namespace streammap {

/// The graph with every estimate multiplied by `factor(task, class)` (above 0), written as `seconds`. Of
/// models that share a name, as the cores of different node types do, the last class counts.
TaskGraph scaledTimes(const Problem &problem, const std::function<double(TaskId, ClassId)> &factor);

/// One task on one class of device.
TaskGraph scaledTime(const Problem &problem, TaskId task, ClassId id, double factor);

enum class LinkKind { nic, host, peer, pair, uplink };

/// Links that a cluster file describes together for one node, or one uplink, both directions.
struct LinkGroup {
  LinkKind kind = LinkKind::nic;
  NodeId node;            ///< of nic, host, peer and pair
  std::size_t pair = 0;   ///< index into NodeType::gpuPairs
  SwitchId below;         ///< of uplink
  std::size_t uplink = 0; ///< index into Switch::uplinks
  bool operator==(const LinkGroup &) const = default;
};

/// The group a link of a route belongs to, by the link's name: "n001:nic.up", "leaf1>spine2". Nothing for a
/// name that no link of the cluster has.
std::optional<LinkGroup> linkGroupOf(const Cluster &cluster, std::string_view link);

/// "n001's NICs", "n001's host links", "n001's GPU links", "the link of gpu0 and gpu1 of n001",
/// "the uplinks leaf1 - spine2".
std::string nameOf(const Cluster &cluster, const LinkGroup &group);

/// The cluster with this group's bandwidth multiplied by `factor` (above 0); latencies stay.
Cluster scaledLinks(const Cluster &cluster, const LinkGroup &group, double factor);

/// The cluster with all links of a kind scaled; peer stands for pair links as well.
Cluster scaledLinks(const Cluster &cluster, LinkKind kind, double factor);

} // namespace streammap
