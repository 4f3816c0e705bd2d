#pragma once
// What the readers have in common: collecting tasks and edges while judging them, and making clusters of
// processors.
//
//   GraphBuilder builder("a.stg", diagnostics);
//   TaskId a = builder.addTask("t0", {{"*", seconds(3)}}, where);
//   builder.addEdge(a, b, bytes(7), where);
//   std::optional<TaskGraph> graph = std::move(builder).finish();
#include "interchange/Import.h"
#include <map>
#include <set>

namespace streammap {

class GraphBuilder {
public:
  GraphBuilder(std::string file, Diagnostics &diagnostics)
      : file_(std::move(file)), diagnostics_(&diagnostics) {}

  std::size_t taskCount() const { return graph_.tasks.size(); }
  std::optional<TaskId> find(const std::string &id) const;

  /// An id that is taken is reported; the task is added all the same, so that numbers stay in step.
  TaskId addTask(const std::string &id, std::map<std::string, Seconds> times, const SourceLocation &where);
  Task &task(TaskId id) { return graph_.tasks[id]; }
  BufferId addBuffer(const std::string &id, Bytes size);

  /// Reports a task that follows itself and a second edge of the same buffer between two tasks.
  void addEdge(TaskId from, TaskId to, Bytes size, const SourceLocation &where,
               std::optional<BufferId> buffer = std::nullopt);

  /// Nothing when something was reported, here or before; cycles are reported here.
  std::optional<TaskGraph> finish() &&;

private:
  std::string file_;
  Diagnostics *diagnostics_;
  TaskGraph graph_;
  std::map<std::string, TaskId, std::less<>> ids_;
  std::set<std::tuple<TaskId, TaskId, BufferId>> edges_;
};

/// A node with its devices, each of one model without rates: its tasks give their own times.
struct ProcessorNode {
  std::string name;
  std::vector<std::string> models; ///< of its devices
};

/// The nodes, joined so that every transfer between two of them runs at `bandwidth` and none waits for
/// another. Models that share a name are one, and nodes with the same models one type.
Cluster clusterOfProcessors(std::string name, const std::vector<ProcessorNode> &nodes,
                            BytesPerSecond bandwidth = bytesPerSecond(1));

/// `count` nodes "p0", "p1", ... of one device each, all alike.
Cluster identicalProcessors(std::string name, std::size_t count,
                            BytesPerSecond bandwidth = bytesPerSecond(1));

/// Reports that `--processors` contradicts a file that says itself how many there are.
void refuseProcessors(const ImportOptions &options, const std::string &file, const std::string &why,
                      Diagnostics &diagnostics);

/// "rand0000" of "some/folder/rand0000.stg": what the cluster of a file is called.
std::string nameOfProblem(const std::string &file);

} // namespace streammap
