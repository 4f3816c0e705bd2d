#pragma once
// Host threads that share the blocks of a launch with the thread that asks for them.
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace streammap::cpu {

class WorkerPool {
public:
  /// Part of a job: items [begin, end). Returns false when the rest of the job is pointless.
  using Part = std::function<bool(std::uint64_t begin, std::uint64_t end)>;

  /// `threads` at work on one job at a time: the asking one and threads - 1 of the pool's, which start when
  /// first needed.
  explicit WorkerPool(int threads) : threads_(threads) {}
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// Does items 0 to count - 1, each once unless a part returned false; returns when no part runs any more.
  /// Several threads may ask at once. With one thread the items are done in order.
  void run(std::uint64_t count, const Part &part);
  void stop();

private:
  struct Job {
    const Part *part;
    std::uint64_t next, count, chunk;
    int running = 0;
  };
  bool takePart(std::unique_lock<std::mutex> &lock, Job &job);
  void serve();

  const int threads_;
  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::list<Job *> jobs_; ///< that have items left to hand out, oldest first
  std::vector<std::thread> workers_;
  bool stopped_ = false;
};

} // namespace streammap::cpu
