// Independent threads: loops, parameters of all kinds, variables, calls, math, printf.
#include "check.h"
#include <cassert>
#include <cfloat>

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void gridStride(int n, double *out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] += i;
}

__global__ void geometry(unsigned *out) {
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

struct Mixed {
  char c;
  short s;
  int *out;
  double d;
  float v[3];
};

__global__ void parameters(Mixed m, bool flag, char c, long long l, float3 f, const Mixed n) {
  m.v[1] += threadIdx.x; // each thread has its own copy
  m.out[threadIdx.x] = m.c + m.s + int(m.d) + int(m.v[1]) + flag + c + int(l) + int(f.y) + n.s;
}

__constant__ float coefficients[4];
__constant__ int preset = 7;
__device__ int counter;
__device__ int table[3] = {1, 2, 3};
static __device__ float hidden = 2.5f;
__device__ const int fixed[4] = {10, 20, 30, 40};

__global__ void variables(float *out) {
  int i = threadIdx.x;
  out[i] = coefficients[i & 3] + preset + table[i % 3] + hidden + fixed[i & 3];
  if (i == 0)
    counter += 5;
}

__device__ int square(int x) { return x * x; }
__device__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
typedef int (*Operation)(int);
__device__ Operation operations[2] = {square, twice};

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3 * radius * radius; }
};

__global__ void calls(int *out, float *areas) {
  int i = threadIdx.x;
  out[i] = operations[i & 1](i) + fibonacci(i);
  Shape *shape = i & 1 ? static_cast<Shape *>(new Square(float(i))) : new Circle(float(i));
  areas[i] = shape->area();
  delete shape;
}

template <class T> __global__ void math(int n, const T *x, T *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = sin(x[i]) + exp(-x[i]) * sqrt(x[i]) + pow(x[i], T(1.5)) + fmax(x[i], T(2)) + tanh(x[i]) + rsqrt(x[i]);
}

__global__ void fastMath(const float *x, float *out) {
  int i = threadIdx.x;
  out[i] = __sinf(x[i]) + __expf(x[i]) + __fdividef(x[i], 3.f) + __fmul_rz(x[i], 1.1f) + __frsqrt_rn(x[i]) +
           __saturatef(x[i]) + __log2f(x[i]) + __powf(x[i], 2.f) + __fmaf_rn(x[i], 2.f, 1.f);
}

__global__ void integers(unsigned *out) {
  unsigned x = 0x12345678u + threadIdx.x;
  out[threadIdx.x] = __popc(x) + __clz(x) + __ffs(x) + (__brev(x) >> 24) + __umulhi(x, x) +
                     (__byte_perm(x, 0x9abcdef0u, 0x4152) & 0xff) + __float2int_rn(2.5f) + __float2uint_rz(-3.f) +
                     __double2int_ru(2.1) + abs(-3) + max(1u, x & 7);
}

__global__ void conversions(int *out) {
  out[0] = __float_as_int(1.0f);
  out[1] = int(__int_as_float(0x40000000));
  out[2] = __float2int_rd(-1.5f);
  out[3] = __float2int_ru(-1.5f);
  out[4] = __float2int_rn(FLT_MAX); // saturates
  out[5] = __double2hiint(1.0);
}

__global__ void local(int n, int *out) {
  int mine[16];
  for (int k = 0; k < 16; ++k)
    mine[k] = k * n + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += mine[(k * 7 + threadIdx.x) & 15];
  out[threadIdx.x] = sum;
}

__global__ __launch_bounds__(64) void bounded(int *out) { out[threadIdx.x] = 1; }

namespace {
__global__ void anonymous(int *out) { *out = 11; }
} // namespace

__global__ void print(int n) {
  if (threadIdx.x < 2)
    printf("thread %d of %s: %.2f %lld %c%%\n", threadIdx.x, "block", n * 0.5, 1LL << 40, 'x');
}

void testSaxpy() {
  const int n = 1000;
  Buffer<float> x(n), y(n, 1.f);
  for (int i = 0; i < n; ++i)
    x.host[i] = float(i);
  CUDA(cudaMemcpy(x.device, x.host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  saxpy<<<(n + 127) / 128, 128>>>(n, 2.f, x.device, y.device);
  bool same = true;
  for (int i = 0; i < n; ++i)
    same &= y.read()[i] == 2.f * i + 1.f;
  CHECK(same);
}

void testGeometry() {
  Buffer<double> d(777, 1.0);
  gridStride<<<3, 32>>>(777, d.device);
  d.read();
  for (int i = 0; i < 777; ++i)
    if (d.host[i] != i + 1.0)
      CHECK(d.host[i] == i + 1.0);
  Buffer<unsigned> g(24 * 30);
  geometry<<<dim3(2, 3, 4), dim3(5, 3, 2)>>>(g.device);
  g.read();
  bool same = true;
  for (unsigned b = 0; b < 24; ++b)
    for (unsigned t = 0; t < 30; ++t)
      same &= g.host[b * 30 + t] == b * 1000 + t;
  CHECK(same);
}

void testParameters() {
  Buffer<int> out(4);
  Mixed m{'\1', 2, out.device, 3.0, {0, 4, 0}}, n{};
  n.s = 1000;
  parameters<<<1, 4>>>(m, true, '\5', 1LL << 4, make_float3(0, 6, 0), n);
  out.read();
  for (int i = 0; i < 4; ++i)
    CHECK(out.host[i] == 1 + 2 + 3 + 4 + i + 1 + 5 + 16 + 6 + 1000);
}

void testVariables() {
  const float c[4] = {100, 200, 300, 400};
  CUDA(cudaMemcpyToSymbol(coefficients, c, sizeof c));
  const int start = 37;
  CUDA(cudaMemcpyToSymbol(counter, &start, sizeof start));
  Buffer<float> out(8);
  variables<<<1, 8>>>(out.device);
  variables<<<1, 8>>>(out.device);
  out.read();
  for (int i = 0; i < 8; ++i)
    CHECK(out.host[i] == c[i & 3] + 7 + (i % 3 + 1) + 2.5f + 10 * ((i & 3) + 1));
  int end = 0;
  CUDA(cudaMemcpyFromSymbol(&end, counter, sizeof end));
  CHECK(end == 47);
}

void testCalls() {
  Buffer<int> out(10);
  Buffer<float> areas(10);
  calls<<<1, 10>>>(out.device, areas.device);
  const int f[10] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  out.read(), areas.read();
  for (int i = 0; i < 10; ++i) {
    CHECK(out.host[i] == (i & 1 ? 2 * i : i * i) + f[i]);
    CHECK(areas.host[i] == (i & 1 ? float(i * i) : 3.f * i * i));
  }
}

template <class T> void testMath(T tolerance) {
  const int n = 300;
  std::vector<T> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = T(0.01) * (i + 1);
  Buffer<T> x(values), out(n);
  math<T><<<3, 128>>>(n, x.device, out.device);
  out.read();
  for (int i = 0; i < n; ++i) {
    const double v = double(values[i]);
    const double expected = std::sin(v) + std::exp(-v) * std::sqrt(v) + std::pow(v, 1.5) + std::fmax(v, 2.0) +
                            std::tanh(v) + 1 / std::sqrt(v);
    if (!(std::fabs(double(out.host[i]) - expected) <= double(tolerance) * std::fabs(expected)))
      CHECK(!"math differs from the host");
  }
}

void testIntrinsics() {
  Buffer<float> x(std::vector<float>{0.25f, 0.5f, 0.75f, 1.5f}), out(4);
  fastMath<<<1, 4>>>(x.device, out.device);
  out.read();
  for (int i = 0; i < 4; ++i) {
    const double v = double(x.host[i]);
    const double expected = std::sin(v) + std::exp(v) + v / 3 + v * 1.1 + 1 / std::sqrt(v) + std::fmin(v, 1.0) +
                            std::log2(v) + v * v + 2 * v + 1;
    CHECK(std::fabs(double(out.host[i]) - expected) < 1e-5 * std::fabs(expected));
  }
  Buffer<unsigned> u(8);
  integers<<<1, 8>>>(u.device);
  u.read();
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned v = 0x12345678u + i;
    unsigned reversed = 0;
    for (int b = 0; b < 32; ++b)
      reversed |= (v >> b & 1) << (31 - b);
    const unsigned bytes = 0xde; // selector nibble 2 is byte 2 of x; 0x4152 picks x[2], y[1], x[1], y[0]
    (void)bytes;
    const unsigned expected = __builtin_popcount(v) + __builtin_clz(v) + __builtin_ffs(int(v)) + (reversed >> 24) +
                              unsigned((unsigned long long)v * v >> 32) + (v >> 16 & 0xff) + 2 + 0 + 3 + 3 +
                              (1u > (v & 7) ? 1u : (v & 7));
    CHECK(u.host[i] == expected);
  }
  Buffer<int> c(6);
  conversions<<<1, 1>>>(c.device);
  c.read();
  CHECK(c.host[0] == 0x3f800000);
  CHECK(c.host[1] == 2);
  CHECK(c.host[2] == -2);
  CHECK(c.host[3] == -1);
  CHECK(c.host[4] == 2147483647);
  CHECK(c.host[5] == 0x3ff00000);
}

int main() {
  testSaxpy();
  testGeometry();
  testParameters();
  testVariables();
  testCalls();
  testMath<float>(2e-6f);
  testMath<double>(1e-14);
  testIntrinsics();
  Buffer<int> out(64);
  local<<<1, 64>>>(3, out.device);
  out.read();
  for (int t = 0; t < 64; ++t)
    CHECK(out.host[t] == 120 * 3 + 16 * t);
  bounded<<<1, 65>>>(out.device);
  CHECK(cudaGetLastError() != cudaSuccess); // 65 threads where 64 were promised
  anonymous<<<1, 1>>>(out.device);
  CHECK(out.read()[0] == 11);
  print<<<1, 4>>>(3);
  CUDA(cudaDeviceSynchronize());
  return finish("basics");
}
