// A section that does not lie in its allocation.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  cudaMalloc(&d, 400);
  for (int i = 0; i < 3; ++i) {
#pragma streammap task inout(d[i * 40:40])
    k<<<1, 1>>>(d + i * 40);
  }
}
