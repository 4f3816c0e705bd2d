#pragma once
// The one thread that talks to other ranks. It never waits for a message: transfers that are ready are
// started, those that have arrived are completed, in whatever order they come.
#include "streammap/Communicator.h"
#include "streammap/LocalMemory.h"
#include "streammap/OperationGraph.h"
#include "streammap/TraceLog.h"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace streammap::engine {

enum class Meeting { agreed, disagreed, timedOut };

class CommunicationThread {
public:
  CommunicationThread(Communicator &communicator, LocalMemory &memory, TraceLog &trace);
  /// Stops after what was started; destroy it only when the graph has nothing left.
  ~CommunicationThread();

  /// `graph` is told of completions.
  void start(OperationGraph &graph);
  /// A send or receive whose predecessors have ended. Its data is fetched home first, by a second thread, so
  /// that messages keep moving meanwhile.
  void enqueue(Operation &transfer);
  /// Waits until every rank has come to a meeting, for at most so many seconds. Ranks that take different
  /// ways through the program come for different purposes.
  Meeting meet(int purpose, double timeoutSeconds);

private:
  struct Message {
    Operation *operation;
    std::vector<char> packed; ///< used when the pieces are not contiguous
    double start = 0;
  };
  void fetchLoop();
  void talkLoop();
  void begin(Message message);
  void end(Message &message);

  Communicator &communicator_;
  LocalMemory &memory_;
  TraceLog &trace_;
  OperationGraph *graph_ = nullptr;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Operation *> toFetch_; // guarded by mutex_, as are the next five
  std::deque<Message> toBegin_;
  bool meetingWanted_ = false;
  bool meetingDone_ = false;
  int purpose_ = 0;
  bool stopping_ = false;

  std::unordered_map<Communicator::Request, Message> underWay_; // talkLoop only
  bool agreed_ = false; // written by the communicator during a meeting
  std::thread fetcher_, talker_;
};

} // namespace streammap::engine
