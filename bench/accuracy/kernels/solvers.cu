// Linear algebra and solvers, written after PolyBench, Rodinia and the CUDA samples.
#include "launch.h"

// Each thread computes 2 x 2 elements of a 32 x 32 tile.
__global__ void gemmRegisters(int n, const float *a, const float *b, float *c) {
  __shared__ float left[32][16], right[16][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 32, column = blockIdx.x * 32;
  float sum[2][2] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int i = 0; i < 2; ++i) {
      left[ty + 16 * i][tx] = a[(row + ty + 16 * i) * n + k0 + tx];
      right[ty][tx + 16 * i] = b[(k0 + ty) * n + column + tx + 16 * i];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k)
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
          sum[i][j] += left[ty + 16 * i][k] * right[k][tx + 16 * j];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      c[(row + ty + 16 * i) * n + column + tx + 16 * j] = sum[i][j];
}

__global__ void transposeTiles(int width, int height, const float *in, float *out) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < height && y + j < width)
      out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void syrk(int n, int m, float alpha, float beta, const float *a, float *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j <= i) {
    float sum = c[i * n + j] * beta;
    for (int k = 0; k < m; ++k)
      sum += alpha * a[i * m + k] * a[j * m + k];
    c[i * n + j] = sum;
  }
}

__global__ void atax(int rows, int columns, const double *a, const double *y, double *out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < columns)
    for (int i = 0; i < rows; ++i)
      out[j] += a[i * columns + j] * y[i];
}

__global__ void covariance(int n, int m, const float *data, float *out) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 >= m)
    return;
  for (int j2 = j1; j2 < m; ++j2) {
    float sum = 0;
    for (int i = 0; i < n; ++i)
      sum += data[i * m + j1] * data[i * m + j2];
    out[j1 * m + j2] = sum;
    out[j2 * m + j1] = sum;
  }
}

__global__ void gramSchmidt(int k, int m, int n, const float *q, float *r, float *a) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j > k && j < n) {
    float dot = 0;
    for (int i = 0; i < m; ++i)
      dot += q[i * n + k] * a[i * n + j];
    r[k * n + j] = dot;
    for (int i = 0; i < m; ++i)
      a[i * n + j] -= q[i * n + k] * dot;
  }
}

__global__ void doitgen(int nr, int nq, int np, const float *a, const float *c, float *sum) {
  int p = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y * blockDim.y + threadIdx.y;
  if (p >= np || q >= nq)
    return;
  for (int r = 0; r < nr; ++r) {
    float total = 0;
    for (int s = 0; s < np; ++s)
      total += a[(r * nq + q) * np + s] * c[s * np + p];
    sum[(r * nq + q) * np + p] = total;
  }
}

__global__ void jacobiSolve(int n, const double *a, const double *b, const double *x, double *next) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double sum = 0;
  for (int j = 0; j < i; ++j)
    sum += a[i * n + j] * x[j];
  for (int j = i + 1; j < n; ++j)
    sum += a[i * n + j] * x[j];
  next[i] = (b[i] - sum) / (a[i * n + i] + 1.0);
}

// The diagonal block of a factorisation, in shared memory.
__global__ void ludDiagonal(float *m, int pitch, int offset) {
  __shared__ float tile[16][16];
  int t = threadIdx.x;
  for (int i = 0; i < 16; ++i)
    tile[i][t] = m[(offset + i) * pitch + offset + t];
  __syncthreads();
  for (int i = 0; i < 15; ++i) {
    if (t > i) {
      for (int j = 0; j < i; ++j)
        tile[t][i] -= tile[t][j] * tile[j][i];
      tile[t][i] /= tile[i][i] + 1.0f;
    }
    __syncthreads();
    if (t > i)
      for (int j = 0; j < i + 1; ++j)
        tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
    __syncthreads();
  }
  for (int i = 1; i < 16; ++i)
    m[(offset + i) * pitch + offset + t] = tile[i][t];
}

__global__ void ludInternal(float *m, int pitch, int offset) {
  __shared__ float row[16][16], column[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int globalRow = offset + (blockIdx.y + 1) * 16, globalColumn = offset + (blockIdx.x + 1) * 16;
  row[ty][tx] = m[(offset + ty) * pitch + globalColumn + tx];
  column[ty][tx] = m[(globalRow + ty) * pitch + offset + tx];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += column[ty][i] * row[i][tx];
  m[(globalRow + ty) * pitch + globalColumn + tx] -= sum;
}

__global__ void gaussianRow(int size, int t, const float *m, float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= size - 1 - t || j >= size - t)
    return;
  a[size * (i + 1 + t) + j + t] -= m[size * (i + 1 + t) + t] * a[size * t + j + t];
  if (j == 0)
    b[i + 1 + t] -= m[size * (i + 1 + t) + t] * b[t];
}

// Every row has as many elements, stored column by column; unused ones are 0.
__global__ void sparseEll(int rows, int width, const int *column, const float *value, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int k = 0; k < width; ++k)
    sum += value[k * rows + row] * x[column[k * rows + row]];
  y[row] = sum;
}

__global__ void triad(size_t n, double scale, const double *b, const double *c, double *a) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    a[i] = b[i] + scale * c[i];
}

__global__ void complexScale(int n, float2 factor, float2 *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float2 v = x[i];
    x[i] = make_float2(v.x * factor.x - v.y * factor.y, v.x * factor.y + v.y * factor.x);
  }
}

int main() {
  float *f = memory<float>(1 << 17);
  double *d = memory<double>(1 << 16);
  int *i = memory<int>(1 << 14);
  RUN("gemmRegisters", "n=64", gemmRegisters, (2, 2), (16, 16), 0, 64, f, f + 4096, f + 8192);
  RUN("transposeTiles", "width=70 height=50", transposeTiles, (3, 2), (32, 8), 0, 70, 50, f, f + 4096);
  RUN("syrk", "n=50 m=20", syrk, (4, 7), (16, 8), 0, 50, 20, 1.5f, 0.5f, f, f + 4096);
  RUN("atax", "rows=30 columns=100", atax, (4), (32), 0, 30, 100, d, d + 4096, d + 8192);
  RUN("covariance", "n=20 m=40", covariance, (2), (32), 0, 20, 40, f, f + 4096);
  RUN("gramSchmidt", "k=5 m=20 n=40", gramSchmidt, (2), (32), 0, 5, 20, 40, f, f + 4096, f + 8192);
  RUN("doitgen", "nr=5 nq=9 np=20", doitgen, (2, 2), (16, 8), 0, 5, 9, 20, f, f + 4096, f + 8192);
  RUN("jacobiSolve", "n=60", jacobiSolve, (2), (32), 0, 60, d, d + 8192, d + 9000, d + 10000);
  RUN("ludDiagonal", "pitch=64 offset=16", ludDiagonal, (1), (16), 0, f, 64, 16);
  RUN("ludInternal", "pitch=64 offset=16", ludInternal, (2, 2), (16, 16), 0, f, 64, 16);
  RUN("gaussianRow", "size=40 t=7", gaussianRow, (5, 5), (8, 8), 0, 40, 7, f, f + 4096, f + 8192);
  RUN("sparseEll", "rows=100 width=7", sparseEll, (4), (32), 0, 100, 7, i, f, f + 4096, f + 8192);
  RUN("triad", "n=5000", triad, (4), (128), 0, 5000, 3.0, d, d + 8192, d + 16384);
  RUN("complexScale", "n=300", complexScale, (4), (128), 0, 300, make_float2(1, 2), (float2 *)f);
  return finish();
}
