// Tiled Cholesky factorisation, A = L * L^T, in place on the lower triangle.
//
//   cholesky [tiles] [tile-size]          default: 8 tiles of 32, a 256 x 256 matrix
//
// The matrix is stored tile by tile, so that one tile is one contiguous piece of memory. Each of the four tile
// kernels is one task; the dependences between them follow from the sections they name.
// The algorithm is the right-looking tiled factorisation of Buttari, Langou, Kurzak and Dongarra (Parallel
// Computing 35, 2009, algorithm 1).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                                     \
  do {                                                                                                       \
    cudaError_t error = (call);                                                                              \
    if (error != cudaSuccess) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));         \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

constexpr int side = 16; // threads per block and direction in the matrix products

/// Factorises one diagonal tile: a = L * L^T. One block; column by column.
__global__ void potrf(double *a, int size) {
  for (int k = 0; k < size; ++k) {
    if (threadIdx.x == 0)
      a[k * size + k] = sqrt(a[k * size + k]);
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < size; i += blockDim.x)
      a[i * size + k] /= a[k * size + k];
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < size; i += blockDim.x)
      for (int j = k + 1; j <= i; ++j)
        a[i * size + j] -= a[i * size + k] * a[j * size + k];
    __syncthreads();
  }
}

/// Solves x * L^T = b for the tile below a factorised diagonal tile, in place. One thread per row.
__global__ void trsm(const double *l, double *b, int size) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= size)
    return;
  for (int j = 0; j < size; ++j) {
    double sum = b[row * size + j];
    for (int k = 0; k < j; ++k)
      sum -= b[row * size + k] * l[j * size + k];
    b[row * size + j] = sum / l[j * size + j];
  }
}

/// c -= a * b^T, with the operands staged through shared memory. `size` is a multiple of `side`.
__global__ void gemm(const double *a, const double *b, double *c, int size) {
  __shared__ double tileA[side][side];
  __shared__ double tileB[side][side];
  int row = blockIdx.y * side + threadIdx.y;
  int column = blockIdx.x * side + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < size; k += side) {
    tileA[threadIdx.y][threadIdx.x] = a[row * size + k + threadIdx.x];
    tileB[threadIdx.y][threadIdx.x] = b[(blockIdx.x * side + threadIdx.y) * size + k + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < side; ++i)
      sum += tileA[threadIdx.y][i] * tileB[threadIdx.x][i];
    __syncthreads();
  }
  c[row * size + column] -= sum;
}

/// The symmetric case, c -= a * a^T. Computes the whole tile: the upper triangle is never read.
__global__ void syrk(const double *a, double *c, int size) {
  __shared__ double tileA[side][side];
  __shared__ double tileB[side][side];
  int row = blockIdx.y * side + threadIdx.y;
  int column = blockIdx.x * side + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < size; k += side) {
    tileA[threadIdx.y][threadIdx.x] = a[row * size + k + threadIdx.x];
    tileB[threadIdx.y][threadIdx.x] = a[(blockIdx.x * side + threadIdx.y) * size + k + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < side; ++i)
      sum += tileA[threadIdx.y][i] * tileB[threadIdx.x][i];
    __syncthreads();
  }
  c[row * size + column] -= sum;
}

/// Where tile (i, j) of a `tiles` x `tiles` matrix begins.
static long at(int i, int j, int tiles, int size) { return (static_cast<long>(i) * tiles + j) * size * size; }

/// Enqueues the factorisation of the matrix on the device.
static void factorise(double *a, int tiles, int size) {
  const dim3 block(side, side);
  const dim3 grid(size / side, size / side);
  for (int k = 0; k < tiles; ++k) {
#pragma streammap task name(potrf, k) inout(a[at(k, k, tiles, size) : size * size]) priority(3)
    potrf<<<1, 256>>>(a + at(k, k, tiles, size), size);

    for (int i = k + 1; i < tiles; ++i) {
#pragma streammap task name(trsm, i, k) in(a[at(k, k, tiles, size) : size * size]) \
    inout(a[at(i, k, tiles, size) : size * size]) priority(2)
      trsm<<<(size + 63) / 64, 64>>>(a + at(k, k, tiles, size), a + at(i, k, tiles, size), size);
    }
    for (int i = k + 1; i < tiles; ++i) {
#pragma streammap task name(syrk, i, k) in(a[at(i, k, tiles, size) : size * size]) \
    inout(a[at(i, i, tiles, size) : size * size]) priority(1)
      syrk<<<grid, block>>>(a + at(i, k, tiles, size), a + at(i, i, tiles, size), size);

      for (int j = k + 1; j < i; ++j) {
#pragma streammap task name(gemm, i, j, k) in(a[at(i, k, tiles, size) : size * size], \
                                              a[at(j, k, tiles, size) : size * size]) \
    inout(a[at(i, j, tiles, size) : size * size])
        gemm<<<grid, block>>>(a + at(i, k, tiles, size), a + at(j, k, tiles, size),
                              a + at(i, j, tiles, size), size);
      }
    }
  }
}

/// A symmetric positive definite matrix in tile order: 1 / (1 + |i - j|), with n added on the diagonal.
static void fill(std::vector<double> &a, int tiles, int size) {
  const int n = tiles * size;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[at(i / size, j / size, tiles, size) + i % size * size + j % size] =
          1.0 / (1 + std::abs(i - j)) + (i == j ? n : 0);
}

/// The largest |A - L * L^T| over the lower triangle, relative to n.
static double residual(const std::vector<double> &a, const std::vector<double> &l, int tiles, int size) {
  const int n = tiles * size;
  auto element = [&](const std::vector<double> &m, int i, int j) {
    return m[at(i / size, j / size, tiles, size) + i % size * size + j % size];
  };
  double worst = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k <= j; ++k)
        sum += element(l, i, k) * element(l, j, k);
      worst = std::fmax(worst, std::fabs(sum - element(a, i, j)));
    }
  return worst / n;
}

int main(int argc, char *argv[]) {
  const int tiles = argc > 1 ? std::atoi(argv[1]) : 8;
  const int size = argc > 2 ? std::atoi(argv[2]) : 32;
  if (tiles < 1 || size < side || size % side != 0) {
    std::fprintf(stderr, "usage: cholesky [tiles] [tile-size]; the tile size is a multiple of %d\n", side);
    return 2;
  }
  const long elements = static_cast<long>(tiles) * tiles * size * size;
  std::vector<double> a(elements), l(elements);
  fill(a, tiles, size);

  double *d = nullptr;
  CUDA_CHECK(cudaMalloc(&d, elements * sizeof(double)));
  CUDA_CHECK(cudaMemcpy(d, a.data(), elements * sizeof(double), cudaMemcpyHostToDevice));
  factorise(d, tiles, size);
#pragma streammap wait
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(l.data(), d, elements * sizeof(double), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d));

  const double error = residual(a, l, tiles, size);
#pragma streammap root
  std::printf("cholesky: %d x %d tiles of %d, L[n-1][n-1] = %.9f, %s\n", tiles, tiles, size,
              l[elements - 1], error < 1e-14 * tiles * size ? "verified" : "WRONG");
  return error < 1e-14 * tiles * size ? 0 : 1;
}
