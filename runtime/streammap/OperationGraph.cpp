#include "streammap/OperationGraph.h"
#include "streammap/TaskRun.h"
#include <algorithm>

namespace streammap::engine {

Operation::Operation() = default;
Operation::~Operation() = default;

void OperationGraph::follow(Operation &operation, std::uint64_t predecessor) {
  if (predecessor == operation.id)
    return; // two uses of one operation overlap
  auto found = live_.find(predecessor);
  if (found == live_.end())
    return; // ended long ago
  std::vector<std::uint64_t> &followers = found->second->followers;
  if (!followers.empty() && followers.back() == operation.id)
    return; // the operation being added is always the last follower
  followers.push_back(operation.id);
  ++operation.waitingFor;
}

void OperationGraph::link(Operation &operation, const Use &use) {
  for (const Interval &interval : use.intervals)
    use.buffer->history.update(interval, [&](Interval, AccessHistory &history) {
      follow(operation, history.writer);
      if (writes(use.mode)) {
        for (std::uint64_t reader : history.readers)
          follow(operation, reader);
        history.writer = operation.id;
        history.readers.clear();
        return;
      }
      std::erase_if(history.readers, [&](std::uint64_t reader) { return !live_.contains(reader); });
      if (history.writer != operation.id &&
          (history.readers.empty() || history.readers.back() != operation.id))
        history.readers.push_back(operation.id);
    });
}

std::uint64_t OperationGraph::add(std::unique_ptr<Operation> operation) {
  Operation *ready = nullptr;
  std::uint64_t id;
  {
    std::lock_guard lock(mutex_);
    id = operation->id = ++lastId_;
    for (const Use &use : operation->uses)
      link(*operation, use);
    if (operation->waitingFor == 0)
      ready = operation.get();
    live_.emplace(id, std::move(operation));
  }
  if (ready)
    onReady_(*ready);
  return id;
}

void OperationGraph::complete(std::uint64_t id) {
  std::vector<Operation *> ready;
  std::unique_ptr<Operation> ended;
  {
    std::lock_guard lock(mutex_);
    auto found = live_.find(id);
    ended = std::move(found->second);
    live_.erase(found);
    for (std::uint64_t follower : ended->followers) {
      Operation &operation = *live_.at(follower);
      if (--operation.waitingFor == 0)
        ready.push_back(&operation);
    }
  }
  completed_.notify_all();
  for (Operation *operation : ready)
    onReady_(*operation);
}

void OperationGraph::waitFor(std::uint64_t id) {
  std::unique_lock lock(mutex_);
  completed_.wait(lock, [&] { return !live_.contains(id); });
}

void OperationGraph::waitForAll() {
  std::unique_lock lock(mutex_);
  completed_.wait(lock, [&] { return live_.empty(); });
}

void OperationGraph::waitFor(const Buffer &buffer) {
  std::unique_lock lock(mutex_);
  completed_.wait(lock, [&] {
    return std::ranges::none_of(live_, [&](const auto &entry) {
      return std::ranges::any_of(entry.second->uses, [&](const Use &use) { return use.buffer == &buffer; });
    });
  });
}

} // namespace streammap::engine
