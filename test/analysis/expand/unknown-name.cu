// An index in a name that nobody knows.
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <vector>

__global__ void k(float *p) { *p = 1; }
int elsewhere();

int main() {
  float *d;
  cudaMalloc(&d, 400);
  int index = elsewhere();
#pragma streammap task name(k, index) inout(d)
  k<<<1, 1>>>(d);
}
