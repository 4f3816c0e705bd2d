// A return that depends on an unknown, and a task behind it.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void k(float *p) { *p = 1; }

static bool step(float *d) {
  float result;
  cudaMemcpy(&result, d, sizeof result, cudaMemcpyDeviceToHost);
  if (result > 1)
    return true;
#pragma streammap task inout(d)
  k<<<1, 1>>>(d);
  return false;
}

int main() {
  float *d;
  cudaMalloc(&d, 4);
  step(d);
}
