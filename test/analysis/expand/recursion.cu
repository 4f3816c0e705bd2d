// Recursion around tasks: bounded as in a divide-and-conquer program.
// run: --arg 3
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void leaf(float *p, int n) { *p = n; }
__global__ void merge(float *p, int n) { *p = n; }

static void solve(float *p, int n, int depth) {
  if (depth == 0) {
#pragma streammap task out(p[0:n])
    leaf<<<1, 32>>>(p, n);
    return;
  }
  solve(p, n / 2, depth - 1);
  solve(p + n / 2, n / 2, depth - 1);
#pragma streammap task inout(p[0:n])
  merge<<<1, 32>>>(p, n);
}

int main(int, char **argv) {
  float *d;
  cudaMalloc(&d, 64 * sizeof(float));
  solve(d, 64, atoi(argv[1]));
}
