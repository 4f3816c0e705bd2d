#pragma once
// The runtime of this process: started before main, ended after it. The one piece of process-wide state,
// because the CUDA functions a program calls have no argument to hang it on.
#include "streammap/CudaTaskRunner.h"
#include "streammap/Engine.h"
#include "streammap/Recorder.h"
#include <memory>

namespace streammap::engine {

void startProcess();
void endProcess(int status, void *);

class Process {
public:
  /// Starts it where needed. Null while it starts and after it has ended: CUDA calls then go straight
  /// through.
  static Process *current();

  Engine &engine() { return *engine_; }
  /// Set in record mode (STREAMMAP_RECORD): host code runs, kernels are noted and skipped, there is no
  /// engine.
  Recorder *recorder() { return recorder_.get(); }
  BufferTable &buffers() { return recorder_ ? recorder_->buffers() : engine_->buffers(); }
  int worldSize() const { return communicator_->worldSize(); }
  bool isRoot() const { return communicator_->rank() == 0; }
  /// How many devices the program is told of: those of the placement, else this process's.
  int visibleDevices() const { return visibleDevices_; }

  /// A task's name: as given with its indices, or its default name and a count of such names, "saxpy#3".
  std::string nameOf(const detail::TaskDescription &task);

private:
  Process();
  ~Process();
  friend void startProcess();
  friend void endProcess(int status, void *);
  void end(int status);
  void writeTrace();

  std::string tracePath_;
  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<DevicePort> port_;
  StatusPage status_;
  TraceLog trace_;
  std::vector<std::unique_ptr<TaskRunner>> runners_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Engine> engine_;
  std::string node_;
  int visibleDevices_ = 0;
  std::map<std::string, std::size_t> unnamed_; ///< tasks met by default name
};

} // namespace streammap::engine
