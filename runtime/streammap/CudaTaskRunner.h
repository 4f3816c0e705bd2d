#pragma once
// Runs the statements of tasks on a CUDA device, or on the node's cores.
#include "streammap/AccessChecker.h"
#include "streammap/CurrentTask.h"
#include "streammap/Executor.h"
#include "streammap/StatusPage.h"

namespace streammap::engine {

class CudaTaskRunner final : public TaskRunner {
public:
  explicit CudaTaskRunner(StatusPage &status) : status_(status) {}
  void attach(int device) override;
  void start(Operation &task, LocalMemory &memory) override;
  void finish(Operation &task) override;

private:
  StatusPage &status_;
  int device_ = -1;
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<AccessChecker> checker_; ///< of the task that runs: its kernels end after `start`
};

} // namespace streammap::engine
