// A stride that turns out to be zero.
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <vector>

__global__ void k(float *p) { *p = 1; }
int elsewhere();

int main() {
  float *d;
  cudaMalloc(&d, 400);
  for (int stride = 2; stride >= 0; --stride) {
#pragma streammap task inout(d[0:2:stride])
    k<<<1, 1>>>(d);
  }
}
