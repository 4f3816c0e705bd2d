// A translation unit whose stream 0 is the calling thread's (--default-stream per-thread).
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1
#include "runtime/cpu/FakeProgram.h"
#include "support/Catch.h"
#include <atomic>
#include <thread>

using namespace streammap::test;

namespace {

void awaitFlag(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  while (!argument<std::atomic<bool> *>(launch, 0)->load())
    std::this_thread::yield();
}

void setFlag(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  argument<std::atomic<bool> *>(launch, 0)->store(true);
}

const FakeProgram &program() {
  static const FakeProgram only("per-thread-test",
                                {{.symbol = "await", .run = awaitFlag, .parameterSizes = {8}},
                                 {.symbol = "set", .run = setFlag, .parameterSizes = {8}}});
  return only;
}

} // namespace

TEST_CASE("stream 0 of two host threads are two streams") {
  std::atomic<bool> flag = false;
  REQUIRE(program().launch("await", {}, nullptr, &flag) == cudaSuccess);
  CHECK(cudaStreamQuery(nullptr) == cudaErrorNotReady);
  std::thread([&] {
    CHECK(cudaStreamQuery(nullptr) == cudaSuccess);
    CHECK(program().launch("set", {}, nullptr, &flag) == cudaSuccess);
    CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
  }).join();
  CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
}

TEST_CASE("stream 0 still waits for the legacy default stream") {
  std::atomic<bool> flag = false, ran = false;
  REQUIRE(program().launch("await", {}, cudaStreamLegacy, &flag) == cudaSuccess);
  REQUIRE(program().launch("set", {}, nullptr, &ran) == cudaSuccess);
  CHECK(cudaStreamQuery(nullptr) == cudaErrorNotReady);
  CHECK(!ran);
  flag = true;
  CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
  CHECK(ran);
}

TEST_CASE("a synchronous copy does not wait for another thread's work") {
  std::atomic<bool> flag = false;
  void *memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 4) == cudaSuccess);
  std::thread other([&] {
    CHECK(program().launch("await", {}, nullptr, &flag) == cudaSuccess);
    CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
  });
  int value = 7;
  CHECK(cudaMemcpy(memory, &value, 4, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemset(memory, 0, 4) == cudaSuccess);
  flag = true;
  other.join();
  CHECK(cudaFree(memory) == cudaSuccess);
}
