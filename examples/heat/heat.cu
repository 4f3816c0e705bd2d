// The heat equation on a square plate, cut into tiles that exchange halos every step.
//
//   heat [tiles-per-side] [tile-size] [steps]          default: 4 x 4 tiles of 32 x 32, 20 steps
//
// Every tile has its own pair of arrays with a border one cell wide. A step is one task per tile; before it, one
// small task per side copies the neighbour's edge into the border: a row is contiguous, a column is strided.
// Scheme: explicit Euler, five-point stencil, c = dt/dx^2 = 0.2 (stable below 0.25).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CUDA_CHECK(call)                                                                                     \
  do {                                                                                                       \
    cudaError_t error = (call);                                                                              \
    if (error != cudaSuccess) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));         \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

/// One explicit step on the inside of a tile of `size` x `size` cells with a border of one.
__global__ void step(const double *now, double *next, int size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < size && y < size) {
    int pitch = size + 2;
    int i = (y + 1) * pitch + x + 1;
    next[i] = now[i] + 0.2 * (now[i - 1] + now[i + 1] + now[i - pitch] + now[i + pitch] - 4.0 * now[i]);
  }
}

/// Copies `count` cells, `stride` apart in both arrays.
__global__ void copyEdge(const double *from, double *to, int count, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i * stride] = from[i * stride];
}

struct Tile {
  double *now;
  double *next;
};

/// One edge of a tile of pitch p: where it is read inside the neighbour and where it is written in the border.
static void exchange(std::vector<Tile> &tiles, int side, int size) {
  const int pitch = size + 2;
  const int grid = (size + 63) / 64;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const int here = y * side + x;
      if (y > 0) {
        const int north = here - side;
#pragma streammap task name(north, x, y) in(tiles[north].now[size * pitch + 1 : size]) out(tiles[here].now[1 : size])
        copyEdge<<<grid, 64>>>(tiles[north].now + size * pitch + 1, tiles[here].now + 1, size, 1);
      }
      if (y + 1 < side) {
        const int south = here + side;
#pragma streammap task name(south, x, y) in(tiles[south].now[pitch + 1 : size]) \
    out(tiles[here].now[(size + 1) * pitch + 1 : size])
        copyEdge<<<grid, 64>>>(tiles[south].now + pitch + 1, tiles[here].now + (size + 1) * pitch + 1, size, 1);
      }
      if (x > 0) {
        const int west = here - 1;
#pragma streammap task name(west, x, y) in(tiles[west].now[pitch + size : size : pitch]) \
    out(tiles[here].now[pitch : size : pitch])
        copyEdge<<<grid, 64>>>(tiles[west].now + pitch + size, tiles[here].now + pitch, size, pitch);
      }
      if (x + 1 < side) {
        const int east = here + 1;
#pragma streammap task name(east, x, y) in(tiles[east].now[pitch + 1 : size : pitch]) \
    out(tiles[here].now[pitch + size + 1 : size : pitch])
        copyEdge<<<grid, 64>>>(tiles[east].now + pitch + 1, tiles[here].now + pitch + size + 1, size, pitch);
      }
    }
}

/// A hot square in the middle of a cold plate.
static double initial(int row, int column, int n) {
  return row >= n / 4 && row < 3 * n / 4 && column >= n / 4 && column < 3 * n / 4 ? 100.0 : 0.0;
}

/// The same scheme on the host, on one undivided plate with a border of zeros.
static std::vector<double> reference(int n, int steps) {
  const int pitch = n + 2;
  std::vector<double> now(static_cast<size_t>(pitch) * pitch), next(now.size());
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column)
      now[(row + 1) * pitch + column + 1] = initial(row, column, n);
  for (int t = 0; t < steps; ++t) {
    for (int row = 1; row <= n; ++row)
      for (int column = 1; column <= n; ++column) {
        const int i = row * pitch + column;
        next[i] = now[i] + 0.2 * (now[i - 1] + now[i + 1] + now[i - pitch] + now[i + pitch] - 4.0 * now[i]);
      }
    std::swap(now, next);
  }
  return now;
}

int main(int argc, char *argv[]) {
  const int side = argc > 1 ? std::atoi(argv[1]) : 4;
  const int size = argc > 2 ? std::atoi(argv[2]) : 32;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 20;
  if (side < 1 || size < 1 || steps < 0) {
    std::fprintf(stderr, "usage: heat [tiles-per-side] [tile-size] [steps]\n");
    return 2;
  }
  const int pitch = size + 2;
  const int cells = pitch * pitch;
  const int n = side * size;

  std::vector<Tile> tiles(side * side);
  std::vector<double> host(cells);
  for (int t = 0; t < side * side; ++t) {
    CUDA_CHECK(cudaMalloc(&tiles[t].now, cells * sizeof(double)));
    CUDA_CHECK(cudaMalloc(&tiles[t].next, cells * sizeof(double)));
    for (int i = 0; i < cells; ++i)
      host[i] = 0;
    for (int row = 0; row < size; ++row)
      for (int column = 0; column < size; ++column)
        host[(row + 1) * pitch + column + 1] = initial(t / side * size + row, t % side * size + column, n);
    CUDA_CHECK(cudaMemcpy(tiles[t].now, host.data(), cells * sizeof(double), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(tiles[t].next, 0, cells * sizeof(double)));
  }

  const dim3 block(16, 16);
  const dim3 grid((size + 15) / 16, (size + 15) / 16);
  for (int t = 0; t < steps; ++t) {
    exchange(tiles, side, size);
    for (int i = 0; i < side * side; ++i) {
#pragma streammap task name(step, i % side, i / side, t) in(tiles[i].now[0 : cells]) \
    out(([pitch][pitch])tiles[i].next[1 : size][1 : size])
      step<<<grid, block>>>(tiles[i].now, tiles[i].next, size);
    }
    for (Tile &tile : tiles)
      std::swap(tile.now, tile.next);
  }
#pragma streammap wait

  const std::vector<double> expected = reference(n, steps);
  double worst = 0, corner = 0; // the square's corner, where heat leaves it fastest
  for (int t = 0; t < side * side; ++t) {
    CUDA_CHECK(cudaMemcpy(host.data(), tiles[t].now, cells * sizeof(double), cudaMemcpyDeviceToHost));
    for (int row = 0; row < size; ++row)
      for (int column = 0; column < size; ++column) {
        const double value = host[(row + 1) * pitch + column + 1];
        const int globalRow = t / side * size + row, globalColumn = t % side * size + column;
        worst = std::fmax(worst, std::fabs(value - expected[(globalRow + 1) * (n + 2) + globalColumn + 1]));
        if (globalRow == n / 4 && globalColumn == n / 4)
          corner = value;
      }
    CUDA_CHECK(cudaFree(tiles[t].now));
    CUDA_CHECK(cudaFree(tiles[t].next));
  }
#pragma streammap root
  std::printf("heat: %d x %d tiles of %d, %d steps, corner at %.9f, %s\n", side, side, size, steps,
              corner, worst < 1e-10 ? "verified" : "WRONG");
  return worst < 1e-10 ? 0 : 1;
}
