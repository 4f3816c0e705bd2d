// Devices, streams and events as the program knows them. The devices it chooses among are the placement's;
// which one a task really runs on is not its choice. Outside tasks copies and launches end before they
// return, so streams and events have nothing left to order but what the program does with them itself, on
// device 0.
#include "streammap/Redirection.h"
#include <mpi.h>
#include <mutex>
#include <set>

extern "C" {
int __real_MPI_Init(int *argc, char ***argv);
int __real_MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int __real_MPI_Finalize();
}

namespace streammap::engine {
namespace {

thread_local int chosenDevice = 0;

/// Events that only order work, created with cudaEventDisableTiming; the others also take the time.
class OrderingEvents {
public:
  void add(cudaEvent_t event) {
    std::lock_guard lock(mutex_);
    events_.insert(event);
  }
  void remove(cudaEvent_t event) {
    std::lock_guard lock(mutex_);
    events_.erase(event);
  }
  bool contains(cudaEvent_t event) {
    std::lock_guard lock(mutex_);
    return events_.contains(event);
  }

private:
  std::mutex mutex_;
  std::set<cudaEvent_t> events_;
};

OrderingEvents &orderingEvents() {
  static OrderingEvents events;
  return events;
}

/// After this the host may look at managed and pinned memory that tasks wrote.
void makeResultsVisible(const char *call) {
  Process *process = Process::current();
  if (process && !process->recorder() && process->engine().hostMayMissResults())
    process->engine().wait(call);
}

/// What the program sets up for "its" device holds for all of this rank's: which one a task gets is not known
/// to it.
template <class Set>
cudaError_t onEveryDevice(Set set) {
  int devices = 0;
  cudaError_t status = __real_cudaGetDeviceCount(&devices);
  for (int device = 0; device < devices && status == cudaSuccess; ++device) {
    const DeviceScope scope(device);
    status = set();
  }
  return status;
}

/// The device of this process that answers for the one the program means: they are taken to be alike.
int representative(int device) {
  int devices = 0;
  return __real_cudaGetDeviceCount(&devices) == cudaSuccess && device >= devices ? 0 : device;
}

bool isRecording() {
  Process *process = Process::current();
  return process && process->recorder();
}

} // namespace

extern "C" {

cudaError_t __wrap_cudaGetDeviceCount(int *count) {
  Process *process = Process::current();
  if (!process)
    return __real_cudaGetDeviceCount(count);
  *count = process->visibleDevices();
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t __wrap_cudaSetDevice(int device) {
  Process *process = Process::current();
  if (!process)
    return __real_cudaSetDevice(device);
  if (device < 0 || device >= process->visibleDevices())
    return cudaErrorInvalidDevice;
  chosenDevice = device;
  return cudaSuccess;
}

cudaError_t __wrap_cudaGetDevice(int *device) {
  Process *process = Process::current();
  if (!process)
    return __real_cudaGetDevice(device);
  const CurrentTask *task = currentTask();
  *device = task && task->device >= 0 ? task->device : chosenDevice;
  return cudaSuccess;
}

cudaError_t __wrap_cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  if (isRecording())
    return cudaSuccess;
  return onEveryDevice([&] { return __real_cudaFuncSetAttribute(function, attribute, value); });
}

cudaError_t __wrap_cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (isRecording())
    return cudaSuccess;
  return onEveryDevice([&] { return __real_cudaDeviceSetLimit(limit, value); });
}

cudaError_t __wrap_cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  return __real_cudaGetDeviceProperties(properties, representative(device));
}

cudaError_t __wrap_cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  return __real_cudaDeviceGetAttribute(value, attribute, representative(device));
}

// Buffers can be reached from every device, by way of the runtime.

cudaError_t __wrap_cudaDeviceCanAccessPeer(int *can, int, int) {
  *can = 1;
  return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceEnablePeerAccess(int, unsigned) {
  return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceDisablePeerAccess(int) {
  return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceSynchronize() {
  if (const CurrentTask *task = currentTask())
    return __real_cudaStreamSynchronize(task->stream);
  Process *process = Process::current();
  if (process && process->recorder()) {
    process->recorder()->wait();
    return cudaSuccess;
  }
  if (process)
    process->engine().wait("cudaDeviceSynchronize");
  return __real_cudaDeviceSynchronize();
}

/// Buffers belong to all ranks and devices: resetting "the" device ends nothing but the work in flight.
cudaError_t __wrap_cudaDeviceReset() {
  return __wrap_cudaDeviceSynchronize();
}

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
  if (const CurrentTask *task = currentTask())
    return __real_cudaStreamSynchronize(task->stream);
  makeResultsVisible("cudaStreamSynchronize");
  return __real_cudaStreamSynchronize(stream);
}

cudaError_t __wrap_cudaStreamQuery(cudaStream_t stream) {
  const CurrentTask *task = currentTask();
  return __real_cudaStreamQuery(task ? task->stream : stream);
}

cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  // A task starts when everything it depends on has ended, so there is nothing for its stream to wait for.
  return currentTask() ? cudaSuccess : __real_cudaStreamWaitEvent(stream, event, flags);
}

cudaError_t __wrap_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  const CurrentTask *task = currentTask();
  if (task && task->device < 0) {
    function(data);
    return cudaSuccess;
  }
  return __real_cudaLaunchHostFunc(task ? task->stream : stream, function, data);
}

cudaError_t __wrap_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  const cudaError_t status = __real_cudaEventCreateWithFlags(event, flags);
  if (status == cudaSuccess && (flags & cudaEventDisableTiming))
    orderingEvents().add(*event);
  return status;
}

cudaError_t __wrap_cudaEventDestroy(cudaEvent_t event) {
  orderingEvents().remove(event);
  return __real_cudaEventDestroy(event);
}

/// An event that takes the time marks the end of all tasks before it; one that only orders has nothing to
/// order.
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (currentTask())
    return cudaSuccess;
  Process *process = Process::current();
  if (process && !process->recorder() && !orderingEvents().contains(event))
    process->engine().waitForLocalWork();
  return __real_cudaEventRecord(event, stream);
}

cudaError_t __wrap_cudaEventSynchronize(cudaEvent_t event) {
  if (currentTask())
    return cudaSuccess;
  makeResultsVisible("cudaEventSynchronize");
  return isRecording() ? cudaSuccess : __real_cudaEventSynchronize(event);
}

// The runtime has initialised MPI before main where there are several ranks, and ends it after main.

int __wrap_MPI_Init(int *argc, char ***argv) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  return initialised ? MPI_SUCCESS : __real_MPI_Init(argc, argv);
}

int __wrap_MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  return initialised ? MPI_Query_thread(provided) : __real_MPI_Init_thread(argc, argv, required, provided);
}

int __wrap_MPI_Finalize() {
  Process *process = Process::current();
  return process && process->worldSize() > 1 ? MPI_SUCCESS : __real_MPI_Finalize();
}

// Compiled with a default stream per thread, the program calls these names.
STREAMMAP_ALIAS(cudaStreamQuery, _ptsz)
STREAMMAP_ALIAS(cudaStreamSynchronize, _ptsz)
STREAMMAP_ALIAS(cudaStreamWaitEvent, _ptsz)
STREAMMAP_ALIAS(cudaLaunchHostFunc, _ptsz)
STREAMMAP_ALIAS(cudaEventRecord, _ptsz)

} // extern "C"
} // namespace streammap::engine
