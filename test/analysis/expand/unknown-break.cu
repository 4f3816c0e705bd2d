// An unknown that decides which tasks there are.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  cudaMalloc(&d, 4);
  int stop = rand();
  for (int i = 0; i < 4; ++i) {
    if (i == stop)
      break;
#pragma streammap task inout(d)
    k<<<1, 1>>>(d);
  }
}
