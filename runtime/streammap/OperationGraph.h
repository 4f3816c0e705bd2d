#pragma once
// Which operations of this rank may start: those whose predecessors, by overlap in program order, have ended.
//
//   graph.add(std::move(operation));     // calls onReady at once or when the last predecessor completes
//   graph.complete(id);
//   graph.waitFor(id);                   // from the main thread
#include "streammap/Operation.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <unordered_map>

namespace streammap::engine {

class OperationGraph {
public:
  using OnReady = std::function<void(Operation &)>;

  /// `onReady` is called once per operation, from the thread that adds it or completes its last predecessor,
  /// without any lock held.
  explicit OperationGraph(OnReady onReady) : onReady_(std::move(onReady)) {}

  /// Returns the operation's id: ids grow.
  std::uint64_t add(std::unique_ptr<Operation> operation);
  /// The operation is deleted.
  void complete(std::uint64_t id);
  void waitFor(std::uint64_t id);
  /// Until everything added so far has completed.
  void waitForAll();
  /// Until every operation that touches `buffer` has completed.
  void waitFor(const Buffer &buffer);

private:
  void follow(Operation &operation, std::uint64_t predecessor);
  void link(Operation &operation, const Use &use);

  OnReady onReady_;
  std::mutex mutex_;
  std::condition_variable completed_;
  std::uint64_t lastId_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Operation>> live_;
};

} // namespace streammap::engine
