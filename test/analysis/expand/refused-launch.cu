// Launches that CUDA refuses on every device: they do nothing.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  cudaMalloc(&d, 400);
  for (int n = 0; n < 2; ++n) {
#pragma streammap task inout(d[0:1])
    k<<<n, 32>>>(d);
  }
#pragma streammap task inout(d[0:1])
  k<<<1, dim3(64, 32)>>>(d);
#pragma streammap task inout(d[0:1])
  k<<<1, 4096>>>(d);
}
