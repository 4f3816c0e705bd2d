// Streams and events: what waits for what, and what does not. Kernels here wait for flags that the test sets,
// so that an order is proved by construction, never by time.
#include "runtime/cpu/FakeProgram.h"
#include "support/Catch.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <thread>

using namespace streammap::test;

namespace {

/// Waits until the flag is set.
void awaitFlag(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  auto *flag = argument<std::atomic<bool> *>(launch, 0);
  while (!flag->load())
    std::this_thread::yield();
}

void setFlag(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  argument<std::atomic<bool> *>(launch, 0)->store(true);
}

struct Log {
  std::mutex mutex;
  std::vector<int> entries;
  void add(int entry) {
    const std::lock_guard lock(mutex);
    entries.push_back(entry);
  }
};

void addEntry(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  argument<Log *>(launch, 0)->add(argument<int>(launch, 1));
}

const FakeProgram &program() {
  static const FakeProgram only("stream-test",
                                {{.symbol = "await", .run = awaitFlag, .parameterSizes = {8}},
                                 {.symbol = "set", .run = setFlag, .parameterSizes = {8}},
                                 {.symbol = "log", .run = addEntry, .parameterSizes = {8, 4}}});
  return only;
}

void launch(const char *kernel, cudaStream_t stream, std::atomic<bool> &flag) {
  REQUIRE(program().launch(kernel, {}, stream, &flag) == cudaSuccess);
}

void launchLog(cudaStream_t stream, Log &log, int entry) {
  REQUIRE(program().launch("log", {}, stream, &log, entry) == cudaSuccess);
}

struct OwnStream {
  explicit OwnStream(unsigned flags = cudaStreamDefault) {
    REQUIRE(cudaStreamCreateWithFlags(&handle, flags) == cudaSuccess);
  }
  ~OwnStream() { cudaStreamDestroy(handle); }
  OwnStream(const OwnStream &) = delete;
  OwnStream &operator=(const OwnStream &) = delete;
  operator cudaStream_t() const { return handle; }
  cudaStream_t handle = nullptr;
};

struct OwnEvent {
  explicit OwnEvent(unsigned flags = cudaEventDefault) {
    REQUIRE(cudaEventCreateWithFlags(&handle, flags) == cudaSuccess);
  }
  ~OwnEvent() { cudaEventDestroy(handle); }
  OwnEvent(const OwnEvent &) = delete;
  OwnEvent &operator=(const OwnEvent &) = delete;
  operator cudaEvent_t() const { return handle; }
  cudaEvent_t handle = nullptr;
};

cudaError_t taken(cudaError_t error) {
  CHECK(cudaGetLastError() == error);
  return error;
}

} // namespace

TEST_CASE("work of one stream runs in order") {
  OwnStream stream;
  Log log;
  for (int i = 0; i != 100; ++i)
    launchLog(stream, log, i);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  REQUIRE(log.entries.size() == 100);
  CHECK(std::ranges::is_sorted(log.entries));
}

TEST_CASE("streams run beside each other") {
  OwnStream waiting, setting;
  std::atomic<bool> flag = false;
  launch("await", waiting, flag);
  CHECK(taken(cudaStreamQuery(waiting)) == cudaErrorNotReady);
  launch("set", setting, flag); // would never run if streams shared one queue
  CHECK(cudaStreamSynchronize(waiting) == cudaSuccess);
  CHECK(cudaStreamQuery(waiting) == cudaSuccess);
}

TEST_CASE("the legacy default stream waits for blocking streams and they for it") {
  OwnStream blocking;
  Log log;
  std::atomic<bool> flag = false;
  launch("await", blocking, flag);
  launchLog(blocking, log, 1);
  launchLog(nullptr, log, 2);
  launchLog(blocking, log, 3);
  CHECK(taken(cudaStreamQuery(nullptr)) == cudaErrorNotReady);
  flag = true;
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(log.entries == std::vector<int>{1, 2, 3});
}

TEST_CASE("a non-blocking stream has nothing to do with the default stream") {
  OwnStream independent(cudaStreamNonBlocking);
  std::atomic<bool> flag = false;
  launch("await", nullptr, flag);
  launch("set", independent, flag); // would wait for ever if it were ordered
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("the per-thread default stream is each thread's own") {
  std::atomic<bool> flag = false;
  launch("await", cudaStreamPerThread, flag);
  std::thread([&] {
    launch("set", cudaStreamPerThread, flag);
    CHECK(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
  }).join();
  CHECK(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
}

TEST_CASE("a stream waits for another's event") {
  OwnStream first(cudaStreamNonBlocking), second(cudaStreamNonBlocking);
  OwnEvent event;
  Log log;
  std::atomic<bool> flag = false;
  launch("await", first, flag);
  launchLog(first, log, 1);
  REQUIRE(cudaEventRecord(event, first) == cudaSuccess);
  REQUIRE(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);
  launchLog(second, log, 2);
  CHECK(taken(cudaEventQuery(event)) == cudaErrorNotReady);
  CHECK(taken(cudaStreamQuery(second)) == cudaErrorNotReady);
  flag = true;
  REQUIRE(cudaStreamSynchronize(second) == cudaSuccess);
  CHECK(cudaEventQuery(event) == cudaSuccess);
  CHECK(log.entries == std::vector<int>{1, 2});
}

TEST_CASE("waiting for an event means its last recording at the time of the call") {
  OwnStream first(cudaStreamNonBlocking), second(cudaStreamNonBlocking);
  OwnEvent event;
  std::atomic<bool> flag = false;
  REQUIRE(cudaStreamWaitEvent(second, event, 0) == cudaSuccess); // never recorded: nothing to wait for
  REQUIRE(cudaEventRecord(event, first) == cudaSuccess);
  REQUIRE(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);
  launch("await", first, flag);
  REQUIRE(cudaEventRecord(event, first) == cudaSuccess);
  CHECK(cudaStreamSynchronize(second) == cudaSuccess); // the later recording does not matter
  flag = true;
  CHECK(cudaEventSynchronize(event) == cudaSuccess);
}

TEST_CASE("events measure time forwards") {
  OwnEvent start, end, untimed(cudaEventDisableTiming), unrecorded;
  float milliseconds = -1;
  REQUIRE(cudaEventRecord(start) == cudaSuccess);
  REQUIRE(cudaEventRecord(untimed) == cudaSuccess);
  REQUIRE(cudaEventRecord(end) == cudaSuccess);
  REQUIRE(cudaEventSynchronize(end) == cudaSuccess);
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds >= 0);
  CHECK(taken(cudaEventElapsedTime(&milliseconds, start, untimed)) == cudaErrorInvalidResourceHandle);
  CHECK(taken(cudaEventElapsedTime(&milliseconds, start, unrecorded)) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("host functions and callbacks run in stream order and may not call CUDA") {
  OwnStream stream;
  struct Seen {
    Log log;
    cudaError_t inside = cudaSuccess;
    cudaError_t status = cudaErrorUnknown;
    cudaStream_t stream = nullptr;
  } seen;
  launchLog(stream, seen.log, 1);
  const auto host = [](void *data) {
    auto &own = *static_cast<Seen *>(data);
    own.log.add(2);
    void *memory = nullptr;
    own.inside = cudaMalloc(&memory, 16);
  };
  REQUIRE(cudaLaunchHostFunc(stream, host, &seen) == cudaSuccess);
  launchLog(stream, seen.log, 3);
  const auto callback = [](cudaStream_t handle, cudaError_t status, void *data) {
    auto &own = *static_cast<Seen *>(data);
    own.log.add(4);
    own.status = status;
    own.stream = handle;
  };
  REQUIRE(cudaStreamAddCallback(stream, callback, &seen, 0) == cudaSuccess);
  launchLog(stream, seen.log, 5);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(seen.log.entries == std::vector<int>{1, 2, 3, 4, 5});
  CHECK(seen.inside == cudaErrorNotPermitted);
  CHECK(seen.status == cudaSuccess);
  CHECK(seen.stream == stream.handle);
}

TEST_CASE("a destroyed stream finishes its work first, and is then unknown") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  std::atomic<bool> flag = false;
  Log log;
  launch("await", stream, flag);
  launchLog(stream, log, 1);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(taken(cudaStreamSynchronize(stream)) == cudaErrorInvalidResourceHandle);
  flag = true;
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(log.entries == std::vector<int>{1});
}

TEST_CASE("a synchronous copy waits for the default stream's kernels") {
  void *pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 64) == cudaSuccess);
  auto *flag = new (pinned) std::atomic<bool>(false);
  void *device = nullptr;
  REQUIRE(cudaMalloc(&device, 1) == cudaSuccess);
  REQUIRE(cudaMemset(device, 0, 1) == cudaSuccess);
  OwnStream other(cudaStreamNonBlocking);
  std::atomic<bool> go = false;
  launch("await", nullptr, go);
  launch("set", nullptr, *reinterpret_cast<std::atomic<bool> *>(device));
  launch("set", other, go);
  char value = 0;
  REQUIRE(cudaMemcpy(&value, device, 1, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(value == 1);
  flag->~atomic();
  CHECK(cudaFree(device) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

TEST_CASE("streams tell their priority, flags and device") {
  int least = -1, greatest = 1, priority = 1, device = -1;
  unsigned flags = 0;
  REQUIRE(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess);
  CHECK(greatest < least);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1000) == cudaSuccess);
  REQUIRE(cudaStreamGetPriority(stream, &priority) == cudaSuccess);
  CHECK(priority == greatest);
  REQUIRE(cudaStreamGetFlags(stream, &flags) == cudaSuccess);
  CHECK(flags == cudaStreamNonBlocking);
  REQUIRE(cudaStreamGetDevice(stream, &device) == cudaSuccess);
  CHECK(device == 0);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(taken(cudaStreamDestroy(nullptr)) == cudaErrorInvalidResourceHandle);
  CHECK(taken(cudaStreamCreateWithFlags(&stream, 77)) == cudaErrorInvalidValue);
}

TEST_CASE("capturing into a graph is refused") {
  OwnStream stream;
  CHECK(taken(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)) == cudaErrorNotSupported);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  REQUIRE(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusNone);
}

TEST_CASE("many host threads use streams at once") {
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  std::array<Log, 4> logs;
  for (Log &log : logs) {
    threads.emplace_back([&] {
      cudaStream_t stream = nullptr;
      failures += cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess;
      for (int i = 0; i != 200; ++i)
        failures += program().launch("log", {}, stream, &log, i) != cudaSuccess;
      failures += cudaStreamSynchronize(stream) != cudaSuccess;
      failures += cudaStreamDestroy(stream) != cudaSuccess;
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  CHECK(failures == 0);
  for (const Log &log : logs)
    CHECK(log.entries.size() == 200);
}
