// All values are known, and still there is none.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  cudaMalloc(&d, 400);
  int n = 7;
#pragma streammap task inout(d[0:n / (n - 7)])
  k<<<1, 1>>>(d);
}
