// Atomics of all types and memories, several devices, a failing kernel.
#include "check.h"
#include <cassert>

struct Totals {
  int add, sub, min, max, andBits, orBits, xorBits, inc, dec, exchanged;
  unsigned umax;
  unsigned long long wide;
  long long signedMin;
  float real;
  double precise;
};

__device__ float atomicMaxFloat(float *address, float value) {
  int *bits = reinterpret_cast<int *>(address), old = *bits;
  while (__int_as_float(old) < value) {
    int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value));
    if (old == assumed)
      break;
  }
  return __int_as_float(old);
}

__global__ void all(Totals *t, float *greatest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&t->add, 1);
  atomicSub(&t->sub, 2);
  atomicMin(&t->min, -i);
  atomicMax(&t->max, i);
  atomicAnd(&t->andBits, ~(1 << (i % 20)));
  atomicOr(&t->orBits, 1 << (i % 20));
  atomicXor(&t->xorBits, i);
  atomicInc(reinterpret_cast<unsigned *>(&t->inc), 9);
  atomicDec(reinterpret_cast<unsigned *>(&t->dec), 9);
  atomicExch(&t->exchanged, 77);
  atomicMax(&t->umax, 0x80000000u + i);
  atomicAdd(&t->wide, 1ull << 33);
  atomicMin(&t->signedMin, -(1ll << 40) - i);
  atomicAdd(&t->real, 0.5f);
  atomicAdd(&t->precise, 0.25);
  atomicMaxFloat(greatest, i * 0.5f);
  atomicAdd_block(&t->add, 1);
  atomicAdd_system(&t->add, 1);
}

__global__ void histogram(int n, const unsigned char *in, int *out) {
  __shared__ int bins[16];
  if (threadIdx.x < 16)
    bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// The last block to finish adds up: fences and a counter.
__device__ unsigned finished;
__global__ void lastBlock(int *partial, int *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
      sum += partial[b];
    *out = sum;
  }
}

__device__ int perDevice = 1;
__global__ void bump(int by) { perDevice += by; }

__global__ void asserts(int n) { assert(int(threadIdx.x) < n); }

void testDevices() {
  int count = 0;
  CUDA(cudaGetDeviceCount(&count));
  for (int d = 0; d < count; ++d) {
    CUDA(cudaSetDevice(d));
    bump<<<1, 1>>>(10 * (d + 1));
    CUDA(cudaDeviceSynchronize());
  }
  for (int d = 0; d < count; ++d) {
    CUDA(cudaSetDevice(d));
    int value = 0;
    CUDA(cudaMemcpyFromSymbol(&value, perDevice, sizeof value));
    CHECK(value == 1 + 10 * (d + 1));
  }
  CUDA(cudaSetDevice(0));
}

int main() {
  const int n = 40 * 64;
  {
    Totals start{};
    start.andBits = -1;
    Buffer<Totals> t(std::vector<Totals>{start});
    Buffer<float> greatest(1);
    all<<<40, 64>>>(t.device, greatest.device);
    const Totals r = t.read()[0];
    int xorAll = 0;
    for (int i = 0; i < n; ++i)
      xorAll ^= i;
    CHECK(r.add == 3 * n);
    CHECK(r.sub == -2 * n);
    CHECK(r.min == 1 - n);
    CHECK(r.max == n - 1);
    CHECK(r.andBits == ~0xfffff);
    CHECK(r.orBits == 0xfffff);
    CHECK(r.xorBits == xorAll);
    CHECK(r.inc == n % 10);
    CHECK(r.dec == (10 - n % 10) % 10);
    CHECK(r.exchanged == 77);
    CHECK(r.umax == 0x80000000u + n - 1);
    CHECK(r.wide == (1ull << 33) * n);
    CHECK(r.signedMin == -(1ll << 40) - (n - 1));
    CHECK(r.real == 0.5f * n);
    CHECK(r.precise == 0.25 * n);
    CHECK(greatest.read()[0] == (n - 1) * 0.5f);
  }
  {
    std::vector<unsigned char> values(5000);
    std::vector<int> expected(16);
    for (int i = 0; i < 5000; ++i)
      ++expected[(values[i] = (unsigned char)(i * 31 % 251)) % 16];
    Buffer<unsigned char> in(values);
    Buffer<int> out(16);
    histogram<<<5, 64>>>(5000, in.device, out.device);
    CHECK(out.read() == expected);
  }
  {
    Buffer<int> partial(50), out(1);
    lastBlock<<<50, 32>>>(partial.device, out.device);
    CHECK(out.read()[0] == 50 * 51 / 2);
  }
  testDevices();
  asserts<<<1, 32>>>(16);
  CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
  return finish("atomics");
}
