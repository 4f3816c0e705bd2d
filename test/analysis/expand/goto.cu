// goto is not followed.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  cudaMalloc(&d, 4);
again:
#pragma streammap task inout(d)
  k<<<1, 1>>>(d);
  goto again;
}
