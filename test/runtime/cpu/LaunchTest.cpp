// Launches: what they check, what kernels receive, and in what order things happen.
#include "runtime/cpu/FakeProgram.h"
#include "support/Catch.h"
#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>

using namespace streammap::test;

namespace {

/// values[global thread index] += increment
void add(SmcpuLaunch *launch, uint32_t x, uint32_t y, uint32_t z, char *) {
  int *values = argument<int *>(launch, 0);
  const int increment = argument<int>(launch, 1);
  const std::uint64_t block = x + std::uint64_t{launch->grid.x} * (y + std::uint64_t{launch->grid.y} * z);
  const std::uint64_t threads = std::uint64_t{launch->block.x} * launch->block.y * launch->block.z;
  for (std::uint64_t t = 0; t != threads; ++t)
    values[block * threads + t] += increment;
}

struct Large {
  double values[24];
};

void sumLarge(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  const auto *large = static_cast<const Large *>(launch->arguments[0]);
  *argument<double *>(launch, 1) = std::accumulate(std::begin(large->values), std::end(large->values), 0.0);
}

/// Fills its shared memory and adds it up: out[block] = sum.
void useShared(SmcpuLaunch *launch, uint32_t x, uint32_t, uint32_t, char *arena) {
  const std::size_t size = 64 + launch->dynamicShared;
  std::memset(arena, 1, size);
  argument<int *>(launch, 0)[x] = std::accumulate(arena, arena + size, 0);
  argument<std::uintptr_t *>(launch, 1)[x] = reinterpret_cast<std::uintptr_t>(arena) % 128;
}

void nothing(SmcpuLaunch *, uint32_t, uint32_t, uint32_t, char *) {}

const FakeProgram &program() {
  static const FakeProgram only(
      "launch-test", {{.symbol = "add", .run = add, .parameterSizes = {8, 4}},
                      {.symbol = "sumLarge", .run = sumLarge, .parameterSizes = {sizeof(Large), 8}},
                      {.symbol = "useShared", .run = useShared, .parameterSizes = {8, 8}, .staticShared = 64},
                      {.symbol = "bounded", .run = nothing, .maxThreadsPerBlock = 128},
                      {.symbol = "nothing", .run = nothing}});
  return only;
}

cudaError_t tryShape(const FakeShape &shape, const char *kernel = "nothing") {
  const cudaError_t error = program().launch(kernel, shape, nullptr);
  CHECK(cudaGetLastError() == error);
  CHECK(cudaGetLastError() == cudaSuccess);
  return error;
}

template <class T>
struct DeviceArray {
  explicit DeviceArray(std::size_t count) : size(count * sizeof(T)) {
    REQUIRE(cudaMalloc(reinterpret_cast<void **>(&data), size) == cudaSuccess);
    REQUIRE(cudaMemset(data, 0, size) == cudaSuccess);
  }
  ~DeviceArray() { cudaFree(data); }
  std::vector<T> read() const {
    std::vector<T> values(size / sizeof(T));
    REQUIRE(cudaMemcpy(values.data(), data, size, cudaMemcpyDeviceToHost) == cudaSuccess);
    return values;
  }
  T *data = nullptr;
  std::size_t size;
};

} // namespace

TEST_CASE("every block of a three-dimensional grid runs exactly once") {
  const FakeShape shape{dim3(5, 3, 7), dim3(4, 2, 2)};
  DeviceArray<int> values(5 * 3 * 7 * 16);
  REQUIRE(program().launch("add", shape, nullptr, values.data, 3) == cudaSuccess);
  CHECK(values.read() == std::vector<int>(5 * 3 * 7 * 16, 3));
}

TEST_CASE("a launch keeps its arguments after the caller's are gone") {
  DeviceArray<double> sum(1);
  {
    Large large;
    std::iota(std::begin(large.values), std::end(large.values), 1.0);
    double *out = sum.data;
    void *arguments[] = {&large, &out};
    REQUIRE(cudaLaunchKernel(program().stub("sumLarge"), 1, 1, arguments, 0, nullptr) == cudaSuccess);
    std::memset(static_cast<void *>(&large), 0xff, sizeof large);
    out = nullptr;
  }
  CHECK(sum.read().front() == 300.0);
}

TEST_CASE("blocks have static and dynamic shared memory, aligned to 128 bytes") {
  DeviceArray<int> sums(6);
  DeviceArray<std::uintptr_t> misaligned(6);
  REQUIRE(program().launch("useShared", {6, 32, 1000}, nullptr, sums.data, misaligned.data) == cudaSuccess);
  CHECK(sums.read() == std::vector<int>(6, 1064));
  CHECK(misaligned.read() == std::vector<std::uintptr_t>(6, 0));
}

TEST_CASE("launches that no GPU accepts get CUDA's errors") {
  CHECK(tryShape({0, 1}) == cudaErrorInvalidConfiguration);
  CHECK(tryShape({1, dim3(1, 0, 1)}) == cudaErrorInvalidConfiguration);
  CHECK(tryShape({1, 1025}) == cudaErrorInvalidConfiguration);
  CHECK(tryShape({1, dim3(32, 32, 2)}) == cudaErrorInvalidConfiguration);
  CHECK(tryShape({1, dim3(1, 1, 65)}) == cudaErrorInvalidConfiguration);
  CHECK(tryShape({dim3(1, 65536), 1}) == cudaErrorInvalidConfiguration);
  CHECK(tryShape({dim3(1, 1, 65536), 1}) == cudaErrorInvalidConfiguration);
  CHECK(tryShape({1, 129}, "bounded") == cudaErrorLaunchOutOfResources);
  CHECK(tryShape({1, 128}, "bounded") == cudaSuccess);
  CHECK(tryShape({1, 1024}) == cudaSuccess);
}

TEST_CASE("more than 48 KiB of shared memory must be asked for") {
  CHECK(tryShape({1, 1, 48 * 1024}) == cudaSuccess);
  CHECK(tryShape({1, 1, 48 * 1024 + 1}) == cudaErrorInvalidValue);
  const void *stub = program().stub("nothing");
  CHECK(cudaFuncSetAttribute(stub, cudaFuncAttributeMaxDynamicSharedMemorySize, 163 * 1024 + 1) ==
        cudaErrorInvalidValue);
  REQUIRE(cudaFuncSetAttribute(stub, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024) == cudaSuccess);
  cudaGetLastError();
  CHECK(tryShape({1, 1, 100 * 1024}) == cudaSuccess);
  CHECK(tryShape({1, 1, 100 * 1024 + 1}) == cudaErrorInvalidValue);
  REQUIRE(cudaFuncSetAttribute(stub, cudaFuncAttributeMaxDynamicSharedMemorySize, 48 * 1024) == cudaSuccess);
}

TEST_CASE("an unknown kernel is an invalid device function") {
  int stub = 0;
  CHECK(cudaLaunchKernel(&stub, 1, 1, nullptr, 0, nullptr) == cudaErrorInvalidDeviceFunction);
  CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
  CHECK(cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, nullptr) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("kernels of equal names in two modules do not clash") {
  static const auto writeOne = [](SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
    *argument<int *>(launch, 0) = 1;
  };
  static const auto writeTwo = [](SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
    *argument<int *>(launch, 0) = 2;
  };
  // The second id begins with the first: the longer one must not be taken for it.
  static const FakeProgram one("same", {{.symbol = "write", .run = writeOne, .parameterSizes = {8}}});
  static const FakeProgram two("same-but-longer",
                               {{.symbol = "write", .run = writeTwo, .parameterSizes = {8}}});
  DeviceArray<int> result(1);
  REQUIRE(two.launch("write", {}, nullptr, result.data) == cudaSuccess);
  CHECK(result.read().front() == 2);
  REQUIRE(one.launch("write", {}, nullptr, result.data) == cudaSuccess);
  CHECK(result.read().front() == 1);
}

TEST_CASE("launches through handles and launch configurations do the same") {
  DeviceArray<int> values(32);
  int *data = values.data;
  int increment = 1;
  void *arguments[] = {&data, &increment};
  cudaFunction_t function = nullptr;
  REQUIRE(cudaGetFuncBySymbol(&function, program().stub("add")) == cudaSuccess);
  REQUIRE(cudaLaunchKernel(function, 1, 32, arguments, 0, nullptr) == cudaSuccess);
  cudaKernel_t kernel = nullptr;
  REQUIRE(cudaGetKernel(&kernel, program().stub("add")) == cudaSuccess);
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 32;
  REQUIRE(cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(kernel), arguments) == cudaSuccess);
  REQUIRE(cudaLaunchCooperativeKernel(program().stub("add"), 1, 32, arguments, 0, nullptr) == cudaSuccess);
  CHECK(values.read() == std::vector<int>(32, 3));
}

TEST_CASE("a cooperative launch must fit on the device at once") {
  CHECK(cudaLaunchCooperativeKernel(program().stub("nothing"), 1000000, 32, nullptr, 0, nullptr) ==
        cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
}

TEST_CASE("a kernel tells the sizes of its parameters") {
  std::size_t offset = 0, size = 0;
  REQUIRE(cudaFuncGetParamInfo(program().stub("add"), 0, &offset, &size) == cudaSuccess);
  CHECK(offset == 0);
  CHECK(size == 8);
  REQUIRE(cudaFuncGetParamInfo(program().stub("add"), 1, &offset, &size) == cudaSuccess);
  CHECK(offset == 8);
  CHECK(size == 4);
  CHECK(cudaFuncGetParamInfo(program().stub("add"), 2, &offset, &size) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("occupancy follows threads, shared memory and bounds") {
  int blocks = 0;
  const auto occupancy = [&](const char *kernel, int threads, std::size_t shared) {
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, program().stub(kernel), threads, shared) ==
            cudaSuccess);
    return blocks;
  };
  CHECK(occupancy("nothing", 1024, 0) == 2);       // 2048 threads
  CHECK(occupancy("nothing", 32, 0) == 32);        // 32 blocks
  CHECK(occupancy("nothing", 33, 0) == 32);        // two warps each, 64 warps
  CHECK(occupancy("nothing", 96, 0) == 21);        // 64 warps / 3
  CHECK(occupancy("nothing", 32, 40 * 1024) == 4); // 164 KiB / (40 + 1) KiB
  CHECK(occupancy("bounded", 256, 0) == 0);
  cudaFuncAttributes attributes;
  REQUIRE(cudaFuncGetAttributes(&attributes, program().stub("bounded")) == cudaSuccess);
  CHECK(attributes.maxThreadsPerBlock == 128);
}
