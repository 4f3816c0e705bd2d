#pragma once
// Why nothing fits: a smallest set of requirements that cannot hold together, the device that comes nearest,
// and what would help.
//
//   if (const std::optional<Conflict> conflict = findConflict(graph, cluster))
//     diagnostics.report(toDiagnostic(*conflict, graph, cluster, "app.tasks.json", "pod.json"));
//
//   app.tasks.json:/tasks/0: error: task 'big' fits nowhere: 2 requirements cannot hold together
//   app.tasks.json:/tasks/0/device_memory_bytes: note: big needs 186 GiB of device memory
//   note: n1:gpu0 (A100-SXM4-80GB) comes nearest: 106 GiB too small for it
//   note: it would fit with B200-SXM-180GB in place of A100-SXM4-80GB
//
// Requirements are what tasks ask for, one constraint each, and every node or GPU that is not up. One after
// another is left out for good if the rest is still contradictory (deletion-based minimisation: Chinneck,
// "Feasibility and Infeasibility in Optimization", 2008, 6.1), so the set that remains is contradictory, and
// no proper part of it is. Time plays no role: a feasible choice of devices always has a schedule, if a long
// one. Tasks apart are judged by matchings (Hall, 1935), and where keys interact by backtracking within a
// limit of steps.
#include "sim/Problem.h"
#include "support/Diagnostic.h"
#include <string>
#include <vector>

namespace streammap {

enum class RequirementKind {
  device,     ///< a GPU, or a node's cores
  capability, ///< at least this one
  models,     ///< one of these
  node,       ///< this node
  memory,     ///< of the device
  time,       ///< the task can start and its time is known
  together,   ///< shares this key's node
  apart,      ///< shares no node within this key
  state       ///< a node or GPU that is not up stays so
};

struct Requirement {
  RequirementKind kind = RequirementKind::device;
  TaskId task;     ///< of all but state
  std::string key; ///< of together and apart
  NodeId node;     ///< of state
  DeviceId gpu;    ///< of state: this GPU only, when valid
  Bytes need;      ///< of memory; filled in by findConflict
  bool operator==(const Requirement &) const = default;
};

/// What a task takes on a device that has too little.
struct BufferShare {
  std::string buffer;
  Bytes size;
};

struct NearestDevice {
  TaskId task;
  DeviceId device;
  std::string lacks;                ///< "18.0 GiB of memory", "compute capability 9.0 (it has 8.0)"
  Bytes needed;                     ///< memory; 0 where memory is not the point
  std::vector<BufferShare> buffers; ///< largest first; of a task short of memory that gives its accesses
};

struct Conflict {
  std::vector<Requirement> requirements;
  std::optional<NearestDevice> nearest; ///< where a task by itself fits nowhere
  std::vector<std::string> remedies;    ///< "3 more dgx-h100 nodes": each by itself makes the set hold
};

/// Nothing where no contradiction was found: all requirements can hold together, or the search for one gave
/// up. O(tasks x devices), then as often again as the tasks concerned have requirements.
std::optional<Conflict> findConflict(const TaskGraph &graph, const Cluster &cluster);

/// "big needs 186 GiB of device memory", "n003 is drained (ECC)".
std::string toText(const Requirement &requirement, const TaskGraph &graph, const Cluster &cluster);

/// An error at the first task concerned, with a note for each requirement, the nearest device, its buffers
/// and each remedy. Code: "no-placement".
Diagnostic toDiagnostic(const Conflict &conflict, const TaskGraph &graph, const Cluster &cluster,
                        const std::string &tasksFile, const std::string &clusterFile,
                        const std::string &message);

} // namespace streammap
