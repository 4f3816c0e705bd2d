// Recursion around tasks that does not end.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

static void again(float *p, int i) {
#pragma streammap task inout(p)
  k<<<1, 1>>>(p);
  again(p, i + 1);
}

int main() {
  float *d;
  cudaMalloc(&d, 4);
  again(d, 0);
}
