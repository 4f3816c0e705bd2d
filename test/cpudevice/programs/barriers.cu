// Threads that wait for their block: __syncthreads in every legal place, shared memory static and dynamic.
#include "check.h"

template <class T, int Tile> __global__ void gemm(int n, const T *a, const T *b, T *c) {
  __shared__ T sa[Tile][Tile], sb[Tile][Tile];
  int row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
  T sum = 0;
  for (int k = 0; k < n; k += Tile) {
    sa[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    sb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < Tile; ++i)
      sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void reduce(const int *in, int *out) {
  extern __shared__ int values[];
  values[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      values[threadIdx.x] += values[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = values[0];
}

__global__ void staticAndDynamic(int *out) {
  __shared__ int first[33];
  extern __shared__ double second[];
  first[threadIdx.x] = threadIdx.x;
  second[threadIdx.x] = threadIdx.x * 0.5;
  __syncthreads();
  int other = blockDim.x - 1 - threadIdx.x;
  out[threadIdx.x] = first[other] + int(2 * second[other]);
}

__global__ void earlyReturn(int n, int *out) {
  __shared__ int total;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  if (threadIdx.x >= n)
    return; // the others' barriers count only those that are left
  atomicAdd(&total, 1);
  __syncthreads();
  out[threadIdx.x] = total;
}

__global__ void conditional(int rounds, int *out) {
  __shared__ int value;
  if (threadIdx.x == 0)
    value = 0;
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    if (r % 3 == blockIdx.x % 3) { // the same for all threads of a block
      __syncthreads();
      if (threadIdx.x == r % blockDim.x)
        value += r;
      __syncthreads();
    } else if (r % 2) {
      __syncthreads();
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__device__ void syncInFunction(int *shared, int step) {
  __syncthreads();
  shared[threadIdx.x] += step;
  __syncthreads();
}

__global__ void inFunctions(int *out) {
  __shared__ int shared[64];
  shared[threadIdx.x] = 0;
  for (int i = 1; i <= 3; ++i)
    syncInFunction(shared, i);
  out[threadIdx.x] = shared[(threadIdx.x + 1) % blockDim.x];
}

__global__ void counting(int *out) {
  int t = threadIdx.x;
  out[t] = __syncthreads_count(t % 3 == 0);
  out[64 + t] = __syncthreads_and(t < 64);
  out[128 + t] = __syncthreads_or(t == 63);
  out[192 + t] = __syncthreads_and(t != 5) + 2 * __syncthreads_or(t > 100);
}

__global__ void stencil(int nx, int ny, const float *in, float *out) {
  __shared__ float tile[10][34];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  auto at = [&](int i, int j) { return i >= 0 && i < nx && j >= 0 && j < ny ? in[j * nx + i] : 0.f; };
  tile[ty][tx] = at(x, y);
  if (threadIdx.x == 0)
    tile[ty][0] = at(x - 1, y);
  if (threadIdx.x == 31)
    tile[ty][33] = at(x + 1, y);
  if (threadIdx.y == 0)
    tile[0][tx] = at(x, y - 1);
  if (threadIdx.y == 7)
    tile[9][tx] = at(x, y + 1);
  __syncthreads();
  if (x < nx && y < ny)
    out[y * nx + x] = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] - 4 * tile[ty][tx];
}

// Reading and writing the same shared element in alternation: a pass too early or too late shows.
__global__ void pingPong(int rounds, int *out) {
  __shared__ int ring[128];
  ring[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    int next = ring[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    ring[threadIdx.x] = next;
    __syncthreads();
  }
  out[threadIdx.x] = ring[threadIdx.x];
}

template <class T> void testGemm() {
  constexpr int n = 64;
  Buffer<T> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i)
    a.host[i] = T(i % 7), b.host[i] = T(i % 5);
  CUDA(cudaMemcpy(a.device, a.host.data(), n * n * sizeof(T), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(b.device, b.host.data(), n * n * sizeof(T), cudaMemcpyHostToDevice));
  gemm<T, 16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, a.device, b.device, c.device);
  c.read();
  bool same = true;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      T sum = 0;
      for (int k = 0; k < n; ++k)
        sum += T((i * n + k) % 7) * T((k * n + j) % 5);
      same &= c.host[i * n + j] == sum; // small integers: exact
    }
  CHECK(same);
}

int main() {
  testGemm<float>();
  testGemm<double>();
  {
    std::vector<int> values(1024);
    for (int i = 0; i < 1024; ++i)
      values[i] = i;
    Buffer<int> in(values), out(4);
    reduce<<<4, 256, 256 * sizeof(int)>>>(in.device, out.device);
    out.read();
    for (int b = 0; b < 4; ++b)
      CHECK(out.host[b] == 256 * (256 * b) + 255 * 128);
  }
  {
    Buffer<int> out(33);
    staticAndDynamic<<<1, 33, 33 * sizeof(double)>>>(out.device);
    out.read();
    for (int t = 0; t < 33; ++t)
      CHECK(out.host[t] == 2 * (32 - t));
  }
  {
    Buffer<int> out(100, -1);
    earlyReturn<<<1, 100>>>(37, out.device);
    out.read();
    for (int t = 0; t < 100; ++t)
      CHECK(out.host[t] == (t < 37 ? 37 : -1));
  }
  {
    Buffer<int> out(4 * 48);
    conditional<<<4, 48>>>(20, out.device);
    out.read();
    for (int b = 0; b < 4; ++b) {
      int sum = 0;
      for (int r = 0; r < 20; ++r)
        sum += r % 3 == b % 3 ? r : 0;
      for (int t = 0; t < 48; ++t)
        CHECK(out.host[b * 48 + t] == sum);
    }
  }
  {
    Buffer<int> out(64);
    inFunctions<<<1, 64>>>(out.device);
    out.read();
    for (int t = 0; t < 64; ++t)
      CHECK(out.host[t] == 6);
  }
  {
    Buffer<int> out(256);
    counting<<<1, 64>>>(out.device);
    out.read();
    for (int t = 0; t < 64; ++t) {
      CHECK(out.host[t] == 22);
      CHECK(out.host[64 + t] != 0);
      CHECK(out.host[128 + t] != 0);
      CHECK(out.host[192 + t] == 0);
    }
  }
  {
    const int nx = 70, ny = 19;
    Buffer<float> in(nx * ny), out(nx * ny);
    for (int i = 0; i < nx * ny; ++i)
      in.host[i] = float(i * 37 % 11);
    CUDA(cudaMemcpy(in.device, in.host.data(), in.host.size() * sizeof(float), cudaMemcpyHostToDevice));
    stencil<<<dim3((nx + 31) / 32, (ny + 7) / 8), dim3(32, 8)>>>(nx, ny, in.device, out.device);
    out.read();
    auto at = [&](int i, int j) { return i >= 0 && i < nx && j >= 0 && j < ny ? in.host[j * nx + i] : 0.f; };
    bool same = true;
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        same &= out.host[j * nx + i] ==
                at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j);
    CHECK(same);
  }
  {
    Buffer<int> out(128);
    pingPong<<<1, 128>>>(50, out.device);
    out.read();
    for (int t = 0; t < 128; ++t)
      CHECK(out.host[t] == (t + 50) % 128);
  }
  return finish("barriers");
}
