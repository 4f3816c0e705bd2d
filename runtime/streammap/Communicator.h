#pragma once
// The engine's view of the other ranks. MpiCommunicator is the real one, SoloCommunicator stands for a world
// of one, tests use one that passes messages between threads.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace streammap::engine {

/// Used by one thread at a time. Failures end the job (Failure.h).
class Communicator {
public:
  using Request = std::uint64_t;

  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int worldSize() const = 0;
  /// Tags may be reduced modulo this.
  virtual int tagCount() const = 0;
  /// The memory stays untouched by others until the request is done.
  virtual Request startSend(int to, int tag, const char *data, std::uint64_t size) = 0;
  virtual Request startReceive(int from, int tag, char *data, std::uint64_t size) = 0;
  /// Done when every rank has started its own; `*agreed` then says whether all gave the same `purpose`.
  virtual Request startMeeting(int purpose, bool *agreed) = 0;
  /// Requests that are done since the last call; never blocks.
  virtual std::vector<Request> takeDone() = 0;
  /// Blocks. Rank 0 gets every rank's text by rank, the others nothing.
  virtual std::vector<std::string> gather(const std::string &text) = 0;
  virtual void finish() = 0;
};

/// A world of one: no library, no network.
class SoloCommunicator final : public Communicator {
public:
  int rank() const override { return 0; }
  int worldSize() const override { return 1; }
  int tagCount() const override { return 1 << 30; }
  Request startSend(int, int, const char *, std::uint64_t) override { return ++last_; }
  Request startReceive(int, int, char *, std::uint64_t) override { return ++last_; }
  Request startMeeting(int, bool *agreed) override {
    *agreed = true;
    done_.push_back(++last_);
    return last_;
  }
  std::vector<Request> takeDone() override { return std::exchange(done_, {}); }
  std::vector<std::string> gather(const std::string &text) override { return {text}; }
  void finish() override {}

private:
  Request last_ = 0;
  std::vector<Request> done_;
};

} // namespace streammap::engine
