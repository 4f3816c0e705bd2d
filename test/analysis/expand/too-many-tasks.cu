// run: --max-tasks 100
// A loop around a task that never ends.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  cudaMalloc(&d, 400);
  while (true) {
#pragma streammap task inout(d[0:1])
    k<<<1, 1>>>(d);
  }
}
