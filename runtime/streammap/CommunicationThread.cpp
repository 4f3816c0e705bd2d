#include "streammap/CommunicationThread.h"
#include <chrono>
#include <cstring>

namespace streammap::engine {

CommunicationThread::CommunicationThread(Communicator &communicator, LocalMemory &memory, TraceLog &trace)
    : communicator_(communicator), memory_(memory), trace_(trace) {}

CommunicationThread::~CommunicationThread() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (fetcher_.joinable())
    fetcher_.join();
  if (talker_.joinable())
    talker_.join();
}

void CommunicationThread::start(OperationGraph &graph) {
  graph_ = &graph;
  fetcher_ = std::thread([this] { fetchLoop(); });
  talker_ = std::thread([this] { talkLoop(); });
}

void CommunicationThread::enqueue(Operation &transfer) {
  // Under the lock, as in Executor::enqueue.
  std::lock_guard lock(mutex_);
  toFetch_.push_back(&transfer);
  changed_.notify_all();
}

/// Brings what is sent home, and makes home the place of what is received.
void CommunicationThread::fetchLoop() {
  for (;;) {
    Operation *operation;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !toFetch_.empty(); });
      if (toFetch_.empty())
        return;
      operation = toFetch_.front();
      toFetch_.pop_front();
    }
    memory_.acquire(operation->uses, homePlace);
    Message message{operation, {}, 0};
    const Use &use = operation->uses.front();
    if (use.intervals.size() > 1) {
      message.packed.resize(totalSize(use.intervals));
      if (operation->kind == OperationKind::send) {
        char *to = message.packed.data();
        for (const Interval &piece : use.intervals) {
          std::memcpy(to, use.buffer->home + piece.begin, piece.size());
          to += piece.size();
        }
      }
    }
    {
      std::lock_guard lock(mutex_);
      toBegin_.push_back(std::move(message));
    }
    changed_.notify_all();
  }
}

void CommunicationThread::begin(Message message) {
  Operation &operation = *message.operation;
  const Use &use = operation.uses.front();
  char *data =
      message.packed.empty() ? use.buffer->home + use.intervals.front().begin : message.packed.data();
  const std::uint64_t size = totalSize(use.intervals);
  message.start = trace_.now();
  const int tag = operation.tag % communicator_.tagCount();
  const Communicator::Request request = operation.kind == OperationKind::send
                                            ? communicator_.startSend(operation.peer, tag, data, size)
                                            : communicator_.startReceive(operation.peer, tag, data, size);
  underWay_.emplace(request, std::move(message));
}

void CommunicationThread::end(Message &message) {
  Operation &operation = *message.operation;
  const Use &use = operation.uses.front();
  if (operation.kind == OperationKind::receive && !message.packed.empty()) {
    const char *from = message.packed.data();
    for (const Interval &piece : use.intervals) {
      std::memcpy(use.buffer->home + piece.begin, from, piece.size());
      from += piece.size();
    }
  }
  trace_.message(operation, message.start);
  memory_.release(operation.uses, homePlace);
  graph_->complete(operation.id);
}

void CommunicationThread::talkLoop() {
  using namespace std::chrono_literals;
  Communicator::Request meeting = 0;
  auto pause = 20us;
  for (;;) {
    std::deque<Message> beginning;
    bool startMeeting;
    int purpose;
    {
      // With messages under way the library must be asked again and again: often at first, then less so.
      std::unique_lock lock(mutex_);
      auto wanted = [&] { return stopping_ || !toBegin_.empty() || (meetingWanted_ && meeting == 0); };
      if (underWay_.empty() && meeting == 0)
        changed_.wait(lock, wanted);
      else
        changed_.wait_for(lock, pause, wanted);
      if (stopping_ && underWay_.empty() && toBegin_.empty() && meeting == 0)
        return;
      beginning.swap(toBegin_);
      startMeeting = meetingWanted_ && meeting == 0;
      purpose = purpose_;
      if (stopping_ && beginning.empty()) { // `wanted` holds at once from here on
        lock.unlock();
        std::this_thread::sleep_for(pause);
      }
    }
    for (Message &message : beginning)
      begin(std::move(message));
    if (startMeeting)
      meeting = communicator_.startMeeting(purpose, &agreed_);
    const std::vector<Communicator::Request> done = communicator_.takeDone();
    pause = done.empty() && beginning.empty() ? std::min(pause * 2, 400us) : 20us;
    for (Communicator::Request request : done) {
      if (request == meeting) {
        std::lock_guard lock(mutex_);
        meeting = 0;
        meetingWanted_ = false;
        meetingDone_ = true;
        changed_.notify_all();
        continue;
      }
      auto message = underWay_.find(request);
      end(message->second);
      underWay_.erase(message);
    }
  }
}

Meeting CommunicationThread::meet(int purpose, double timeoutSeconds) {
  if (communicator_.worldSize() == 1)
    return Meeting::agreed;
  std::unique_lock lock(mutex_);
  meetingWanted_ = true;
  meetingDone_ = false;
  purpose_ = purpose;
  changed_.notify_all();
  if (!changed_.wait_for(lock, std::chrono::duration<double>(timeoutSeconds), [&] { return meetingDone_; }))
    return Meeting::timedOut;
  return agreed_ ? Meeting::agreed : Meeting::disagreed;
}

} // namespace streammap::engine
