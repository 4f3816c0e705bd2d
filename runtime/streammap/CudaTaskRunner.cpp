#include "streammap/CudaTaskRunner.h"
#include "streammap/RealCuda.h"

namespace streammap::engine {
namespace {
thread_local CurrentTask *current = nullptr;
}

CurrentTask *currentTask() {
  return current;
}

void setCurrentTask(CurrentTask *task) {
  current = task;
}

void CudaTaskRunner::attach(int device) {
  device_ = device;
  if (device < 0)
    return;
  check(__real_cudaSetDevice(device), "cudaSetDevice");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

void CudaTaskRunner::start(Operation &operation, LocalMemory &memory) {
  TaskRun &run = *operation.task;
  status_.running(device_, run.name);
  std::vector<const void *> bases, places;
  for (const BoundSection &section : run.sections) {
    bases.push_back(section.base);
    places.push_back(section.place(memory, device_));
  }
  CurrentTask task{&run, &memory, device_, stream_};
  TaskContext context(bases.data(), places.data(), bases.size(), stream_, device_);
  checker_ = std::make_unique<AccessChecker>(operation, memory, device_);
  AccessChecker::watchThisThread(checker_.get());
  setCurrentTask(&task);
  run.closure(context);
  setCurrentTask(nullptr);
  AccessChecker::watchThisThread(nullptr);
}

void CudaTaskRunner::finish(Operation &) {
  if (device_ >= 0)
    check(__real_cudaStreamSynchronize(stream_), "a kernel or copy of the task");
  status_.running(device_, {});
}

} // namespace streammap::engine
