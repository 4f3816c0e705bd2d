// Memory: budgets, what addresses are, copies and their checks, variables per device, virtual memory.
#include "runtime/cpu/Environment.h"
#include "runtime/cpu/FakeProgram.h"
#include "support/Catch.h"
#include <algorithm>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

using namespace streammap::test;

namespace {

const Environment environment{{"STREAMMAP_CPU_DEVICES", "2"}, {"STREAMMAP_CPU_MEMORY", "1MiB"}};

constexpr std::size_t mebibyte = 1 << 20;

std::size_t freeMemory(int device) {
  std::size_t free = 0, total = 0;
  REQUIRE(cudaSetDevice(device) == cudaSuccess);
  REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
  CHECK(total == mebibyte);
  cudaSetDevice(0);
  return free;
}

char *allocate(std::size_t size) {
  void *pointer = nullptr;
  REQUIRE(cudaMalloc(&pointer, size) == cudaSuccess);
  return static_cast<char *>(pointer);
}

cudaError_t taken(cudaError_t error) {
  CHECK(cudaGetLastError() == error);
  return error;
}

cudaMemoryType typeOf(const void *pointer) {
  cudaPointerAttributes attributes;
  REQUIRE(cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess);
  return attributes.type;
}

/// Adds 1 to the module's variable `counter` (offset 4) on the device it runs on.
void count(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *);

const FakeProgram &program() {
  static const FakeProgram only("memory-test", {{.symbol = "count", .run = count}},
                                {{"table", 0, 4}, {"counter", 4, 4}}, {1, 2, 3, 4, 10, 0, 0, 0});
  return only;
}

void count(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  ++*reinterpret_cast<int *>(static_cast<char *>(launch->globals[program().slot()]) + 4);
}

int counter(int device) {
  int value = 0;
  cudaSetDevice(device);
  REQUIRE(cudaMemcpyFromSymbol(&value, program().shadow("counter"), sizeof value) == cudaSuccess);
  cudaSetDevice(0);
  return value;
}

template <class Function>
Function *driver(const char *name) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
  REQUIRE(cudaGetDriverEntryPointByVersion(name, &found, 13000, cudaEnableDefault, &status) == cudaSuccess);
  REQUIRE(status == cudaDriverEntryPointSuccess);
  return reinterpret_cast<Function *>(found);
}

} // namespace

TEST_CASE("a device gives out its memory and no more, each device its own") {
  const std::size_t before = freeMemory(0);
  CHECK(before == mebibyte);
  char *half = allocate(mebibyte / 2);
  CHECK(freeMemory(0) == mebibyte / 2);
  CHECK(freeMemory(1) == mebibyte);
  void *more = nullptr;
  CHECK(taken(cudaMalloc(&more, mebibyte / 2 + 1)) == cudaErrorMemoryAllocation);
  CHECK(taken(cudaMalloc(&more, SIZE_MAX)) == cudaErrorMemoryAllocation);
  char *rest = allocate(mebibyte / 2);
  CHECK(freeMemory(0) == 0);
  CHECK(taken(cudaMalloc(&more, 1)) == cudaErrorMemoryAllocation);
  CHECK(cudaFree(half) == cudaSuccess);
  CHECK(cudaFree(rest) == cudaSuccess);
  CHECK(freeMemory(0) == mebibyte);
}

TEST_CASE("freeing what was not allocated, or twice, is an invalid value") {
  char *memory = allocate(100);
  CHECK(taken(cudaFree(memory + 1)) == cudaErrorInvalidValue);
  int local = 0;
  CHECK(taken(cudaFree(&local)) == cudaErrorInvalidValue);
  CHECK(taken(cudaFreeHost(memory)) == cudaErrorInvalidValue);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(taken(cudaFree(memory)) == cudaErrorInvalidValue);
  CHECK(cudaFree(nullptr) == cudaSuccess);
}

TEST_CASE("addresses say what memory they are") {
  char *device = allocate(64);
  void *pinned = nullptr, *managed = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 64) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&managed, 64) == cudaSuccess);
  std::vector<char> mine(64);
  CHECK(typeOf(device) == cudaMemoryTypeDevice);
  CHECK(typeOf(device + 63) == cudaMemoryTypeDevice);
  CHECK(typeOf(device + 64) == cudaMemoryTypeUnregistered);
  CHECK(typeOf(pinned) == cudaMemoryTypeHost);
  CHECK(typeOf(managed) == cudaMemoryTypeManaged);
  CHECK(typeOf(mine.data()) == cudaMemoryTypeUnregistered);
  REQUIRE(cudaHostRegister(mine.data(), mine.size(), cudaHostRegisterDefault) == cudaSuccess);
  CHECK(typeOf(mine.data()) == cudaMemoryTypeHost);
  CHECK(taken(cudaHostRegister(mine.data() + 8, 8, 0)) == cudaErrorHostMemoryAlreadyRegistered);
  CHECK(cudaHostUnregister(mine.data()) == cudaSuccess);
  CHECK(taken(cudaHostUnregister(mine.data())) == cudaErrorHostMemoryNotRegistered);
  CHECK(cudaFree(managed) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(cudaFree(device) == cudaSuccess);
}

TEST_CASE("a copy must be what its kind says and stay within its allocations") {
  char *device = allocate(100);
  char host[128] = {};
  CHECK(cudaMemcpy(device, host, 100, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(host, device, 100, cudaMemcpyDefault) == cudaSuccess);
  CHECK(taken(cudaMemcpy(device, host, 101, cudaMemcpyHostToDevice)) == cudaErrorInvalidValue);
  CHECK(taken(cudaMemcpy(host, device + 1, 100, cudaMemcpyDeviceToHost)) == cudaErrorInvalidValue);
  CHECK(taken(cudaMemcpy(host, device, 100, cudaMemcpyHostToDevice)) == cudaErrorInvalidValue);
  CHECK(taken(cudaMemcpy(device, host, 100, cudaMemcpyDeviceToHost)) == cudaErrorInvalidValue);
  CHECK(taken(cudaMemcpy(device, nullptr, 100, cudaMemcpyHostToDevice)) == cudaErrorInvalidValue);
  CHECK(taken(cudaMemcpy(device, host, 1, static_cast<cudaMemcpyKind>(7))) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(taken(cudaMemset(host, 0, 4)) == cudaErrorInvalidValue);
  CHECK(taken(cudaMemset(device, 0, 101)) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(device, host, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaFree(device) == cudaSuccess);
}

TEST_CASE("two-dimensional copies move rows between pitches") {
  void *memory = nullptr;
  std::size_t pitch = 0;
  REQUIRE(cudaMallocPitch(&memory, &pitch, 10, 3) == cudaSuccess);
  CHECK(pitch == 512);
  const char source[3][12] = {"abcdefghij", "klmnopqrst", "uvwxyzABCD"};
  REQUIRE(cudaMemcpy2D(memory, pitch, source, 12, 10, 3, cudaMemcpyHostToDevice) == cudaSuccess);
  REQUIRE(cudaMemset2D(static_cast<char *>(memory) + 2, pitch, '.', 2, 3) == cudaSuccess);
  char back[3][5] = {};
  REQUIRE(cudaMemcpy2D(back, 5, static_cast<char *>(memory) + 1, pitch, 4, 3, cudaMemcpyDeviceToHost) ==
          cudaSuccess);
  CHECK(std::string(back[0]) == "b..e");
  CHECK(std::string(back[2]) == "v..y");
  CHECK(taken(cudaMemcpy2D(back, 3, memory, pitch, 4, 3, cudaMemcpyDeviceToHost)) ==
        cudaErrorInvalidPitchValue);
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("three-dimensional copies move boxes") {
  cudaPitchedPtr box;
  REQUIRE(cudaMalloc3D(&box, make_cudaExtent(4, 3, 2)) == cudaSuccess);
  char source[2][3][4];
  for (int i = 0; i != 24; ++i)
    (&source[0][0][0])[i] = static_cast<char>('a' + i);
  cudaMemcpy3DParms in{};
  in.srcPtr = make_cudaPitchedPtr(source, 4, 4, 3);
  in.dstPtr = box;
  in.extent = make_cudaExtent(4, 3, 2);
  in.kind = cudaMemcpyHostToDevice;
  REQUIRE(cudaMemcpy3D(&in) == cudaSuccess);
  char corner[2][2][2];
  cudaMemcpy3DParms out{};
  out.srcPtr = box;
  out.srcPos = make_cudaPos(1, 1, 0);
  out.dstPtr = make_cudaPitchedPtr(corner, 2, 2, 2);
  out.extent = make_cudaExtent(2, 2, 2);
  out.kind = cudaMemcpyDeviceToHost;
  REQUIRE(cudaMemcpy3D(&out) == cudaSuccess);
  CHECK(std::string(&corner[0][0][0], 8) == "fgjkrsvw");
  CHECK(cudaFree(box.ptr) == cudaSuccess);
}

TEST_CASE("an asynchronous copy from pageable memory has read it when the call returns") {
  char *device = allocate(1000);
  std::vector<char> host(1000, 7);
  REQUIRE(cudaMemcpyAsync(device, host.data(), host.size(), cudaMemcpyHostToDevice, nullptr) == cudaSuccess);
  std::ranges::fill(host, 9);
  std::vector<char> back(1000);
  REQUIRE(cudaMemcpyAsync(back.data(), device, back.size(), cudaMemcpyDeviceToHost, nullptr) == cudaSuccess);
  CHECK(back == std::vector<char>(1000, 7));
  CHECK(cudaFree(device) == cudaSuccess);
}

TEST_CASE("each device has its own image of the program's variables") {
  CHECK(counter(0) == 10);
  CHECK(counter(1) == 10);
  cudaSetDevice(1);
  REQUIRE(program().launch("count", {}, nullptr) == cudaSuccess);
  REQUIRE(program().launch("count", {}, nullptr) == cudaSuccess);
  cudaSetDevice(0);
  CHECK(counter(0) == 10);
  CHECK(counter(1) == 12);
  const int fifty = 50;
  REQUIRE(cudaMemcpyToSymbol(program().shadow("counter"), &fifty, sizeof fifty) == cudaSuccess);
  REQUIRE(program().launch("count", {}, nullptr) == cudaSuccess);
  CHECK(counter(0) == 51);
  CHECK(counter(1) == 12);
}

TEST_CASE("variables are found by symbol, with their size, and copies stay within them") {
  void *address = nullptr, *table = nullptr;
  std::size_t size = 0;
  REQUIRE(cudaGetSymbolAddress(&address, program().shadow("counter")) == cudaSuccess);
  REQUIRE(cudaGetSymbolAddress(&table, program().shadow("table")) == cudaSuccess);
  CHECK(static_cast<char *>(address) - static_cast<char *>(table) == 4);
  CHECK(typeOf(address) == cudaMemoryTypeDevice);
  REQUIRE(cudaGetSymbolSize(&size, program().shadow("table")) == cudaSuccess);
  CHECK(size == 4);
  char bytes[8] = {};
  CHECK(cudaMemcpyFromSymbol(bytes, program().shadow("table"), 2, 2) == cudaSuccess);
  CHECK(bytes[0] == 3);
  CHECK(taken(cudaMemcpyFromSymbol(bytes, program().shadow("table"), 4, 1)) == cudaErrorInvalidValue);
  CHECK(taken(cudaMemcpyToSymbol(bytes, bytes, 4)) == cudaErrorInvalidSymbol);
  CHECK(taken(cudaMemcpyToSymbol(program().shadow("table"), bytes, 4, 0, cudaMemcpyDeviceToHost)) ==
        cudaErrorInvalidMemcpyDirection);
}

TEST_CASE("copies between devices need no kind and no peer access") {
  char *here = allocate(16);
  cudaSetDevice(1);
  char *there = allocate(16);
  cudaSetDevice(0);
  REQUIRE(cudaMemcpy(here, "fifteen letters", 16, cudaMemcpyHostToDevice) == cudaSuccess);
  REQUIRE(cudaMemcpyPeer(there, 1, here, 0, 16) == cudaSuccess);
  char back[16];
  REQUIRE(cudaMemcpy(back, there, 16, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(std::string(back) == "fifteen letters");
  CHECK(taken(cudaMemcpyPeer(there, 2, here, 0, 16)) == cudaErrorInvalidDevice);
  int can = 0;
  REQUIRE(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaSuccess);
  CHECK(can == 1);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
  CHECK(taken(cudaDeviceEnablePeerAccess(1, 0)) == cudaErrorPeerAccessAlreadyEnabled);
  CHECK(cudaDeviceDisablePeerAccess(1) == cudaSuccess);
  CHECK(taken(cudaDeviceDisablePeerAccess(1)) == cudaErrorPeerAccessNotEnabled);
  CHECK(cudaFree(here) == cudaSuccess);
  CHECK(cudaFree(there) == cudaSuccess);
}

TEST_CASE("stream-ordered allocations return to the budget when the stream gets there") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  void *memory = nullptr;
  REQUIRE(cudaMallocAsync(&memory, mebibyte / 2, stream) == cudaSuccess);
  CHECK(freeMemory(0) == mebibyte / 2);
  REQUIRE(cudaMemsetAsync(memory, 1, mebibyte / 2, stream) == cudaSuccess);
  REQUIRE(cudaFreeAsync(memory, stream) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(freeMemory(0) == mebibyte);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("physical memory is mapped into reserved addresses piece by piece") {
  const auto reserve = driver<decltype(cuMemAddressReserve)>("cuMemAddressReserve");
  const auto unreserve = driver<decltype(cuMemAddressFree)>("cuMemAddressFree");
  const auto create = driver<decltype(cuMemCreate)>("cuMemCreate");
  const auto release = driver<decltype(cuMemRelease)>("cuMemRelease");
  const auto map = driver<decltype(cuMemMap)>("cuMemMap");
  const auto unmap = driver<decltype(cuMemUnmap)>("cuMemUnmap");
  const auto setAccess = driver<decltype(cuMemSetAccess)>("cuMemSetAccess");
  const auto granularity = driver<decltype(cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity");

  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 1;
  std::size_t unit = 0;
  REQUIRE(granularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS);
  CHECK(unit == 64 * 1024);

  CUdeviceptr base = 0;
  CHECK(reserve(&base, unit + 1, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(reserve(&base, 64 * mebibyte, 2 * mebibyte, 0, 0) == CUDA_SUCCESS); // more than the device has
  CHECK(base % (2 * mebibyte) == 0);

  CUmemGenericAllocationHandle first = 0, second = 0, tooMuch = 0;
  REQUIRE(create(&first, unit, &properties, 0) == CUDA_SUCCESS);
  REQUIRE(create(&second, 2 * unit, &properties, 0) == CUDA_SUCCESS);
  CHECK(freeMemory(1) == mebibyte - 3 * unit);
  CHECK(freeMemory(0) == mebibyte);
  CHECK(create(&tooMuch, mebibyte, &properties, 0) == CUDA_ERROR_OUT_OF_MEMORY);

  REQUIRE(map(base + unit, unit, 0, first, 0) == CUDA_SUCCESS);
  CHECK(map(base + unit, unit, 0, first, 0) == CUDA_ERROR_INVALID_VALUE); // taken
  CHECK(map(base + 64 * mebibyte, unit, 0, first, 0) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(map(base + 2 * unit, 2 * unit, 0, second, 0) == CUDA_SUCCESS);
  void *memory = reinterpret_cast<void *>(base + unit);
  CHECK(taken(cudaMemset(memory, 5, unit)) == cudaErrorInvalidValue); // not yet accessible
  const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CHECK(setAccess(base, 2 * unit, &access, 1) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(setAccess(base + unit, 3 * unit, &access, 1) == CUDA_SUCCESS);

  // One copy across both pieces; the bytes of the second piece stay with it when it moves.
  std::vector<char> bytes(3 * unit);
  for (std::size_t i = 0; i != bytes.size(); ++i)
    bytes[i] = static_cast<char>(i / 1000);
  REQUIRE(cudaMemcpy(memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(typeOf(memory) == cudaMemoryTypeDevice);
  CHECK(unmap(base + 2 * unit, unit) == CUDA_ERROR_INVALID_VALUE); // half a mapping
  REQUIRE(unmap(base + 2 * unit, 2 * unit) == CUDA_SUCCESS);
  REQUIRE(map(base + 32 * mebibyte, 2 * unit, 0, second, 0) == CUDA_SUCCESS);
  REQUIRE(setAccess(base + 32 * mebibyte, 2 * unit, &access, 1) == CUDA_SUCCESS);
  std::vector<char> back(2 * unit);
  REQUIRE(cudaMemcpy(back.data(), reinterpret_cast<void *>(base + 32 * mebibyte), back.size(),
                     cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(back == std::vector<char>(bytes.begin() + static_cast<std::ptrdiff_t>(unit), bytes.end()));

  CHECK(unreserve(base, 64 * mebibyte) == CUDA_ERROR_INVALID_VALUE); // still mapped
  REQUIRE(release(first) == CUDA_SUCCESS);
  CHECK(freeMemory(1) == mebibyte - 3 * unit); // mapped memory lives on
  REQUIRE(unmap(base + unit, unit) == CUDA_SUCCESS);
  CHECK(freeMemory(1) == mebibyte - 2 * unit);
  CHECK(release(first) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(unmap(base + 32 * mebibyte, 2 * unit) == CUDA_SUCCESS);
  REQUIRE(release(second) == CUDA_SUCCESS);
  CHECK(freeMemory(1) == mebibyte);
  REQUIRE(unreserve(base, 64 * mebibyte) == CUDA_SUCCESS);
}

TEST_CASE("driver functions that do not exist, or not yet, are said to be so") {
  void *found = &found;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSuccess;
  REQUIRE(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &found, 13000, cudaEnableDefault, &status) ==
          cudaSuccess);
  CHECK(status == cudaDriverEntryPointSymbolNotFound);
  CHECK(found == nullptr);
  REQUIRE(cudaGetDriverEntryPointByVersion("cuMemCreate", &found, 9000, cudaEnableDefault, &status) ==
          cudaSuccess);
  CHECK(status == cudaDriverEntryPointVersionNotSufficent);
  CHECK(found == nullptr);
}

TEST_CASE("devices describe themselves") {
  int count = 0, value = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count == 2);
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 1) == cudaSuccess);
  CHECK(std::string(properties.name) == "StreamMAP CPU device");
  CHECK(properties.totalGlobalMem == mebibyte);
  CHECK(properties.warpSize == 32);
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 1) == cudaSuccess);
  CHECK(value == properties.maxThreadsPerBlock);
  CHECK(taken(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(200), 1)) == cudaErrorInvalidValue);
  CHECK(taken(cudaGetDeviceProperties(&properties, 2)) == cudaErrorInvalidDevice);
  CHECK(taken(cudaSetDevice(2)) == cudaErrorInvalidDevice);
  CHECK(taken(cudaSetDevice(-1)) == cudaErrorInvalidDevice);
  char id[16];
  REQUIRE(cudaDeviceGetPCIBusId(id, sizeof id, 1) == cudaSuccess);
  int device = 0;
  REQUIRE(cudaDeviceGetByPCIBusId(&device, id) == cudaSuccess);
  CHECK(device == 1);
}

TEST_CASE("errors have their CUDA names and texts") {
  CHECK(std::string(cudaGetErrorName(cudaErrorMemoryAllocation)) == "cudaErrorMemoryAllocation");
  CHECK(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
  CHECK(std::string(cudaGetErrorString(cudaErrorIllegalAddress)) ==
        "an illegal memory access was encountered");
  CHECK(std::string(cudaGetErrorName(cudaErrorUnknown)) == "cudaErrorUnknown");
  CHECK(std::string(cudaGetErrorString(static_cast<cudaError_t>(12345))) == "unrecognized error code");
}
