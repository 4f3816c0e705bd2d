#pragma once
// The task whose statement the calling thread is running: what interposed CUDA calls are redirected to.
#include "streammap/LocalMemory.h"
#include "streammap/TaskRun.h"
#include <cuda_runtime_api.h>

namespace streammap::engine {

struct CurrentTask {
  const TaskRun *run = nullptr;
  LocalMemory *memory = nullptr;
  int device = -1; ///< -1: the node's cores
  cudaStream_t stream = nullptr;
};

/// Null outside a task's statement.
CurrentTask *currentTask();
void setCurrentTask(CurrentTask *task);

} // namespace streammap::engine
