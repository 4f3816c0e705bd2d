#include "cpu/Streams.h"
#include <utility>

namespace streammap::cpu {
namespace {

thread_local bool servesStream = false;

} // namespace

bool onStreamThread() {
  return servesStream;
}

void Timeline::reach(std::uint64_t sequence) {
  {
    std::lock_guard lock(mutex_);
    reached_ = sequence;
  }
  moved_.notify_all();
}

bool Timeline::reached(std::uint64_t sequence) const {
  std::lock_guard lock(mutex_);
  return reached_ >= sequence;
}

void Timeline::await(std::uint64_t sequence) const {
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [&] { return reached_ >= sequence; });
}

Stream::~Stream() {
  close();
  if (thread_.joinable())
    thread_.join();
}

Point Stream::submit(Work work, Points after) {
  {
    std::lock_guard lock(mutex_);
    if (!threadless_)
      return enqueue(std::move(work), std::move(after));
  }
  run(std::move(work), std::move(after));
  return last();
}

/// Under the lock.
Point Stream::enqueue(Work work, Points after) {
  queue_.push_back({++submitted_, std::move(work), std::move(after)});
  if (!thread_.joinable())
    thread_ = std::thread([this] { serve(); });
  changed_.notify_all();
  return Point(timeline_, submitted_);
}

void Stream::run(Work work, Points after) {
  std::unique_lock lock(mutex_);
  if (threadless_)
    changed_.wait(lock, [&] { return !busy_ && queue_.empty(); });
  if (busy_ || !queue_.empty()) {
    const Point done = enqueue(std::move(work), std::move(after));
    lock.unlock();
    done.await();
    return;
  }
  busy_ = true;
  const std::uint64_t sequence = ++submitted_;
  lock.unlock();
  for (const Point &point : after)
    point.await();
  work();
  work = nullptr;
  timeline_->reach(sequence);
  lock.lock();
  busy_ = false;
  changed_.notify_all();
}

Point Stream::last() const {
  std::lock_guard lock(mutex_);
  return Point(timeline_, submitted_);
}

void Stream::close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void Stream::stopThread() {
  {
    std::lock_guard lock(mutex_);
    closed_ = threadless_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable())
    thread_.join();
}

void Stream::serve() {
  servesStream = true;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !busy_ && (!queue_.empty() || closed_); });
    if (queue_.empty())
      return;
    Piece piece = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    for (const Point &point : piece.after)
      point.await();
    piece.work();
    piece.work = nullptr; // what it owns must be gone before anybody learns that it is done
    timeline_->reach(piece.sequence);
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

} // namespace streammap::cpu
