// The runtime API under real kernels and real host code: registration, symbols, streams, templates of the
// headers.
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                           \
      ++failures;                                                                                            \
    }                                                                                                        \
  } while (false)
#define OK(call) CHECK((call) == cudaSuccess)

__constant__ float scale[2] = {2.0f, 3.0f};
__device__ int launches = 5;

struct Shift {
  char before;
  double by;
  short after;
};

__global__ void transform(const float *in, float *out, int n, Shift shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * scale[i % 2] + static_cast<float>(shift.by) + shift.before + shift.after;
  if (i == 0)
    ++launches;
}

template <class T>
__global__ void fill(T *values, T value) {
  extern __shared__ char scratch[];
  T *copy = reinterpret_cast<T *>(scratch);
  copy[threadIdx.x] = value;
  __syncthreads();
  values[blockIdx.x * blockDim.x + threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

static void overlappingStreams() {
  constexpr int n = 1 << 14, parts = 4;
  float *in = nullptr, *out = nullptr, *host = nullptr;
  OK(cudaMallocHost(&host, n * sizeof(float)));
  OK(cudaMalloc(&in, n * sizeof(float)));
  OK(cudaMalloc(&out, n * sizeof(float)));
  for (int i = 0; i != n; ++i)
    host[i] = static_cast<float>(i);
  cudaStream_t streams[parts];
  const int part = n / parts;
  for (int s = 0; s != parts; ++s) {
    OK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
    const int begin = s * part;
    OK(cudaMemcpyAsync(in + begin, host + begin, part * sizeof(float), cudaMemcpyHostToDevice, streams[s]));
    transform<<<(part + 127) / 128, 128, 0, streams[s]>>>(in + begin, out + begin, part, Shift{1, 0.5, 2});
    OK(cudaGetLastError());
    OK(cudaMemcpyAsync(host + begin, out + begin, part * sizeof(float), cudaMemcpyDeviceToHost, streams[s]));
  }
  OK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i != n; ++i)
    wrong += host[i] != static_cast<float>(i) * (i % 2 ? 3.0f : 2.0f) + 3.5f;
  CHECK(wrong == 0);
  for (cudaStream_t stream : streams)
    OK(cudaStreamDestroy(stream));
  OK(cudaFree(in));
  OK(cudaFree(out));
  OK(cudaFreeHost(host));
}

static void symbolsPerDevice(int device, int expected) {
  OK(cudaSetDevice(device));
  int value = 0;
  OK(cudaMemcpyFromSymbol(&value, launches, sizeof value));
  CHECK(value == expected);
  const float other[] = {10.0f, 100.0f};
  float before[2];
  OK(cudaMemcpyFromSymbol(before, scale, sizeof before));
  CHECK(before[0] == 2.0f);
  OK(cudaMemcpyToSymbol(scale, other, sizeof other));
  void *address = nullptr;
  OK(cudaGetSymbolAddress(&address, launches));
  OK(cudaMemset(address, 0, sizeof(int)));
  OK(cudaMemcpyFromSymbol(&value, launches, sizeof value));
  CHECK(value == 0);
}

static void occupancyAndSharedMemory() {
  int blocks = 0, size = 0;
  OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, transform));
  CHECK(blocks > 0);
  CHECK(size == 1024);
  double *values = nullptr;
  OK(cudaMallocManaged(&values, 512 * sizeof(double)));
  fill<double><<<2, 256, 256 * sizeof(double)>>>(values, 1.5);
  OK(cudaDeviceSynchronize());
  CHECK(values[0] == 1.5 && values[511] == 1.5);
  fill<double><<<2, 256, 64 * 1024>>>(values, 2.5);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(fill<double>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
  fill<double><<<2, 256, 64 * 1024>>>(values, 2.5);
  OK(cudaDeviceSynchronize());
  CHECK(values[100] == 2.5);
  OK(cudaFree(values));
}

static void twoDevicesAtOnce() {
  int count = 0;
  OK(cudaGetDeviceCount(&count));
  CHECK(count == 3);
  std::vector<int *> values(static_cast<std::size_t>(count));
  for (int device = 0; device != count; ++device) {
    OK(cudaSetDevice(device));
    OK(cudaMalloc(&values[device], 1024 * sizeof(int)));
    fill<int><<<4, 256, 1024>>>(values[device], device);
  }
  OK(cudaMemcpyPeer(values[0], 0, values[2], 2, 512 * sizeof(int)));
  int host[1024];
  OK(cudaMemcpy(host, values[0], sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 2 && host[511] == 2 && host[512] == 0);
  OK(cudaSetDevice(0));
}

int main() {
  overlappingStreams();
  symbolsPerDevice(0, 9);
  symbolsPerDevice(1, 5);
  OK(cudaSetDevice(0));
  occupancyAndSharedMemory();
  twoDevicesAtOnce();
  std::printf(failures ? "api: %d checks failed\n" : "api: all checks passed\n", failures);
  return failures != 0;
}
