// A section of memory that was never allocated.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d = nullptr;
#pragma streammap task inout(d[0:1])
  k<<<1, 1>>>(d);
}
