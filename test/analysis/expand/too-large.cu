// An allocation that no device has memory for.
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <vector>

__global__ void k(float *p) { *p = 1; }
int elsewhere();

int main() {
  float *d;
  cudaMalloc(&d, 400);
  float *huge;
  cudaMalloc(&huge, size_t(1) << 50);
#pragma streammap task inout(d)
  k<<<1, 1>>>(d);
}
