// An array of variable length on the stack.
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <vector>

__global__ void k(float *p) { *p = 1; }
int elsewhere();

int main() {
  float *d;
  cudaMalloc(&d, 400);
  int n = 5;
  int sizes[n];
  sizes[0] = 1;
#pragma streammap task name(k, sizes[0]) inout(d)
  k<<<1, 1>>>(d);
}
