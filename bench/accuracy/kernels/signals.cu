// Transforms, sorting, dynamic programming, physics and finance, written after Rodinia, SHOC, Parboil and the CUDA
// samples.
#include "launch.h"

// One stage of a radix-2 transform of n points: n / 2 butterflies.
__global__ void fftStage(int n, int half, float2 *data) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n / 2)
    return;
  int position = t % half, first = (t / half) * 2 * half + position;
  float s, c;
  sincosf(-3.14159265f * position / half, &s, &c);
  float2 a = data[first], b = data[first + half];
  float2 turned = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
  data[first] = make_float2(a.x + turned.x, a.y + turned.y);
  data[first + half] = make_float2(a.x - turned.x, a.y - turned.y);
}

__global__ void walshStage(int n, int stride, float *data) {
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n / 2; t += blockDim.x * gridDim.x) {
    int low = (t / stride) * 2 * stride + t % stride;
    float a = data[low], b = data[low + stride];
    data[low] = a + b;
    data[low + stride] = a - b;
  }
}

__global__ void dct8(int width, const float *in, float *out) {
  int x = threadIdx.x, y = threadIdx.y;
  const float *block = in + (blockIdx.y * 8) * width + blockIdx.x * 8;
  float sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += block[y * width + k] * cosf((2 * k + 1) * x * 0.19634954f);
  out[(blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x] = sum * 0.5f;
}

__global__ void haar(int n, const float *in, float *low, float *high) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 < n) {
    low[i] = (in[2 * i] + in[2 * i + 1]) * 0.70710678f;
    high[i] = (in[2 * i] - in[2 * i + 1]) * 0.70710678f;
  }
}

// Sums of blocks of 256, up and down a tree (Blelloch).
__global__ void scanTree(const int *in, int *out) {
  __shared__ int tree[256];
  int t = threadIdx.x;
  tree[2 * t] = in[blockIdx.x * 256 + 2 * t];
  tree[2 * t + 1] = in[blockIdx.x * 256 + 2 * t + 1];
  int offset = 1;
  for (int d = 128; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d)
      tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0)
    tree[255] = 0;
  for (int d = 1; d < 256; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1, kept = tree[left];
      tree[left] = tree[right];
      tree[right] += kept;
    }
  }
  __syncthreads();
  out[blockIdx.x * 256 + 2 * t] = tree[2 * t];
  out[blockIdx.x * 256 + 2 * t + 1] = tree[2 * t + 1];
}

__global__ void reduceWarps(int n, const float *in, float *out) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x == 0)
      atomicAdd(out, sum);
  }
}

__global__ void histogramPrivate(int n, const unsigned char *in, unsigned *bins) {
  __shared__ unsigned own[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    own[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    atomicAdd(&bins[b], own[b]);
}

// A block of the matrix of Needleman and Wunsch, diagonal by diagonal.
__global__ void alignBlock(int width, int penalty, const int *score, int *matrix) {
  __shared__ int tile[17][17], reference[16][16];
  int t = threadIdx.x;
  int *corner = matrix + blockIdx.x * 16;
  for (int i = 0; i < 16; ++i)
    reference[i][t] = score[(i + 1) * width + blockIdx.x * 16 + t + 1];
  tile[t + 1][0] = corner[(t + 1) * width];
  tile[0][t + 1] = corner[t + 1];
  if (t == 0)
    tile[0][0] = corner[0];
  __syncthreads();
  for (int m = 0; m < 16; ++m) {
    if (t <= m) {
      int x = t + 1, y = m - t + 1;
      tile[y][x] = max(tile[y - 1][x - 1] + reference[y - 1][x - 1],
                       max(tile[y][x - 1] - penalty, tile[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int m = 14; m >= 0; --m) {
    if (t <= m) {
      int x = t + 16 - m, y = 16 - t;
      tile[y][x] = max(tile[y - 1][x - 1] + reference[y - 1][x - 1],
                       max(tile[y][x - 1] - penalty, tile[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int i = 0; i < 16; ++i)
    corner[(i + 1) * width + t + 1] = tile[i + 1][t + 1];
}

__global__ void pathRow(int columns, const int *wall, const int *from, int *to) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= columns)
    return;
  int best = from[x];
  if (x > 0)
    best = min(best, from[x - 1]);
  if (x < columns - 1)
    best = min(best, from[x + 1]);
  to[x] = wall[x] + best;
}

__global__ void hotspot(int columns, int rows, float cap, const float *power, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows)
    return;
  int left = max(x - 1, 0), right = min(x + 1, columns - 1), up = max(y - 1, 0), down = min(y + 1, rows - 1);
  float here = in[y * columns + x];
  out[y * columns + x] =
      here + cap * (power[y * columns + x] + (in[down * columns + x] + in[up * columns + x] - 2.0f * here) * 0.1f +
                    (in[y * columns + right] + in[y * columns + left] - 2.0f * here) * 0.2f + (80.0f - here) * 0.3f);
}

__global__ void diffusion(int columns, int rows, float q, const float *image, float *coefficient) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows)
    return;
  int left = max(x - 1, 0), right = min(x + 1, columns - 1), up = max(y - 1, 0), down = min(y + 1, rows - 1);
  float here = image[y * columns + x] + 1.0f;
  float n = image[up * columns + x] - here, s = image[down * columns + x] - here;
  float w = image[y * columns + left] - here, e = image[y * columns + right] - here;
  float g = (n * n + s * s + w * w + e * e) / (here * here), l = (n + s + w + e) / here;
  float number = 0.5f * g - l * l / 16.0f, denominator = 1.0f + 0.25f * l;
  float value = 1.0f / (1.0f + (number / (denominator * denominator) - q) / (q * (1.0f + q)));
  coefficient[y * columns + x] = fminf(fmaxf(value, 0.0f), 1.0f);
}

__global__ void kmeansAssign(int points, int clusters, int features, const float *feature, const float *centre,
                             int *member) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= points)
    return;
  int best = 0;
  float least = 1e30f;
  for (int c = 0; c < clusters; ++c) {
    float distance = 0;
    for (int f = 0; f < features; ++f) {
      float d = feature[f * points + p] - centre[c * features + f];
      distance += d * d;
    }
    best = distance < least ? c : best;
    least = fminf(least, distance);
  }
  member[p] = best;
}

__global__ void monteCarlo(int paths, int steps, float drift, float volatility, unsigned seed, float *out) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths)
    return;
  unsigned state = seed ^ (p * 2654435761u);
  float price = 100.0f;
  for (int s = 0; s < steps; ++s) {
    state = state * 1664525u + 1013904223u;
    float uniform = (state >> 8) * 5.9604645e-8f;
    price *= expf(drift + volatility * (uniform - 0.5f));
  }
  out[p] = price;
}

__global__ void binomial(int options, int steps, const float *strike, float *out) {
  extern __shared__ float value[];
  int t = threadIdx.x;
  for (int i = t; i <= steps; i += blockDim.x)
    value[i] = fmaxf(100.0f * expf(0.01f * (2 * i - steps)) - strike[blockIdx.x], 0.0f);
  __syncthreads();
  for (int level = steps; level > 0; --level) {
    float next = 0;
    if (t < level)
      next = 0.5f * value[t] + 0.49f * value[t + 1];
    __syncthreads();
    if (t < level)
      value[t] = next;
    __syncthreads();
  }
  if (t == 0 && blockIdx.x < options)
    out[blockIdx.x] = value[0];
}

__global__ void fieldUpdate(int nx, int ny, const float *hz, float *ey) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < ny && x < nx && y > 0)
    ey[y * nx + x] -= 0.5f * (hz[y * nx + x] - hz[(y - 1) * nx + x]);
}

__global__ void stencil27(int nx, int ny, int nz, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int z = blockIdx.z + 1;
  if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
    return;
  float sum = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        sum += in[((z + dz) * ny + y + dy) * nx + x + dx];
  out[(z * ny + y) * nx + x] = sum / 27.0f;
}

__global__ void imageReconstruction(int samples, int pixels, const float *kx, const float *x, const float *phase,
                                    float *real, float *imaginary) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pixels)
    return;
  float re = 0, im = 0;
  for (int s = 0; s < samples; ++s) {
    float angle = 6.2831853f * kx[s] * x[p];
    re += phase[s] * cosf(angle);
    im += phase[s] * sinf(angle);
  }
  real[p] = re;
  imaginary[p] = im;
}

__global__ void backprop(int in, int hidden, const float *delta, const float *layer, float *weight, float *momentum) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < in && column < hidden) {
    float change = 0.3f * delta[column] * layer[row] + 0.3f * momentum[row * hidden + column];
    weight[row * hidden + column] += change;
    momentum[row * hidden + column] = change;
  }
}

__global__ void nearest(int n, float latitude, float longitude, const float2 *place, float *distance) {
  int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
  if (i < n) {
    float2 p = place[i];
    distance[i] = sqrtf((latitude - p.x) * (latitude - p.x) + (longitude - p.y) * (longitude - p.y));
  }
}

int main() {
  float *f = memory<float>(1 << 17);
  int *i = memory<int>(1 << 14);
  unsigned char *bytes = memory<unsigned char>(1 << 14);
  RUN("fftStage", "n=512 half=8", fftStage, (2), (128), 0, 512, 8, (float2 *)f);
  RUN("walshStage", "n=1024 stride=4", walshStage, (2), (128), 0, 1024, 4, f);
  RUN("dct8", "width=32", dct8, (4, 3), (8, 8), 0, 32, f, f + 4096);
  RUN("haar", "n=1001", haar, (8), (64), 0, 1001, f, f + 4096, f + 8192);
  RUN("scanTree", "", scanTree, (3), (128), 0, i, i + 4096);
  RUN("reduceWarps", "n=3000", reduceWarps, (4), (256), 0, 3000, f, f + 4096);
  RUN("histogramPrivate", "n=3000", histogramPrivate, (4), (128), 0, 3000, bytes, (unsigned *)i);
  RUN("alignBlock", "width=65 penalty=10", alignBlock, (3), (16), 0, 65, 10, i, i + 4096);
  RUN("pathRow", "columns=1000", pathRow, (8), (128), 0, 1000, i, i + 2048, i + 4096);
  RUN("hotspot", "columns=50 rows=30", hotspot, (4, 4), (16, 8), 0, 50, 30, 0.5f, f, f + 4096, f + 8192);
  RUN("diffusion", "columns=50 rows=30", diffusion, (4, 4), (16, 8), 0, 50, 30, 0.05f, f, f + 4096);
  RUN("kmeansAssign", "points=200 clusters=5 features=8", kmeansAssign, (2), (128), 0, 200, 5, 8, f, f + 4096, i);
  RUN("monteCarlo", "paths=100 steps=20 seed=7", monteCarlo, (1), (128), 0, 100, 20, 0.01f, 0.2f, 7u, f);
  RUN("binomial", "options=3 steps=60", binomial, (3), (64), 61 * sizeof(float), 3, 60, f, f + 4096);
  RUN("fieldUpdate", "nx=50 ny=30", fieldUpdate, (4, 4), (16, 8), 0, 50, 30, f, f + 4096);
  RUN("stencil27", "nx=20 ny=12 nz=6", stencil27, (2, 2, 4), (16, 8), 0, 20, 12, 6, f, f + 4096);
  RUN("imageReconstruction", "samples=30 pixels=100", imageReconstruction, (1), (128), 0, 30, 100, f, f + 4096,
      f + 8192, f + 16384, f + 32768);
  RUN("backprop", "in=20 hidden=17", backprop, (2, 2), (16, 16), 0, 20, 17, f, f + 4096, f + 8192, f + 16384);
  RUN("nearest", "n=500", nearest, (2, 3), (128), 0, 500, 1.0f, 2.0f, (float2 *)f, f + 4096);
  return finish();
}
