// A bound that no memory reaches.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  cudaMalloc(&d, 400);
  long long far = 0x7fffffffffffffff;
#pragma streammap task inout(d[far:far])
  k<<<1, 1>>>(d);
}
