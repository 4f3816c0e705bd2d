// A program without main.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

void run(float *p) {
#pragma streammap task inout(p)
  k<<<1, 1>>>(p);
}
