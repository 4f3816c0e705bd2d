// Two functions that call each other around tasks, without end.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

static void down(float *p);
static void up(float *p) {
#pragma streammap task inout(p)
  k<<<1, 1>>>(p);
  down(p);
}
static void down(float *p) { up(p); }

int main() {
  float *d;
  cudaMalloc(&d, 4);
  up(d);
}
