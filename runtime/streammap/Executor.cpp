#include "streammap/Executor.h"
#include "streammap/Failure.h"
#include "support/Units.h"
#include <tuple>

namespace streammap::engine {
namespace {

std::string sizeText(std::uint64_t size) {
  return toText(bytes(static_cast<double>(size)));
}

[[noreturn]] void failForRoom(const Operation &task, const LocalMemory &memory, int device) {
  std::string message = "out of device memory: its sections do not fit at once";
  for (const Use &use : task.uses)
    if (placeOf(*use.buffer, device) != homePlace)
      message += "\n  needed: " + sizeText(totalSize(use.intervals)) + " of " + use.buffer->name;
  std::uint64_t listed = 0;
  for (const LocalMemory::Occupant &occupant : memory.occupants(device))
    if (++listed <= 8)
      message += "\n  on the device: " + sizeText(occupant.bytes) + " for " + occupant.buffer +
                 (occupant.inUse ? ", in use by another operation" : "");
  message += "\n  the most the device has held: " + sizeText(memory.peakBytes(device));
  fail(message);
}

} // namespace

bool Executor::Earlier::operator()(const Operation *a, const Operation *b) const {
  return std::tuple(a->task->start, a->task->index, a->id) <
         std::tuple(b->task->start, b->task->index, b->id);
}

Executor::Executor(int device, TaskRunner &runner, LocalMemory &memory, TraceLog &trace)
    : device_(device), runner_(runner), memory_(memory), trace_(trace) {}

Executor::~Executor() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

void Executor::start(OperationGraph &graph) {
  graph_ = &graph;
  thread_ = std::thread([this] { loop(); });
}

void Executor::enqueue(Operation &task) {
  // Notified under the lock: once it is free the task may run, end the program's work and take us with it.
  std::lock_guard lock(mutex_);
  ready_.insert(&task);
  changed_.notify_one();
}

Operation *Executor::take(Blocking blocking) {
  std::unique_lock lock(mutex_);
  if (blocking == Blocking::yes)
    changed_.wait(lock, [&] { return stopping_ || !ready_.empty(); });
  if (ready_.empty())
    return nullptr;
  return ready_.extract(ready_.begin()).value();
}

void Executor::complete(Operation &task, double start) {
  trace_.task(task.task->name, task.task->location, device_, start, trace_.now());
  memory_.release(task.uses, device_);
  graph_->complete(task.id); // `task` is gone
}

void Executor::loop() {
  runner_.attach(device_);
  Operation *next = nullptr; // its data is here already
  for (;;) {
    Operation *task = next;
    next = nullptr;
    if (!task) {
      task = take(Blocking::yes);
      if (!task)
        return;
      WorkScope scope(task->task->name, device_);
      if (memory_.acquire(task->uses, device_) == Acquired::noRoom)
        failForRoom(*task, memory_, device_);
    }
    double start;
    {
      WorkScope scope(task->task->name, device_);
      start = trace_.now();
      runner_.start(*task, memory_);
    }
    // While it runs: bring in what the next task needs. Without room for both, the next one waits its turn.
    next = take(Blocking::no);
    if (next) {
      WorkScope scope(next->task->name, device_);
      if (memory_.acquire(next->uses, device_) == Acquired::noRoom) {
        enqueue(*next);
        next = nullptr;
      }
    }
    {
      WorkScope scope(task->task->name, device_);
      runner_.finish(*task);
    }
    complete(*task, start);
  }
}

} // namespace streammap::engine
