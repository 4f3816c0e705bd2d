// A figure that turns out to be no amount.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  cudaMalloc(&d, 400);
  double unit = 0;
  for (int n = 1; n >= 0; --n) {
#pragma streammap task inout(d[0:1]) seconds(n / (unit + n))
    k<<<1, 1>>>(d);
  }
}
