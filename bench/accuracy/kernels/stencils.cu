// Stencils and convolutions.
#include "launch.h"

__global__ void heat(int nx, int ny, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    int i = y * nx + x;
    out[i] = in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 4.0f * in[i]);
  }
}

__global__ void heatMixed(int nx, int ny, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    out[y * nx + x] = 0.25 * (in[y * nx + x - 1] + in[y * nx + x + 1] + 2.0 * in[(y - 1) * nx + x]);
}

__global__ void laplace3d(int nx, int ny, int nz, const double *in, double *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= nx - 1 || y >= ny - 1)
    return;
  for (int z = 1; z < nz - 1; ++z) {
    int i = (z * ny + y) * nx + x;
    out[i] =
        in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] - 6.0 * in[i];
  }
}

__global__ void stencil1d(int n, const float *in, float *out) {
  __shared__ float tile[128 + 6];
  int global = blockIdx.x * blockDim.x + threadIdx.x, local = threadIdx.x + 3;
  tile[local] = global < n ? in[global] : 0.0f;
  if (threadIdx.x < 3) {
    tile[local - 3] = global >= 3 ? in[global - 3] : 0.0f;
    tile[local + blockDim.x] = global + blockDim.x < n ? in[global + blockDim.x] : 0.0f;
  }
  __syncthreads();
  if (global < n) {
    float sum = 0;
    for (int offset = -3; offset <= 3; ++offset)
      sum += tile[local + offset];
    out[global] = sum;
  }
}

__constant__ float filter[9];

__global__ void convolution(int width, int height, int radius, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int d = -radius; d <= radius; ++d) {
    int at = min(max(x + d, 0), width - 1);
    sum += in[y * width + at] * filter[d + radius];
  }
  out[y * width + x] = sum;
}

__global__ void convolutionCut(int n, int radius, const float *in, const float *weights, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n)
    return;
  float sum = 0;
  int first = max(x - radius, 0), last = min(x + radius, n - 1);
  for (int i = first; i <= last; ++i)
    sum += in[i] * weights[i - x + radius];
  out[x] = sum;
}

int main() {
  float *f = memory<float>(1 << 16);
  double *d = memory<double>(1 << 16);
  RUN("heat", "nx=64 ny=33", heat, (4, 5), (16, 8), 0, 64, 33, f, f + 4096);
  RUN("heat", "nx=30 ny=100", heat, (4, 5), (16, 8), 0, 30, 100, f, f + 4096);
  RUN("heatMixed", "nx=50 ny=40", heatMixed, (4, 5), (16, 8), 0, 50, 40, f, f + 4096);
  RUN("laplace3d", "nx=20 ny=18 nz=12", laplace3d, (2, 3), (16, 8), 0, 20, 18, 12, d, d + 8192);
  RUN("stencil1d", "n=1000", stencil1d, (8), (128), 0, 1000, f, f + 4096);
  RUN("convolution", "width=40 height=30 radius=4", convolution, (3, 4), (16, 8), 0, 40, 30, 4, f, f + 4096);
  RUN("convolutionCut", "n=100 radius=6", convolutionCut, (4), (32), 0, 100, 6, f, f + 512, f + 1024);
  return finish();
}
