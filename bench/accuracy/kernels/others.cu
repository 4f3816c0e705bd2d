// N-body, options, attention, sorting networks, half precision, sparse and data-dependent loops.
#include "launch.h"
#include <cuda_fp16.h>

__global__ void nbody(int n, const float4 *bodies, float4 *forces) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 me = bodies[i], sum = make_float4(0, 0, 0, 0);
  for (int j = 0; j < n; ++j) {
    float4 other = bodies[j];
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    float scale = other.w * inverse * inverse * inverse;
    sum.x += dx * scale;
    sum.y += dy * scale;
    sum.z += dz * scale;
  }
  forces[i] = sum;
}

__global__ void nbodyPairs(int n, const float *x, float *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float total = 0;
    for (int j = i + 1; j < n; ++j)
      total += expf(-(x[i] - x[j]) * (x[i] - x[j]));
    sum[i] = total;
  }
}

__device__ float normal(float x) {
  return 0.5f * erfcf(-x * 0.70710678f);
}

__global__ void blackScholes(int n, const float *price, const float *strike, float *call) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float d1 = (logf(price[i] / (strike[i] + 1.0f)) + 0.3f) / 0.2f;
    call[i] = price[i] * normal(d1) - strike[i] * expf(-0.02f) * normal(d1 - 0.2f);
  }
}

__global__ void attentionScores(int heads, int tokens, int width, const float *q, const float *k,
                                float *scores) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y;
  if (row >= tokens || head >= heads)
    return;
  for (int column = 0; column <= row; ++column) {
    float sum = 0;
    for (int i = 0; i < width; ++i)
      sum += q[(head * tokens + row) * width + i] * k[(head * tokens + column) * width + i];
    scores[(head * tokens + row) * tokens + column] = sum;
  }
}

__global__ void bitonicStep(int *values, int n, int j, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int other = i ^ j;
    if (other > i) {
      int a = values[i], b = values[other];
      bool up = (i & k) == 0;
      values[i] = up ? min(a, b) : max(a, b);
      values[other] = up ? max(a, b) : min(a, b);
    }
  }
}

__global__ void halfAxpy(int n, __half a, const __half *x, __half *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = __hfma(a, x[i], y[i]);
}

__global__ void oddEven(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (i % 2 == 0)
    x[i] = x[i] * 2.0f + 1.0f;
  else
    x[i] = x[i] * 3.0f;
}

__global__ void pick(int mode, int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  switch (mode) {
  case 0:
    x[i] = x[i] + 1.0f;
    break;
  case 1:
    x[i] = x[i] * x[i] + x[i];
    break;
  default:
    x[i] = sqrtf(x[i]);
  }
}

__global__ void sparse(int rows, const int *begin, const int *column, const float *value, const float *x,
                       float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0;
    for (int i = begin[row]; i < begin[row + 1]; ++i)
      sum += value[i] * x[column[i]];
    y[row] = sum;
  }
}

__global__ void mandelbrot(int width, int height, int limit, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float re = 0, im = 0, cx = x * 0.05f - 2.0f, cy = y * 0.05f - 1.0f;
  int i = 0;
  for (; i < limit && re * re + im * im < 4.0f; ++i) {
    float next = re * re - im * im + cx;
    im = 2.0f * re * im + cy;
    re = next;
  }
  out[y * width + x] = i;
}

int main() {
  float *f = memory<float>(1 << 16);
  int *i = memory<int>(1 << 14);
  RUN("nbody", "n=100", nbody, (4), (32), 0, 100, reinterpret_cast<float4 *>(f),
      reinterpret_cast<float4 *>(f + 1024));
  RUN("nbodyPairs", "n=100", nbodyPairs, (4), (32), 0, 100, f, f + 1024);
  RUN("blackScholes", "n=500", blackScholes, (4), (128), 0, 500, f, f + 1024, f + 2048);
  RUN("attentionScores", "heads=3 tokens=40 width=16", attentionScores, (2, 3), (32), 0, 3, 40, 16, f,
      f + 4096, f + 8192);
  RUN("bitonicStep", "n=256 j=4 k=8", bitonicStep, (2), (128), 0, i, 256, 4, 8);
  RUN("halfAxpy", "n=300", halfAxpy, (4), (96), 0, 300, __half(2.0f), reinterpret_cast<__half *>(f),
      reinterpret_cast<__half *>(f + 512));
  RUN("oddEven", "n=301", oddEven, (4), (96), 0, 301, f);
  RUN("pick", "mode=1 n=300", pick, (4), (96), 0, 1, 300, f);
  RUN("pick", "mode=5 n=100", pick, (4), (96), 0, 5, 100, f);
  RUN("sparse", "rows=50", sparse, (2), (32), 0, 50, i, i + 4096, f, f + 1024, f + 2048);
  RUN("mandelbrot", "width=60 height=40 limit=50", mandelbrot, (4, 5), (16, 8), 0, 60, 40, 50, i);
  return finish();
}
