// Dense linear algebra: vectors, matrix-vector and matrix-matrix products, triangular solves.
#include "launch.h"

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void saxpyStride(int n, float a, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

__global__ void daxpyLong(size_t n, double a, const double *x, double *y) {
  const size_t stride = size_t(blockDim.x) * gridDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
    y[i] += a * x[i];
}

template <int Tile>
__global__ void gemm(int n, const double *a, const double *b, double *c) {
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

__global__ void gemmNaive(int m, int n, int k, const float *a, const float *b, float *c) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

__global__ void gemmGuardedTiles(int n, const float *a, const float *b, float *c) {
  __shared__ float sa[16][16], sb[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < (n + 15) / 16; ++t) {
    int ka = t * 16 + threadIdx.x, kb = t * 16 + threadIdx.y;
    sa[threadIdx.y][threadIdx.x] = row < n && ka < n ? a[row * n + ka] : 0.0f;
    sb[threadIdx.y][threadIdx.x] = kb < n && column < n ? b[kb * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}

struct Matrix {
  const float *values;
  int rows, columns;
};

__global__ void gemv(Matrix a, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < a.rows) {
    float sum = 0;
    for (int j = 0; j < a.columns; ++j)
      sum += a.values[row * a.columns + j] * x[j];
    y[row] = sum;
  }
}

__global__ void trsv(const double *l, double *b, int size) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= size)
    return;
  for (int j = 0; j < size; ++j) {
    double sum = b[row * size + j];
    for (int k = 0; k < j; ++k)
      sum -= b[row * size + k] * l[j * size + k];
    b[row * size + j] = sum / (l[j * size + j] + 1.0);
  }
}

__global__ void lowerTriangle(int n, const float *a, float *sums) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    float sum = 0;
    for (int j = 0; j <= row; ++j)
      sum += a[row * n + j];
    sums[row] = sum;
  }
}

__global__ void potrf(double *a, int size) {
  for (int k = 0; k < size; ++k) {
    if (threadIdx.x == 0)
      a[k * size + k] = sqrt(a[k * size + k]);
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < size; i += blockDim.x)
      a[i * size + k] /= a[k * size + k] + 1.0;
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < size; i += blockDim.x)
      for (int j = k + 1; j <= i; ++j)
        a[i * size + j] -= a[i * size + k] * a[j * size + k];
    __syncthreads();
  }
}

__global__ void transpose(int width, int height, const float *in, float *out) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += blockDim.y) {
    int y = blockIdx.y * 32 + j;
    if (x < width && y < height)
      tile[j][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  int tx = blockIdx.y * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += blockDim.y) {
    int ty = blockIdx.x * 32 + j;
    if (tx < height && ty < width)
      out[ty * height + tx] = tile[threadIdx.x][j];
  }
}

int main() {
  float *f = memory<float>(1 << 18);
  double *d = memory<double>(1 << 18);
  RUN("saxpy", "n=1000", saxpy, (8), (128), 0, 1000, 2.0f, f, f + 4096);
  RUN("saxpy", "n=3000", saxpy, (8), (128), 0, 3000, 2.0f, f, f + 4096);
  RUN("saxpyStride", "n=5000", saxpyStride, (3), (96), 0, 5000, 2.0f, f, f + 8192);
  RUN("daxpyLong", "n=777", daxpyLong, (4), (64), 0, 777, 2.0, d, d + 8192);
  RUN("gemm<16>", "n=64", gemm<16>, (4, 4), (16, 16), 0, 64, d, d + 4096, d + 8192);
  RUN("gemmNaive", "m=33 n=47 k=21", gemmNaive, (3, 5), (16, 8), 0, 33, 47, 21, f, f + 4096, f + 8192);
  RUN("gemmGuardedTiles", "n=50", gemmGuardedTiles, (4, 4), (16, 16), 0, 50, f, f + 4096, f + 8192);
  RUN("gemv", "a.rows=100 a.columns=37", gemv, (4), (32), 0, Matrix{f, 100, 37}, f + 8192, f + 9000);
  RUN("trsv", "size=40", trsv, (2), (32), 0, d, d + 4096, 40);
  RUN("lowerTriangle", "n=100", lowerTriangle, (4), (32), 0, 100, f, f + 16384);
  RUN("lowerTriangle", "n=200", lowerTriangle, (4), (32), 0, 200, f, f + 65536);
  RUN("potrf", "size=30", potrf, (1), (32), 0, d, 30);
  RUN("potrf", "size=45", potrf, (1), (32), 0, d, 45);
  RUN("transpose", "width=70 height=50", transpose, (3, 2), (32, 8), 0, 70, 50, f, f + 8192);
  return finish();
}
