#pragma once
// Every number a report shows, collected once. Text, JSON and HTML only print this struct, so no two formats
// can disagree:
//
//   ReportData data = collect(graph, cluster, placement);
//   std::cout << toText(data);
//
// The placement is a finished schedule: nothing here predicts or solves.
#include "model/MemoryOverTime.h"
#include "model/Placement.h"
#include "report/Chain.h"

namespace streammap {

struct MeasuredRun; // MeasuredTrace.h

/// Share of the makespan, 0 to 1.
using Share = double;

struct DeviceRow {
  std::string name; ///< "n003:gpu2"
  std::string node;
  std::string model;
  std::size_t tasks = 0;
  Seconds busy;
  Share utilisation = 0;
  Bytes peakMemory;
  Bytes memory; ///< capacity; 0: unlimited
};

struct NodeRow {
  std::string name;
  std::string type;
  std::string leaf;
  std::size_t devicesUsed = 0;
  std::size_t devices = 0;
  std::size_t tasks = 0;
  Seconds busy;          ///< summed over its devices
  Share utilisation = 0; ///< of all its devices
  Bytes received, sent;  ///< over the network
};

struct LinkRow {
  std::string name;
  Bytes size;
  Seconds busy;
  Share utilisation = 0;
};

/// Tasks that share the name before '[' or '#'.
struct ClassRow {
  std::string name;
  std::size_t tasks = 0;
  Seconds total;
  Share share = 0;          ///< of all busy time
  std::size_t defaults = 0; ///< tasks whose time rests on a default
  /// What bounds the tasks on their devices ("dram", "fp64", "launch", ...), the one with most time first.
  std::vector<std::string> limiters;
  std::size_t measuredTasks = 0; ///< of which the trace has a time
  Seconds measured;              ///< summed over those
  Seconds predictedOfMeasured;   ///< what was predicted for the same tasks
};

/// How a launch sits on the device that runs it (model/Occupancy.h).
struct LaunchRow {
  std::string kernel;
  double blocks = 0;                  ///< of the grid
  unsigned blocksEach = 0;            ///< resident on a multiprocessor at a time; 0: it cannot start
  std::string limiter;                ///< "registers", "threads", ...
  Share occupancy = 0;                ///< resident warps of those a multiprocessor can hold
  double waves = 0;                   ///< of the device
  unsigned multiprocessorsNeeded = 0; ///< that get any block
  Share tail = 0;                     ///< of the time, lost in the last wave
  bool isMeasured = false;            ///< registers and shared memory are the compiler's, not left out
};

struct TaskRow {
  std::string id, name, taskClass, location;
  std::size_t device = 0; ///< index into ReportData::devices
  Seconds start, end;
  std::string origin;               ///< of the time estimate
  std::string limiter;              ///< "fp64", "dram", ...; may be empty
  std::optional<Seconds> low, high; ///< what the time model holds possible
  Flops flops;                      ///< all kinds; 0 when unknown
  Bytes dram;
  Bytes memory;       ///< on the device while it runs, its own data alone
  std::string launch; ///< "gemm<double> 64x64x1 blocks of 16x16x1, 32 registers (sm_80)", or empty
  std::vector<LaunchRow> launches;                ///< where the device's capability is known
  std::optional<Seconds> measured, measuredStart; ///< from the start of the first measured task
  std::string measuredOn;                         ///< device, as the trace names it
  /// Nothing is known of the task's work: its time is the cost model's default, not an estimate.
  bool isAssumed() const { return origin == toText(Origin::defaulted); }
};

struct TransferRow {
  std::string what; ///< buffer name, or "t3 -> t17"
  std::string from, to;
  Bytes size;
  Seconds start, end;
  std::vector<std::string> route;
};

/// What the chain consists of.
struct ChainShares {
  Seconds compute, transfer, idle;
};

struct ReportWarning {
  std::string code; ///< "default-estimate", "unknown-cost", "taken-as-free", "unavailable"
  std::string message;
  std::string location;
  std::string remedy;
};

struct ReportData {
  std::vector<std::string> sources, arguments;
  std::map<std::string, double> parameters;
  std::string clusterName;
  std::size_t nodeCount = 0, deviceCount = 0, unavailableDevices = 0;
  std::size_t dependencyCount = 0;
  Prediction predicted;
  Solver solver;
  std::optional<Seconds> measuredMakespan;
  std::string measuredOn;       ///< kind of device: "CPU cores", "NVIDIA H100"; empty: the trace is silent
  std::size_t assumedTasks = 0; ///< whose time is the cost model's default
  Seconds assumed;              ///< their time together
  Share assumedShare = 0;       ///< of `totalBusy`
  std::optional<Seconds> assumedEach; ///< what each is taken to run, where that is the same for all
  Seconds totalBusy;
  Share utilisation = 0;                       ///< of the devices in use
  Bytes moved;                                 ///< all transfers
  std::vector<DeviceRow> devices;              ///< those in use, cluster order
  std::vector<std::vector<HeldMemory>> memory; ///< per row of `devices`
  std::vector<NodeRow> nodes;                  ///< those in use, cluster order
  std::vector<LinkRow> links;                  ///< busiest first, then by name
  std::vector<ClassRow> classes;               ///< most time first, then by name
  std::vector<TaskRow> tasks;                  ///< program order
  std::vector<TransferRow> transfers;          ///< by start
  std::vector<ChainStep> chain;
  ChainShares chainShares;
  std::vector<ReportWarning> warnings;
};

/// O(tasks log tasks + transfers + dependencies).
ReportData collect(const TaskGraph &graph, const Cluster &cluster, const Placement &placement,
                   const MeasuredRun *measured = nullptr);

} // namespace streammap
