#pragma once
// Devices in ordinary memory, with a limit, that write down every copy; and ranks that are threads of one
// process.
#include "streammap/Communicator.h"
#include "streammap/DevicePort.h"
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace streammap::test {

class FakeDevices final : public engine::DevicePort {
public:
  static constexpr std::uint64_t granule = 64;
  FakeDevices(int count, std::size_t granulesPerDevice) : used_(count), limit_(granulesPerDevice) {}

  int deviceCount() const override { return static_cast<int>(used_.size()); }
  engine::Mirror reserve(int device, std::uint64_t size) override {
    engine::Mirror mirror;
    mirror.device = device;
    mirror.granule = granule;
    mirror.granuleCount = (size + granule - 1) / granule;
    mirror.memory.assign(mirror.granuleCount, 0);
    std::lock_guard lock(mutex_);
    memory_.push_back(std::make_unique<char[]>(mirror.granuleCount * granule));
    mirror.base = memory_.back().get();
    std::memset(mirror.base, 0x5a, mirror.granuleCount * granule);
    return mirror;
  }
  void unreserve(engine::Mirror &) override {}
  engine::Commit commit(engine::Mirror &mirror, std::size_t index) override {
    std::lock_guard lock(mutex_);
    if (used_[mirror.device] == limit_)
      return engine::Commit::outOfMemory;
    ++used_[mirror.device];
    mirror.memory[index] = 1;
    return engine::Commit::done;
  }
  void uncommit(engine::Mirror &mirror, std::size_t index) override {
    std::lock_guard lock(mutex_);
    --used_[mirror.device];
    mirror.memory[index] = 0;
    // Whoever still reads it sees that it is gone.
    std::memset(mirror.base + index * granule, 0xdb, granule);
  }
  bool reachesDirectly(int, int) const override { return direct; }
  void copy(const engine::Copy &copy) override {
    for (const engine::Rectangle &piece : copy.pieces)
      for (std::uint64_t row = 0; row < piece.rows; ++row) {
        const std::uint64_t offset = piece.begin + row * piece.stride;
        std::memcpy(copy.to + offset, copy.from + offset, piece.width);
      }
    std::lock_guard lock(mutex_);
    for (const engine::Rectangle &piece : copy.pieces)
      log_.push_back(place(copy.fromDevice) + ">" + place(copy.toDevice) + " " + std::to_string(piece.begin) +
                     "+" + std::to_string(piece.width) +
                     (piece.rows > 1 ? "x" + std::to_string(piece.rows) : ""));
  }

  /// Copies since the last call: "home>d0 0+64".
  std::vector<std::string> takeLog() {
    std::lock_guard lock(mutex_);
    return std::exchange(log_, {});
  }
  std::size_t usedGranules(int device) const { return used_[device]; }

  bool direct = true; ///< whether devices reach each other

private:
  static std::string place(int device) { return device < 0 ? "home" : "d" + std::to_string(device); }
  std::mutex mutex_;
  std::vector<std::size_t> used_;
  std::size_t limit_;
  std::vector<std::unique_ptr<char[]>> memory_;
  std::vector<std::string> log_;
};

/// The post office of a world of threads.
class FakeWorld {
public:
  explicit FakeWorld(int size) : size_(size) {}
  int size() const { return size_; }
  std::size_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }

private:
  friend class FakeCommunicator;
  std::mutex mutex_;
  int size_;
  std::map<std::tuple<int, int, int>, std::string> posted_; // by from, to, tag
  std::vector<std::pair<int, int>> meetings_;               // arrived, agreed purpose
  std::map<std::size_t, std::vector<int>> purposes_;        // by number of the meeting
  std::size_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

class FakeCommunicator final : public engine::Communicator {
public:
  FakeCommunicator(FakeWorld &world, int rank) : world_(world), rank_(rank) {}
  int rank() const override { return rank_; }
  int worldSize() const override { return world_.size_; }
  int tagCount() const override { return 1 << 30; }
  Request startSend(int to, int tag, const char *data, std::uint64_t size) override {
    std::lock_guard lock(world_.mutex_);
    world_.posted_[{rank_, to, tag}] = std::string(data, size);
    ++world_.messages_;
    world_.bytes_ += size;
    done_.push_back(++last_);
    return last_;
  }
  Request startReceive(int from, int tag, char *data, std::uint64_t size) override {
    receiving_.push_back({++last_, from, tag, data, size});
    return last_;
  }
  Request startMeeting(int purpose, bool *agreed) override {
    std::lock_guard lock(world_.mutex_);
    world_.purposes_[meeting_].push_back(purpose);
    waiting_ = {++last_, meeting_++, agreed};
    return last_;
  }
  std::vector<Request> takeDone() override {
    std::lock_guard lock(world_.mutex_);
    std::vector<Request> done = std::exchange(done_, {});
    std::erase_if(receiving_, [&](const Receive &receive) {
      auto message = world_.posted_.find({receive.from, rank_, receive.tag});
      if (message == world_.posted_.end())
        return false;
      if (message->second.size() != receive.size)
        std::abort(); // both ends must mean the same piece
      std::memcpy(receive.data, message->second.data(), receive.size);
      world_.posted_.erase(message);
      done.push_back(receive.request);
      return true;
    });
    if (waiting_.request &&
        world_.purposes_[waiting_.number].size() == static_cast<std::size_t>(world_.size_)) {
      const std::vector<int> &purposes = world_.purposes_[waiting_.number];
      *waiting_.agreed = std::equal(purposes.begin() + 1, purposes.end(), purposes.begin());
      done.push_back(std::exchange(waiting_.request, 0));
    }
    return done;
  }
  std::vector<std::string> gather(const std::string &text) override { return {text}; }
  void finish() override {}

private:
  struct Receive {
    Request request;
    int from, tag;
    char *data;
    std::uint64_t size;
  };
  struct Waiting {
    Request request = 0;
    std::size_t number = 0;
    bool *agreed = nullptr;
  };
  FakeWorld &world_;
  int rank_;
  Request last_ = 0;
  std::vector<Request> done_;
  std::vector<Receive> receiving_;
  std::size_t meeting_ = 0;
  Waiting waiting_;
};

} // namespace streammap::test
