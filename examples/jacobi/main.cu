// Laplace's equation by Jacobi's method, written the way existing CUDA programs are: allocations in main, an
// error-checking macro, launches in wrapper functions of another file, streams, pointers swapped in a time loop
// and a copy back at the end. Only the pragmas were added.
//
//   jacobi [bands] [rows-per-band] [width] [sweeps]          default: 4 bands of 32 rows, 128 wide, 60 sweeps
#include "kernels.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CUDA_CALL(call)                                                                                      \
  {                                                                                                          \
    cudaError_t status = call;                                                                               \
    if (cudaSuccess != status) {                                                                             \
      fprintf(stderr, "ERROR: CUDA call \"%s\" in line %d of file %s failed with %s (%d).\n", #call, __LINE__, \
              __FILE__, cudaGetErrorString(status), status);                                                 \
      exit(status);                                                                                          \
    }                                                                                                        \
  }

int main(int argc, char *argv[]) {
  const int bands = argc > 1 ? atoi(argv[1]) : 4;
  const int rows = argc > 2 ? atoi(argv[2]) : 32;
  const int width = argc > 3 ? atoi(argv[3]) : 128;
  const int sweeps = argc > 4 ? atoi(argv[4]) : 60;
  if (bands < 1 || rows < 1 || width < 3 || sweeps < 1) {
    fprintf(stderr, "usage: jacobi [bands] [rows-per-band] [width] [sweeps]\n");
    return 2;
  }
  const int height = bands * rows + 2; // a fixed row above and below
  const size_t bytes = (size_t)width * height * sizeof(double);

  // The left and right walls are at sin(pi * y), everything else starts at zero.
  std::vector<double> field((size_t)width * height);
  for (int row = 0; row < height; ++row) {
    double wall = sin(3.14159265358979 * row / (height - 1));
    field[row * width] = wall;
    field[row * width + width - 1] = wall;
  }

  double *now, *next, *changes;
  CUDA_CALL(cudaMalloc((void **)&now, bytes));
  CUDA_CALL(cudaMalloc((void **)&next, bytes));
  CUDA_CALL(cudaMalloc((void **)&changes, bands * sizeof(double)));
  CUDA_CALL(cudaMemcpy(now, field.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CALL(cudaMemcpy(next, field.data(), bytes, cudaMemcpyHostToDevice));
  std::vector<cudaStream_t> streams(bands);
  for (int b = 0; b < bands; ++b)
    CUDA_CALL(cudaStreamCreate(&streams[b]));

  std::vector<double> change(bands);
  double first = 0, last = 0;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int b = 0; b < bands; ++b) {
      const int top = 1 + b * rows;
#pragma streammap task name(sweep, b, sweep) in(now[(top - 1) * width : (rows + 2) * width]) \
    inout(next[top * width : rows * width])
      launchJacobi(next, now, width, top, rows, streams[b]);
    }
    if (sweep == 0 || sweep == sweeps - 1) {
      for (int b = 0; b < bands; ++b) {
        const int top = 1 + b * rows;
#pragma streammap task name(change, b, sweep) \
    in(next[top * width : rows * width], now[top * width : rows * width]) out(changes[b : 1])
        launchChange(changes + b, next, now, width, top, rows, streams[b]);
      }
      CUDA_CALL(cudaMemcpy(change.data(), changes, bands * sizeof(double), cudaMemcpyDeviceToHost));
      double sum = 0;
      for (int b = 0; b < bands; ++b)
        sum += change[b];
      (sweep == 0 ? first : last) = sqrt(sum);
    }
    for (int b = 0; b < bands; ++b)
      CUDA_CALL(cudaStreamSynchronize(streams[b]));
    std::swap(now, next);
  }
  CUDA_CALL(cudaDeviceSynchronize());

  std::vector<double> result((size_t)width * height);
  CUDA_CALL(cudaMemcpy(result.data(), now, bytes, cudaMemcpyDeviceToHost));
  for (int b = 0; b < bands; ++b)
    CUDA_CALL(cudaStreamDestroy(streams[b]));
  CUDA_CALL(cudaFree(now));
  CUDA_CALL(cudaFree(next));
  CUDA_CALL(cudaFree(changes));

  // The same sweeps on the host.
  std::vector<double> expected = field, other = field;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int row = 1; row < height - 1; ++row)
      for (int column = 1; column < width - 1; ++column)
        other[row * width + column] =
            0.25 * (expected[row * width + column - 1] + expected[row * width + column + 1] +
                    expected[(row - 1) * width + column] + expected[(row + 1) * width + column]);
    std::swap(expected, other);
  }
  double worst = 0;
  for (size_t i = 0; i < result.size(); ++i)
    worst = fmax(worst, fabs(result[i] - expected[i]));

  bool right = worst < 1e-12 && (last < first || sweeps == 1);
#pragma streammap root
  printf("jacobi: %d bands of %d x %d, change %.6f -> %.6f in %d sweeps, %s\n", bands, rows, width, first, last,
         sweeps, right ? "verified" : "WRONG");
  return right ? 0 : 1;
}
