// Kernels that fail, and what is left of their device.
#include "cpu/AddressMap.h"
#include "runtime/cpu/CapturedOutput.h"
#include "runtime/cpu/Environment.h"
#include "runtime/cpu/FakeProgram.h"
#include "support/Catch.h"
#include <atomic>
#include <csignal>
#include <thread>

using namespace streammap::test;
using Catch::Matchers::Contains;

namespace {

const Environment environment{{"STREAMMAP_CPU_DEVICES", "3"},
                              {"STREAMMAP_CPU_THREADS", "2"},
                              {"STREAMMAP_CPU_FAULT", "launch:3@2,malloc:2@2,copy:2@2"}};

/// Block (2,1,0) writes one byte at an address of the caller's choice.
void writeByte(SmcpuLaunch *launch, uint32_t x, uint32_t y, uint32_t, char *) {
  if (x == 2 && y == 1)
    *argument<volatile char *>(launch, 0) = 1;
}

void readByte(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  (void)*argument<volatile char *>(launch, 0);
}

void overrunShared(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *arena) {
  *const_cast<volatile char *>(arena + launch->dynamicShared) = 1;
}

void divide(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  const volatile int zero = argument<int>(launch, 0);
  const volatile int result = 7 / zero;
  (void)result;
}

void exhaustStack(SmcpuLaunch *launch, uint32_t x, uint32_t y, uint32_t z, char *arena) {
  volatile char frame[4096];
  frame[0] = 1;
  if (frame[0] == 1) // always, but not to the compiler
    exhaustStack(launch, x, y, z, arena);
  frame[1] = frame[0];
}

void assertion(SmcpuLaunch *launch, uint32_t x, uint32_t, uint32_t, char *) {
  if (x == 1)
    launch->fail(launch, cudaErrorAssert,
                 "a.cu:12: void check(): block: [1,0,0], thread: [0,0,0] Assertion `x > 0` failed.");
}

void trap(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  launch->fail(launch, cudaErrorLaunchFailure, "trap in block (0,0,0)");
}

void countBlocks(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  ++*argument<std::atomic<int> *>(launch, 0);
}

const FakeProgram &program() {
  static const FakeProgram only("failure-test",
                                {{.symbol = "writeByte", .run = writeByte, .parameterSizes = {8}},
                                 {.symbol = "readByte", .run = readByte, .parameterSizes = {8}},
                                 {.symbol = "overrunShared", .run = overrunShared},
                                 {.symbol = "divide", .run = divide, .parameterSizes = {4}},
                                 {.symbol = "exhaustStack", .run = exhaustStack},
                                 {.symbol = "assertion", .run = assertion},
                                 {.symbol = "trap", .run = trap},
                                 {.symbol = "count", .run = countBlocks, .parameterSizes = {8}}});
  return only;
}

/// Launches, waits, and returns what was said on stderr; the device is whole again afterwards.
template <class... Arguments>
std::string failingLaunch(cudaError_t expected, const char *kernel, const FakeShape &shape,
                          Arguments... arguments) {
  CapturedOutput errors(2);
  CHECK(program().launch(kernel, shape, nullptr, arguments...) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == expected);
  const std::string text = errors.text();
  CHECK(cudaGetLastError() == expected);
  CHECK(cudaGetLastError() == expected); // it stays
  void *memory = nullptr;
  CHECK(cudaMalloc(&memory, 16) == expected);
  std::atomic<int> ran = 0;
  CHECK(program().launch("count", {}, nullptr, &ran) == expected);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(ran == 0);
  CHECK(program().launch("count", {3, 1}, nullptr, &ran) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(ran == 3);
  return text;
}

} // namespace

TEST_CASE("a write past an allocation is an illegal address, reported with what it missed") {
  void *memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 512) == cudaSuccess);
  char *behind = static_cast<char *>(memory) + 512 + 3;
  const std::string text = failingLaunch(cudaErrorIllegalAddress, "writeByte", {dim3(4, 2), 1}, behind);
  CHECK_THAT(text, Contains("device 0: kernel writeByte: block (2,1,0): illegal write at address " +
                            streammap::cpu::addressText(reinterpret_cast<std::uintptr_t>(behind))));
  CHECK_THAT(text, Contains("3 bytes past the end of the 512-byte allocation"));
}

TEST_CASE("a read in front of an allocation is one too") {
  void *memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 4096) == cudaSuccess);
  const std::string text =
      failingLaunch(cudaErrorIllegalAddress, "readByte", {}, static_cast<char *>(memory) - 1);
  CHECK_THAT(text, Contains("illegal read"));
  CHECK_THAT(text, Contains("1 byte before the 4096-byte allocation"));
}

TEST_CASE("memory that was freed faults") {
  void *memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 1 << 20) == cudaSuccess);
  REQUIRE(cudaFree(memory) == cudaSuccess);
  CHECK_THAT(failingLaunch(cudaErrorIllegalAddress, "readByte", {}, memory), Contains("illegal read"));
}

TEST_CASE("running past shared memory faults") {
  CHECK_THAT(failingLaunch(cudaErrorIllegalAddress, "overrunShared", {1, 1, 1024}),
             Contains("illegal write"));
}

TEST_CASE("an endless recursion faults instead of taking the process along") {
  CHECK_THAT(failingLaunch(cudaErrorIllegalAddress, "exhaustStack", {}), Contains("kernel exhaustStack"));
}

TEST_CASE("an integer division by zero fails the launch") {
  CHECK_THAT(failingLaunch(cudaErrorLaunchFailure, "divide", {}, 0), Contains("integer division by zero"));
}

TEST_CASE("a failed assertion prints CUDA's line and nothing else") {
  CHECK(failingLaunch(cudaErrorAssert, "assertion", {4, 1}) ==
        "a.cu:12: void check(): block: [1,0,0], thread: [0,0,0] Assertion `x > 0` failed.\n");
}

TEST_CASE("a trap fails the launch and names the kernel") {
  CHECK(failingLaunch(cudaErrorLaunchFailure, "trap", {}) ==
        "device 0: kernel trap: trap in block (0,0,0)\n");
}

TEST_CASE("a failure of one device leaves the others alone") {
  CapturedOutput errors(2);
  REQUIRE(program().launch("trap", {}, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure); // of the thread: said once
  CHECK(cudaGetLastError() == cudaSuccess);
  std::atomic<int> ran = 0;
  CHECK(program().launch("count", {}, nullptr, &ran) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(ran == 1);
  CHECK(cudaSetDevice(0) == cudaErrorLaunchFailure);
  CHECK(cudaDeviceReset() == cudaSuccess);
}

TEST_CASE("work behind a failed kernel is skipped, and a callback hears of it") {
  CapturedOutput errors(2);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  std::atomic<bool> go = false;
  // Holds the stream back until all is submitted.
  REQUIRE(cudaLaunchHostFunc(
              stream,
              [](void *flag) {
                while (!*static_cast<std::atomic<bool> *>(flag))
                  std::this_thread::yield();
              },
              &go) == cudaSuccess);
  std::atomic<int> ran = 0;
  cudaError_t heard = cudaSuccess;
  REQUIRE(program().launch("trap", {}, stream) == cudaSuccess);
  REQUIRE(program().launch("count", {}, stream, &ran) == cudaSuccess);
  const auto callback = [](cudaStream_t, cudaError_t status, void *data) {
    *static_cast<cudaError_t *>(data) = status;
  };
  REQUIRE(cudaStreamAddCallback(stream, callback, &heard, 0) == cudaSuccess);
  go = true;
  CHECK(cudaStreamSynchronize(stream) == cudaErrorLaunchFailure);
  CHECK(ran == 0);
  CHECK(heard == cudaErrorLaunchFailure);
  CHECK(cudaDeviceReset() == cudaSuccess);
}

TEST_CASE("STREAMMAP_CPU_FAULT fails the third launch on the device it names") {
  CapturedOutput errors(2);
  REQUIRE(cudaSetDevice(2) == cudaSuccess);
  std::atomic<int> ran = 0;
  for (int i = 0; i != 3; ++i) {
    CHECK(program().launch("count", {}, nullptr, &ran) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == (i == 2 ? cudaErrorLaunchFailure : cudaSuccess));
  }
  CHECK(ran == 2);
  CHECK_THAT(errors.text(),
             Contains("device 2: kernel count: launch failure injected by STREAMMAP_CPU_FAULT"));
  CHECK(cudaDeviceReset() == cudaSuccess);
  cudaSetDevice(0);
}

TEST_CASE("STREAMMAP_CPU_FAULT fails the second allocation, and no other") {
  REQUIRE(cudaSetDevice(2) == cudaSuccess);
  void *memory = nullptr;
  CHECK(cudaMalloc(&memory, 16) == cudaSuccess);
  CHECK(cudaMalloc(&memory, 16) == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(&memory, 16) == cudaSuccess);
  CHECK(cudaDeviceReset() == cudaSuccess);
  cudaSetDevice(0);
}

TEST_CASE("STREAMMAP_CPU_FAULT fails the second copy") {
  CapturedOutput errors(2);
  REQUIRE(cudaSetDevice(2) == cudaSuccess);
  void *memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 16) == cudaSuccess);
  char bytes[16] = {};
  CHECK(cudaMemcpy(memory, bytes, 16, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(bytes, memory, 16, cudaMemcpyDeviceToHost) == cudaErrorECCUncorrectable);
  CHECK(cudaDeviceReset() == cudaSuccess);
  cudaSetDevice(0);
}
