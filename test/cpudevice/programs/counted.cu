// Kernels whose work can be counted by hand; CountingTest.cpp has the arithmetic.
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

template <int Tile> __global__ void gemm(int n, const double *a, const double *b, double *c) {
  __shared__ double sa[Tile][Tile], sb[Tile][Tile];
  int row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
  double sum = 0;
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

__global__ void heat(int nx, int ny, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    int i = y * nx + x;
    out[i] = in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 4.0f * in[i]);
  }
}

__global__ void reduce(const float *in, float *out) {
  extern __shared__ float values[];
  values[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s >= 32; s >>= 1) {
    if (threadIdx.x < s)
      values[threadIdx.x] += values[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    float v = values[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2)
      v += __shfl_down_sync(0xffffffffu, v, offset);
    if (threadIdx.x == 0)
      atomicAdd(out, v);
  }
}

__constant__ float scale[2];
__global__ void functions(const float *in, float *out) {
  int i = threadIdx.x;
  out[i] = sinf(in[i]) * scale[i & 1] + sqrtf(fabsf(in[i])) / 3.0f - fmaf(in[i], 2.0f, 1.0f);
}

int main() {
  void *memory = nullptr;
  cudaMalloc(&memory, 1 << 20);
  cudaMemset(memory, 0, 1 << 20);
  float *f = static_cast<float *>(memory);
  double *d = static_cast<double *>(memory);
  saxpy<<<8, 128>>>(1000, 2.0f, f, f + 1024);
  saxpy<<<1, 32>>>(10, 2.0f, f, f + 1024);
  gemm<16><<<dim3(4, 4), dim3(16, 16)>>>(64, d, d + 4096, d + 8192);
  heat<<<dim3(4, 5), dim3(16, 8)>>>(64, 33, f, f + 4096);
  reduce<<<4, 256, 256 * sizeof(float)>>>(f, f + 4096);
  functions<<<1, 64>>>(f, f + 64);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
