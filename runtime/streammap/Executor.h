#pragma once
// One device of this rank: runs the tasks placed on it, one after another. While one runs, the data of the
// next is brought in.
#include "streammap/LocalMemory.h"
#include "streammap/OperationGraph.h"
#include "streammap/TaskRun.h"
#include "streammap/TraceLog.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

namespace streammap::engine {

/// How a device runs a task's statement; the real one uses CUDA streams.
class TaskRunner {
public:
  virtual ~TaskRunner() = default;
  /// Called first, on the executor's thread.
  virtual void attach(int device) = 0;
  /// Runs the statement; kernels may still be running when it returns.
  virtual void start(Operation &task, LocalMemory &memory) = 0;
  /// Returns when everything the statement started has ended.
  virtual void finish(Operation &task) = 0;
};

class Executor {
public:
  /// `device` is local; homePlace for the node's cores.
  Executor(int device, TaskRunner &runner, LocalMemory &memory, TraceLog &trace);
  ~Executor();
  void start(OperationGraph &graph);
  /// A task whose predecessors have ended.
  void enqueue(Operation &task);

private:
  struct Earlier {
    bool operator()(const Operation *a, const Operation *b) const;
  };
  enum class Blocking { no, yes };

  void loop();
  Operation *take(Blocking blocking);
  void complete(Operation &task, double start);

  int device_;
  TaskRunner &runner_;
  LocalMemory &memory_;
  TraceLog &trace_;
  OperationGraph *graph_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Operation *, Earlier> ready_; // guarded by mutex_
  bool stopping_ = false;                // guarded by mutex_
  std::thread thread_;
};

} // namespace streammap::engine
