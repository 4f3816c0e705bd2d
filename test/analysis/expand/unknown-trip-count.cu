// An unknown that decides which tasks there are.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  cudaMalloc(&d, 4);
  int n = getenv("N") ? 4 : rand();
  for (int i = 0; i < n; ++i) {
#pragma streammap task inout(d)
    k<<<1, 1>>>(d);
  }
}
