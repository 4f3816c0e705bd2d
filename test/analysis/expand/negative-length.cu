// A length that turns out to be negative, after one of 0, which is an empty section.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  cudaMalloc(&d, 400);
  for (int n = 1; n >= -1; --n) {
#pragma streammap task inout(d[0:n], d[4:2])
    k<<<1, 1>>>(d + 4);
  }
}
