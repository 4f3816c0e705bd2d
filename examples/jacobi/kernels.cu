#include "kernels.h"

__global__ void jacobi(double *__restrict__ next, const double *__restrict__ now, int width, int first, int rows) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = first + blockIdx.y * blockDim.y + threadIdx.y;
  if (row < first + rows && column > 0 && column < width - 1)
    next[row * width + column] = 0.25 * (now[row * width + column - 1] + now[row * width + column + 1] +
                                         now[(row - 1) * width + column] + now[(row + 1) * width + column]);
}

/// One block; a tree in shared memory, so the order of the additions never changes.
__global__ void change(double *out, const double *next, const double *now, int width, int first, int rows) {
  extern __shared__ double partial[];
  double sum = 0;
  for (int i = threadIdx.x; i < rows * width; i += blockDim.x) {
    double difference = next[first * width + i] - now[first * width + i];
    sum += difference * difference;
  }
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

void launchJacobi(double *next, const double *now, int width, int first, int rows, cudaStream_t stream) {
  dim3 block(32, 4);
  dim3 grid((width + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  jacobi<<<grid, block, 0, stream>>>(next, now, width, first, rows);
}

void launchChange(double *out, const double *next, const double *now, int width, int first, int rows,
                  cudaStream_t stream) {
  const int threads = 128;
  change<<<1, threads, threads * sizeof(double), stream>>>(out, next, now, width, first, rows);
}
