#pragma once
// Who runs where and, predicted, when; the content of `streammap.placement/1`.
#include "model/Cluster.h"
#include "model/TaskGraph.h"

namespace streammap {

struct Assignment {
  TaskId task;
  DeviceId device;
  Seconds start, end;
  Origin origin = Origin::unknown; ///< where the time's estimate comes from; JSON "origin"
  std::string limiter; ///< what bounds it on this device: "fp64", "dram", "launch", "given"; JSON "limiter"
  /// The least and most that the task may take there by the time model; JSON "low_seconds", "high_seconds".
  std::optional<Seconds> low{}, high{};
};

/// One movement of data. `from` is invalid when the data starts in host memory of the destination's node.
struct Transfer {
  std::optional<std::size_t> dependency; ///< index into TaskGraph::dependencies: the first it serves
  std::optional<BufferId> buffer;
  DeviceId from;
  DeviceId to;
  Bytes size;
  std::vector<std::string>
      route; ///< link names, source first: "n001:gpu0:host.up", "n001:nic.up", "leaf1>spine1"
  Seconds start, end;
};

struct DeviceUse {
  DeviceId device;
  Seconds busy;
  Bytes peakMemory;
};

struct LinkUse {
  std::string link;
  Bytes size;
  Seconds busy;
};

struct Prediction {
  Seconds makespan;
  Seconds lowerBound;
  double gap = 0;      ///< makespan / lowerBound - 1
  std::string boundBy; ///< which bound is the largest: "critical path", "work", "host links"
};

struct Solver {
  std::string strategy;
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;
};

struct Placement {
  Prediction predicted;
  std::vector<Assignment> assignments; ///< sorted by task
  std::vector<Transfer> transfers;     ///< sorted by (start, to, buffer)
  std::vector<DeviceUse> devices;      ///< only devices that run something, by id
  std::vector<LinkUse> links;          ///< only links that carry something, by name
  Solver solver;
  std::string tasksDigest;   ///< of the tasks.json it was made for
  std::string clusterDigest; ///< of the cluster.json it was made for
  std::string tasksFile;     ///< as given on the command line; report and run read it again
  std::string clusterFile;
};

} // namespace streammap
