#include "cpu/WorkerPool.h"
#include <algorithm>

namespace streammap::cpu {

WorkerPool::~WorkerPool() {
  stop();
}

void WorkerPool::stop() {
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  work_.notify_all();
  for (std::thread &worker : workers_)
    worker.join();
  workers_.clear();
}

/// Hands out the next items of `job` and does them without the lock; false when there are none left.
bool WorkerPool::takePart(std::unique_lock<std::mutex> &lock, Job &job) {
  if (job.next >= job.count)
    return false;
  const std::uint64_t begin = job.next, end = std::min(job.count, begin + job.chunk);
  job.next = end;
  ++job.running;
  lock.unlock();
  const bool more = (*job.part)(begin, end);
  lock.lock();
  --job.running;
  if (!more)
    job.next = job.count;
  if (job.running == 0 && job.next >= job.count)
    done_.notify_all();
  return true;
}

void WorkerPool::run(std::uint64_t count, const Part &part) {
  if (threads_ <= 1 || count <= 1) {
    if (count != 0)
      part(0, count);
    return;
  }
  // Eight parts per thread even out blocks of different length; larger ones would not.
  Job job{&part, 0, count, std::max<std::uint64_t>(1, count / (static_cast<std::uint64_t>(threads_) * 8))};
  std::unique_lock lock(mutex_);
  while (!stopped_ && workers_.size() + 1 < static_cast<std::size_t>(threads_))
    workers_.emplace_back([this] { serve(); });
  jobs_.push_back(&job);
  work_.notify_all();
  while (takePart(lock, job))
    ;
  done_.wait(lock, [&] { return job.running == 0; });
  jobs_.remove(&job);
}

void WorkerPool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto open = std::ranges::find_if(jobs_, [](const Job *job) { return job->next < job->count; });
    if (open != jobs_.end())
      takePart(lock, **open);
    else if (stopped_)
      return;
    else
      work_.wait(lock);
  }
}

} // namespace streammap::cpu
