#pragma once
// A mapping problem, compiled once: what each task costs where, where it may run, and which pieces of data it
// needs. Strategies and the schedule builder read it; nobody changes it.
//
//   Expected<Problem> problem = makeProblem(graph, cluster);
//   problem->timeOn(task, device);
#include "sim/CostModel.h"
#include "sim/Fabric.h"
#include "support/Expected.h"
#include "support/Rows.h"

namespace streammap {

using PieceId = Id<struct PieceTag>;

/// Where a piece lies on a device. Versions of the same region of a buffer overwrite each other, so they
/// share a block; every other piece has its own.
using BlockId = Id<struct BlockTag>;

/// Data that moves as one: what a task wrote and others read, or what a buffer held before any task wrote it.
struct Piece {
  TaskId producer; ///< invalid: initial data, in the host memory of every node, since host code runs on every
                   ///< rank
  std::optional<BufferId> buffer;
  std::optional<std::size_t> dependency; ///< the first it serves
  Bytes size;
  BlockId block;
};

/// Devices that are alike: same model. Tasks cost the same on all devices of a class.
using ClassId = Id<struct DeviceClassTag>;

class Problem {
public:
  const TaskGraph &graph() const { return *graph_; }
  const Cluster &cluster() const { return *cluster_; }
  const Fabric &fabric() const { return fabric_; }

  const IndexedVector<PieceId, Piece> &pieces() const { return pieces_; }
  std::size_t blockCount() const { return blockCount_; }
  std::span<const PieceId> inputs(TaskId task) const { return inputs_[task]; }
  /// What the task writes and others read.
  std::span<const PieceId> outputs(TaskId task) const { return outputs_[task]; }
  /// Dependencies by index into graph().dependencies.
  std::span<const std::size_t> incoming(TaskId task) const { return incoming_[task]; }
  std::span<const std::size_t> outgoing(TaskId task) const { return outgoing_[task]; }
  /// Every task after those it depends on; among those ready, the lowest id first.
  const std::vector<TaskId> &topologicalOrder() const { return order_; }

  const IndexedVector<ClassId, GpuModelId> &classes() const { return classes_; }
  ClassId classOf(DeviceId device) const { return classOf_[device]; }
  /// Up devices of a class.
  std::size_t classSize(ClassId id) const { return classSize_[id]; }
  /// Devices that are up, by id.
  const std::vector<DeviceId> &devices() const { return devices_; }

  /// Nothing when no device of the class may run the task.
  const std::optional<TimeEstimate> &estimate(TaskId task, ClassId id) const {
    return estimates_[task.index() * classes_.size() + id.index()];
  }
  Seconds timeOn(TaskId task, DeviceId device) const { return estimate(task, classOf(device))->time; }

  /// What the task occupies while it runs: its footprint (Footprint.h), or, where the graph gives neither
  /// memory nor accesses, its inputs and outputs.
  Bytes footprintOf(TaskId task) const { return footprints_[task]; }
  /// The part of the footprint that is none of its inputs and outputs; never negative.
  Bytes workspace(TaskId task) const { return workspaces_[task]; }
  /// What a device must have for the task: its footprint, or its inputs and outputs where those are more.
  Bytes memoryNeed(TaskId task) const { return memoryNeeds_[task]; }
  /// Inputs and outputs of all tasks, each block once.
  Bytes allData() const { return allData_; }

  /// May run there as far as the task alone is concerned: class, node and state. Groups are the builder's
  /// affair.
  bool allows(TaskId task, DeviceId device) const {
    return estimate(task, classOf(device)).has_value() &&
           (!pinned_[task] || *pinned_[task] == cluster_->devices[device].node);
  }
  std::optional<NodeId> pinned(TaskId task) const { return pinned_[task]; }
  /// Tasks of one number share their `together` keys, directly or through others: one node for all of them.
  std::optional<std::size_t> group(TaskId task) const { return group_[task]; }
  /// Nodes on which every task of the group has an allowed device.
  const std::vector<NodeId> &groupNodes(std::size_t group) const { return groupNodes_[group]; }
  /// The task's `apart` keys as numbers.
  const std::vector<std::size_t> &apart(TaskId task) const { return apart_[task]; }
  std::size_t apartKeys() const { return apartKeys_; }

  /// The same problem with each task that has a node in `nodes` bound to it, as by `node()`. The nodes must
  /// allow the tasks.
  Problem boundTo(const IndexedVector<TaskId, std::optional<NodeId>> &nodes) const;

private:
  friend Expected<Problem> makeProblem(const TaskGraph &graph, const Cluster &cluster);
  Problem(const TaskGraph &graph, const Cluster &cluster)
      : graph_(&graph), cluster_(&cluster), fabric_(cluster) {}
  void indexDependencies();
  bool passesPowerLimit(DeviceId id) const;
  void collectDevices();
  Expected<void> collectEstimates();
  Expected<void> collectGroups();
  void collectPieces();
  void collectMemory();
  bool isTooSmall(const GpuModel &model, TaskId task) const;
  std::string whyNowhere(TaskId task) const;

  const TaskGraph *graph_;
  const Cluster *cluster_;
  Fabric fabric_;
  IndexedVector<PieceId, Piece> pieces_;
  std::size_t blockCount_ = 0;
  Rows<TaskId, PieceId> inputs_, outputs_;
  Rows<TaskId, std::size_t> incoming_, outgoing_;
  IndexedVector<TaskId, Bytes> footprints_, workspaces_, memoryNeeds_;
  Bytes allData_;
  std::vector<TaskId> order_;
  IndexedVector<ClassId, GpuModelId> classes_;
  IndexedVector<DeviceId, ClassId> classOf_;
  IndexedVector<ClassId, std::size_t> classSize_;
  std::vector<DeviceId> devices_;
  std::vector<std::optional<TimeEstimate>> estimates_;
  IndexedVector<TaskId, std::optional<NodeId>> pinned_;
  IndexedVector<TaskId, std::optional<std::size_t>> group_;
  std::vector<std::vector<NodeId>> groupNodes_;
  IndexedVector<TaskId, std::vector<std::size_t>> apart_;
  std::size_t apartKeys_ = 0;
};

/// Fails when some task fits on no device that is up, or a group on no node: the message names the task, the
/// device nearest to fit, the bytes and the constraint. `graph` and `cluster` must outlive the problem.
Expected<Problem> makeProblem(const TaskGraph &graph, const Cluster &cluster);

} // namespace streammap
