// A figure in a clause that nobody knows.
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <vector>

__global__ void k(float *p) { *p = 1; }
int elsewhere();

int main() {
  float *d;
  cudaMalloc(&d, 400);
#pragma streammap task inout(d) flops(elsewhere())
  k<<<1, 1>>>(d);
}
