// Reductions, scans, histograms: shared memory, shuffles, atomics.
#include "launch.h"

__global__ void reduceShared(const float *in, float *out) {
  extern __shared__ float values[];
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

__global__ void reduceShuffle(int n, const float *in, float *out) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if ((threadIdx.x & 31) == 0)
    atomicAdd(out, sum);
}

__global__ void reduceBoth(const double *in, double *out) {
  __shared__ double warps[32];
  double sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0)
    warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? warps[lane] : 0.0;
    for (int offset = 16; offset > 0; offset >>= 1)
      sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane == 0)
      out[blockIdx.x] = sum;
  }
}

__global__ void reduceStrided(int *data) {
  __shared__ int values[256];
  values[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (threadIdx.x % (2 * s) == 0)
      values[threadIdx.x] += values[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    data[0] = values[0];
}

__global__ void scan(int n, const float *in, float *out) {
  __shared__ float values[2][256];
  int from = 0;
  values[0][threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0.0f;
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    float value = values[from][threadIdx.x];
    if (threadIdx.x >= offset)
      value += values[from][threadIdx.x - offset];
    values[1 - from][threadIdx.x] = value;
    from = 1 - from;
    __syncthreads();
  }
  if (threadIdx.x < n)
    out[threadIdx.x] = values[from][threadIdx.x];
}

__global__ void histogram(int n, const unsigned char *in, unsigned *bins) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd(&bins[i], local[i]);
}

__global__ void dot(int n, const float *a, const float *b, float *out) {
  __shared__ float partial[128];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += a[i] * b[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *out = partial[0];
}

int main() {
  float *f = memory<float>(1 << 16);
  double *d = memory<double>(1 << 14);
  int *i = memory<int>(1 << 12);
  RUN("reduceShared", "", reduceShared, (4), (256), 256 * sizeof(float), f, f + 4096);
  RUN("reduceShared", "", reduceShared, (4), (96), 96 * sizeof(float), f, f + 4096);
  RUN("reduceShuffle", "n=5000", reduceShuffle, (4), (128), 0, 5000, f, f + 8192);
  RUN("reduceBoth", "", reduceBoth, (4), (256), 0, d, d + 4096);
  RUN("reduceStrided", "", reduceStrided, (1), (256), 0, i);
  RUN("scan", "n=200", scan, (1), (256), 0, 200, f, f + 512);
  RUN("histogram", "n=3000", histogram, (4), (96), 0, 3000, reinterpret_cast<unsigned char *>(f),
      reinterpret_cast<unsigned *>(i));
  RUN("dot", "n=1000", dot, (2), (128), 0, 1000, f, f + 2048, f + 4096);
  return finish();
}
