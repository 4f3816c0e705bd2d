// A launch of unknown size is a task all the same; so is one whose arguments are unknown.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void k(float *p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = 1;
}

int main() {
  float *d;
  cudaMalloc(&d, 400);
  int blocks = rand();
#pragma streammap task name(size) inout(d)
  k<<<blocks, 128>>>(d, 100);
  for (int i = 0; i < 2; ++i) {
#pragma streammap task name(argument, i) inout(d)
    k<<<1, 128>>>(d, blocks);
  }
}
