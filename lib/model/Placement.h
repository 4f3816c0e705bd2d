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
  double gap = 0;       ///< makespan / lowerBound - 1
  std::string boundBy;  ///< which bound is the largest: "critical path", "work", "host links", ...
  bool optimal = false; ///< proved: nothing is shorter. Only where lowerBound is makespan
};

struct Solver {
  std::string strategy;
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;
};

/// How wrong the estimates may be before another placement wins (mapper/Sensitivity.h).
struct Sensitivity {
  /// Another placement that was considered, timed like the winner with its decisions kept.
  struct Rival {
    std::string strategy;
    Seconds makespan;
  };
  /// All computing takes `factor` times as long as estimated, transfers as estimated: `strategy` wins then.
  struct Tipping {
    double factor = 1;
    std::string strategy;
  };
  /// Every estimate and link speed off by its own factor between 1 / `factor` and `factor`.
  struct Noise {
    double factor = 1;
    std::size_t draws = 0;
    std::size_t kept = 0; ///< draws in which the placement stays the best
    double regret = 0;    ///< mean over all draws of its makespan / the best's - 1
  };
  std::vector<Rival> rivals;     ///< shortest first
  std::optional<Tipping> slower; ///< factor above 1; nothing: not up to 100
  std::optional<Tipping> faster; ///< factor below 1; nothing: not down to 1/100
  std::vector<Noise> noise;      ///< by factor
};

struct Placement {
  Prediction predicted;
  std::vector<Assignment> assignments; ///< sorted by task
  std::vector<Transfer> transfers;     ///< sorted by (start, to, buffer)
  std::vector<DeviceUse> devices;      ///< only devices that run something, by id
  std::vector<LinkUse> links;          ///< only links that carry something, by name
  Solver solver;
  std::optional<Sensitivity> sensitivity; ///< where it was asked for
  std::string tasksDigest;                ///< of the tasks.json it was made for
  std::string clusterDigest;              ///< of the cluster.json it was made for
  std::string tasksFile;                  ///< as given on the command line; report and run read it again
  std::string clusterFile;
};

} // namespace streammap
