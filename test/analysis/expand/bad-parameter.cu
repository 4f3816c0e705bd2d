// run: --param n=10.5
// A value that the variable cannot hold.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  cudaMalloc(&d, 400);
  int n = 3;
#pragma streammap task inout(d[0:n])
  k<<<1, 1>>>(d);
}
