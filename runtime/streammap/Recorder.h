#pragma once
// Record mode (STREAMMAP_RECORD=app.tasks.json): the program's host code runs, its kernels are noted and
// skipped, and what was met is written as `streammap.tasks/1`. The other way to the file that annotate writes
// without a run.
#include "model/TaskGraph.h"
#include "streammap/BufferTable.h"
#include "streammap/Engine.h"
#include <cuda_runtime_api.h>
#include <map>
#include <string>

namespace streammap::engine {

class Recorder {
public:
  Recorder(std::string path, std::vector<std::string> arguments);
  BufferTable &buffers() { return buffers_; }

  /// Notes the task and runs its statement with the program's own pointers.
  void submit(const detail::TaskDescription &description, TaskRequest request);
  /// A launch inside the statement of the task being recorded, or outside any task.
  void launch(const std::string &symbol, const std::string &name, dim3 grid, dim3 block,
              std::size_t dynamicShared);
  /// Host memory named by later tasks is not what earlier ones named.
  void wait() { ++epoch_; }
  /// Writes the file; ends the process if that fails. A program that ended early is told so.
  void write(int exitCode);

private:
  /// An access to host memory, resolved when all are known: those that share bytes share a buffer.
  struct HostAccess {
    TaskId task;
    std::size_t index; ///< in the task's accesses
    std::size_t epoch;
    const char *first;
    std::string location;
  };
  void note(const RequestedSection &requested, const TaskRequest &request);
  void resolveHostAccesses();
  BufferId idOf(const Buffer &buffer);

  std::string path_;
  TaskGraph graph_;
  BufferTable buffers_;
  std::map<std::string, KernelId> kernels_;   ///< by symbol
  std::map<std::size_t, BufferId> bufferIds_; ///< by Buffer::number
  std::vector<HostAccess> hostAccesses_;
  std::size_t epoch_ = 0;
  std::size_t launchesOutsideTasks_ = 0;
  bool inTask_ = false;
};

} // namespace streammap::engine
