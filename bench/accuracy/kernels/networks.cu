// Layers of neural networks, written after llm.c, the CUDA samples and common frameworks.
#include "launch.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// A row to a thread: maximum, sum of exponentials, quotient.
__global__ void softmax(int rows, int columns, const float *in, float *out) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float most = -1e30f, sum = 0;
  for (int j = 0; j < columns; ++j)
    most = fmaxf(most, in[row * columns + j]);
  for (int j = 0; j < columns; ++j) {
    float e = expf(in[row * columns + j] - most);
    out[row * columns + j] = e;
    sum += e;
  }
  for (int j = 0; j < columns; ++j)
    out[row * columns + j] /= sum;
}

// A row to a block of 128 threads.
__global__ void layerNorm(int columns, const float *in, const float *weight, const float *bias, float *out) {
  __shared__ float sums[128], squares[128];
  int t = threadIdx.x;
  float sum = 0, square = 0;
  for (int j = t; j < columns; j += 128) {
    float v = in[blockIdx.x * columns + j];
    sum += v;
    square += v * v;
  }
  sums[t] = sum;
  squares[t] = square;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (t < s) {
      sums[t] += sums[t + s];
      squares[t] += squares[t + s];
    }
    __syncthreads();
  }
  float mean = sums[0] / columns, scale = rsqrtf(squares[0] / columns - mean * mean + 1e-5f);
  for (int j = t; j < columns; j += 128)
    out[blockIdx.x * columns + j] = (in[blockIdx.x * columns + j] - mean) * scale * weight[j] + bias[j];
}

__global__ void gelu(int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = in[i], cube = 0.044715f * x * x * x;
    out[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + cube)));
  }
}

__global__ void convolution2d(int channels, int width, int height, int k, const float *in, const float *w,
                              float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width - k + 1 || y >= height - k + 1)
    return;
  float sum = 0;
  for (int c = 0; c < channels; ++c)
    for (int dy = 0; dy < k; ++dy)
      for (int dx = 0; dx < k; ++dx)
        sum += in[(c * height + y + dy) * width + x + dx] * w[(c * k + dy) * k + dx];
  out[(blockIdx.z * height + y) * width + x] = sum;
}

__constant__ float taps[17];

__global__ void convolutionRows(int width, int height, const float *in, float *out) {
  __shared__ float tile[8][16 + 2 * 8];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x + 8] = in[y * width + x];
  if (threadIdx.x < 8)
    tile[threadIdx.y][threadIdx.x] = x >= 8 ? in[y * width + x - 8] : 0.0f;
  else
    tile[threadIdx.y][threadIdx.x + 16] = x + 8 < width ? in[y * width + x + 8] : 0.0f;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int j = -8; j <= 8; ++j)
    sum += taps[8 - j] * tile[threadIdx.y][threadIdx.x + 8 + j];
  out[y * width + x] = sum;
}

__global__ void maxPool(int width, int height, int window, int stride, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int outWidth = (width - window) / stride + 1, outHeight = (height - window) / stride + 1;
  if (x >= outWidth || y >= outHeight)
    return;
  float most = -1e30f;
  for (int dy = 0; dy < window; ++dy)
    for (int dx = 0; dx < window; ++dx)
      most = fmaxf(most, in[(y * stride + dy) * width + x * stride + dx]);
  out[y * outWidth + x] = most;
}

__global__ void averagePool(int width, int height, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width / 2 && y < height / 2) {
    const float *corner = in + 2 * y * width + 2 * x;
    out[y * (width / 2) + x] = 0.25f * (corner[0] + corner[1] + corner[width] + corner[width + 1]);
  }
}

// Query by query: scores, softmax, weighted values; causal.
__global__ void attention(int tokens, int width, const float *q, const float *k, const float *v, float *score,
                          float *out) {
  int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= tokens)
    return;
  float most = -1e30f, sum = 0;
  for (int t = 0; t <= query; ++t) {
    float dot = 0;
    for (int i = 0; i < width; ++i)
      dot += q[query * width + i] * k[t * width + i];
    score[query * tokens + t] = dot;
    most = fmaxf(most, dot);
  }
  for (int t = 0; t <= query; ++t) {
    float e = expf(score[query * tokens + t] - most);
    score[query * tokens + t] = e;
    sum += e;
  }
  for (int i = 0; i < width; ++i) {
    float value = 0;
    for (int t = 0; t <= query; ++t)
      value += score[query * tokens + t] / sum * v[t * width + i];
    out[query * width + i] = value;
  }
}

__global__ void adam(int n, float rate, float correction, const float *gradient, float *m, float *v, float *w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float g = gradient[i];
  m[i] = 0.9f * m[i] + 0.1f * g;
  v[i] = 0.999f * v[i] + 0.001f * g * g;
  w[i] -= rate * m[i] / (sqrtf(v[i] * correction) + 1e-8f);
}

__global__ void gather(int rows, int width, const int *index, const float *table, float *out) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows)
    for (int j = threadIdx.x; j < width; j += blockDim.x)
      out[row * width + j] = table[index[row] * width + j];
}

__global__ void scatterAdd(int n, const int *index, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&out[index[i]], in[i]);
}

__global__ void imageToColumns(int width, int height, int k, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int outWidth = width - k + 1, outHeight = height - k + 1;
  if (i >= outWidth * outHeight)
    return;
  int x = i % outWidth, y = i / outWidth;
  for (int dy = 0; dy < k; ++dy)
    for (int dx = 0; dx < k; ++dx)
      out[(dy * k + dx) * outWidth * outHeight + i] = in[(y + dy) * width + x + dx];
}

__global__ void halfPolynomial(int n, const __half2 *x, __half2 *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    __half2 v = x[i];
    y[i] = __hfma2(__hfma2(v, v, v), v, __hadd2(v, v));
  }
}

__global__ void bfloatDot(int n, const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = __bfloat162float(a[i]) * __bfloat162float(b[i]);
}

int main() {
  float *f = memory<float>(1 << 17);
  int *i = memory<int>(1 << 14);
  RUN("softmax", "rows=50 columns=33", softmax, (2), (32), 0, 50, 33, f, f + 4096);
  RUN("layerNorm", "columns=300", layerNorm, (7), (128), 0, 300, f, f + 4096, f + 5000, f + 8192);
  RUN("gelu", "n=1000", gelu, (8), (128), 0, 1000, f, f + 4096);
  RUN("convolution2d", "channels=3 width=20 height=18 k=3", convolution2d, (2, 3, 2), (16, 8), 0, 3, 20, 18, 3, f,
      f + 4096, f + 8192);
  RUN("convolutionRows", "width=64 height=32", convolutionRows, (4, 4), (16, 8), 0, 64, 32, f, f + 4096);
  RUN("maxPool", "width=30 height=22 window=3 stride=2", maxPool, (1, 2), (16, 8), 0, 30, 22, 3, 2, f, f + 4096);
  RUN("averagePool", "width=31 height=22", averagePool, (1, 2), (16, 8), 0, 31, 22, f, f + 4096);
  RUN("attention", "tokens=40 width=8", attention, (2), (32), 0, 40, 8, f, f + 4096, f + 8192, f + 16384,
      f + 32768);
  RUN("adam", "n=500", adam, (4), (128), 0, 500, 0.1f, 1.1f, f, f + 4096, f + 8192, f + 16384);
  RUN("gather", "rows=20 width=50", gather, (1, 3), (32, 8), 0, 20, 50, i, f, f + 4096);
  RUN("scatterAdd", "n=200", scatterAdd, (2), (128), 0, 200, i, f, f + 4096);
  RUN("imageToColumns", "width=20 height=15 k=3", imageToColumns, (8), (32), 0, 20, 15, 3, f, f + 4096);
  RUN("halfPolynomial", "n=200", halfPolynomial, (2), (128), 0, 200, (__half2 *)f, (__half2 *)f + 4096);
  RUN("bfloatDot", "n=200", bfloatDot, (2), (128), 0, 200, (__nv_bfloat16 *)f, (__nv_bfloat16 *)f + 4096,
      f + 8192);
  return finish();
}
