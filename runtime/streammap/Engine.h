#pragma once
// One rank's part of the run. Every rank's main thread calls the same functions in the same order with the
// same arguments; each call advances what all ranks know of all ranks (who holds which piece), and adds this
// rank's part of the work: tasks placed here, and both ends of every transfer it takes part in. No rank asks
// another.
#include "streammap/BufferTable.h"
#include "streammap/CommunicationThread.h"
#include "streammap/Executor.h"
#include "streammap/Plan.h"
#include <map>
#include <span>

namespace streammap::engine {

struct RequestedSection {
  AccessMode mode = AccessMode::in;
  Section section;
};

/// A task as the program meets it.
struct TaskRequest {
  std::string name;
  std::string location;
  std::vector<RequestedSection> sections;
  OwnedClosure closure;
};

struct EngineParts {
  Communicator &communicator;
  DevicePort &port;
  TraceLog &trace;
  /// One per device and one more, the last, for the node's cores.
  std::vector<TaskRunner *> runners;
};

class Engine {
public:
  /// Without a plan every task runs on device 0 of rank 0. `arguments` are the program's own.
  Engine(EngineParts parts, std::optional<Plan> plan, std::vector<std::string> arguments);
  ~Engine();

  BufferTable &buffers() { return buffers_; }
  LocalMemory &memory() { return memory_; }
  const std::optional<Plan> &plan() const { return plan_; }
  int rank() const { return parts_.communicator.rank(); }

  void submit(TaskRequest request);
  /// Runs `function` now on every rank, with all `uses` at home and every earlier use of them done.
  void onHost(std::vector<Use> uses, const std::function<void()> &function);
  /// The same on every rank's device 0, for launches outside any task.
  void onDevice(std::vector<Use> uses, const std::function<void()> &function);
  /// All tasks are done on all ranks, and memory that the host can reach is valid on every rank.
  void wait(const std::string &location);
  void wait(const std::string &location, std::span<const Section> sections);
  /// Everything this rank was given is done.
  void waitForLocalWork();
  /// Before its home is freed.
  void removeBuffer(Buffer &buffer);
  /// Managed memory that tasks wrote must be fetched before the host looks at it.
  bool hostMayMissResults() const;
  /// All ranks start their clocks here.
  void synchroniseClocks();
  /// The program has ended in an error. Whether every rank did the same, within this time.
  bool endsTogether(int exitCode, double patienceSeconds);
  /// The program has ended well: all tasks done everywhere; fails if the placement has more tasks than were
  /// met.
  void finish();

  /// A region of a buffer as a use; ends the run if it is not inside.
  Use useOf(Buffer &buffer, AccessMode mode, const Region &region) const;
  /// What tasks have named, since the last wait, of ordinary host memory: of a region (its offset from
  /// `address`).
  std::vector<Use> usesOfHostMemory(const void *address, const Region &region, AccessMode mode) const;

private:
  struct Binding {
    std::vector<Use> uses;
    std::vector<BoundSection> sections;
  };

  PlannedTask planned(const TaskRequest &request);
  bool isSnapshot(const RequestedSection &requested) const;
  Binding bind(const TaskRequest &request);
  Buffer &bufferOf(const Section &section, const TaskRequest &request);
  Buffer &registerHostMemory(const char *begin, std::uint64_t size, const std::string &location);
  void bringTo(int rank, const Use &use);
  void bringToAll(const Use &use);
  void addTransfer(Buffer &buffer, Intervals pieces, int from, int to);
  void runReplicated(std::vector<Use> uses, int place, const std::function<void()> &function);
  void dispatch(Operation &operation);
  Executor &executorOf(int device);
  void meet(int purpose);
  [[noreturn]] void failForMismatch(std::size_t index, const TaskRequest &request) const;

  EngineParts parts_;
  std::optional<Plan> plan_;
  std::vector<std::string> arguments_;
  BufferTable buffers_;
  LocalMemory memory_;
  OperationGraph graph_;
  CommunicationThread communication_;
  std::vector<std::unique_ptr<Executor>> executors_; ///< by device; the node's cores last
  std::map<std::pair<int, int>, int> lastTag_;       ///< by (from, to)
  std::size_t tasksMet_ = 0;
  int waits_ = 0;
};

} // namespace streammap::engine
