// Every form of a section, as the bytes it names.
// run: --arg 3
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void k(const void *p) {}

struct Plan {
  double *buffer;
  int count;
};
struct Options {
  int a, b;
};

int main(int argc, char **argv) {
  int n = atoi(argv[1]), result;
  float *a;
  void *raw;
  double(*rows)[8];
  int *managed;
  cudaMalloc(&a, 400);
  cudaMalloc(&raw, 128);
  cudaMalloc(&rows, 4 * sizeof *rows);
  cudaMallocManaged(&managed, 64);
  Plan plan[2];
  for (Plan &one : plan) {
    one.count = 5 + (&one - plan);
    cudaMalloc(&one.buffer, one.count * sizeof(double));
  }
  static float fixed[10];
  float grid[4][6] = {};
  Options options{1, 2};
  size_t pitch;
  char *pitched;
  cudaMallocPitch(&pitched, &pitch, 100, 3);
#pragma streammap task name(whole) in(a, raw, managed)
  k<<<1, 1>>>(a);
#pragma streammap task name(range, n) in(a[n:10], a[50:], a[:3])
  k<<<1, 1>>>(a);
#pragma streammap task name(strided) in(a[1:5:4]) out(a[0:100:1])
  k<<<1, 1>>>(a);
#pragma streammap task name(offset) in((a + 10)[-2:4])
  k<<<1, 1>>>(a);
#pragma streammap task name(shaped) in(([10][10])a[2:3][4:2]) out(([10][10])a) inout(([10][10])a[0:10][9])
  k<<<1, 1>>>(a);
#pragma streammap task name(rows) in(rows[1:2][3:4]) out(rows[0])
  k<<<1, 1>>>(rows);
#pragma streammap task name(members) in(plan[1].buffer[0:plan[1].count]) out(plan[0].buffer)
  k<<<1, 1>>>(plan[0].buffer);
#pragma streammap task name(objects) in(options, fixed, grid[1:2][0:3]) out(result)
  k<<<1, 1>>>(a);
#pragma streammap task name(host) in(fixed[2:4]) out(managed[n])
  k<<<1, 1>>>(managed);
#pragma streammap task name(pitched, pitch) in(pitched)
  k<<<1, 1>>>(pitched);
#pragma streammap task name(empty) in(a[0:0])
  k<<<1, 1>>>(a);
}
