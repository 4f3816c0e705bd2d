#pragma once
// Streams as ordered queues. Each runs its work, one piece after another, on a host thread of its own that
// starts with the first piece; pieces of different streams overlap unless one waits for a point of the other.
//
//   Point copied = copies.submit([&] { ... });
//   kernels.submit([&] { ... }, {copied});     // cudaStreamWaitEvent
//   kernels.last().await();                    // cudaStreamSynchronize
//
// A piece may only wait for points that exist when it is submitted, so streams cannot wait in a circle.
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace streammap::cpu {

/// How far one stream has come. Outlives its stream where an event still refers to it.
class Timeline {
public:
  void reach(std::uint64_t sequence);
  bool reached(std::uint64_t sequence) const;
  void await(std::uint64_t sequence) const;

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable moved_;
  std::uint64_t reached_ = 0;
};

/// A place in a stream: all work submitted up to it. The default point has always been reached.
class Point {
public:
  Point() = default;
  Point(std::shared_ptr<const Timeline> timeline, std::uint64_t sequence)
      : timeline_(std::move(timeline)), sequence_(sequence) {}
  bool reached() const { return !timeline_ || timeline_->reached(sequence_); }
  void await() const {
    if (timeline_)
      timeline_->await(sequence_);
  }

private:
  std::shared_ptr<const Timeline> timeline_;
  std::uint64_t sequence_ = 0;
};

using Work = std::move_only_function<void()>;
using Points = std::vector<Point>;

/// CUDA's three kinds: the legacy default stream waits for all blocking ones and they for it.
enum class StreamKind { legacy, blocking, nonBlocking };

/// What a program may ask a stream about.
struct StreamTraits {
  StreamKind kind = StreamKind::blocking;
  int device = 0;
  int priority = 0;
  unsigned flags = 0;
  std::uint64_t id = 0;
};

class Stream {
public:
  explicit Stream(const StreamTraits &traits) : traits_(traits) {}
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  /// Finishes what was submitted.
  ~Stream();

  const StreamTraits &traits() const { return traits_; }
  /// Runs `work` after all earlier work of this stream and the points in `after`.
  Point submit(Work work, Points after = {});
  /// The same on the calling thread, if the stream has nothing else to do; returns when the work is done.
  void run(Work work, Points after = {});
  /// The end of everything submitted so far.
  Point last() const;
  /// No more work will come: the thread ends when the queue is empty.
  void close();
  /// Work submitted from now on runs on the submitting thread (the process is about to end).
  void stopThread();

private:
  struct Piece {
    std::uint64_t sequence;
    Work work;
    Points after;
  };
  void serve();
  Point enqueue(Work work, Points after);

  const StreamTraits traits_;
  const std::shared_ptr<Timeline> timeline_ = std::make_shared<Timeline>();
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> queue_;
  std::uint64_t submitted_ = 0;
  bool busy_ = false; ///< a piece runs, here or on a submitting thread
  bool closed_ = false;
  bool threadless_ = false;
  std::thread thread_;
};

/// Whether the calling thread is a stream's: it must not wait for streams, its own above all.
bool onStreamThread();

} // namespace streammap::cpu
