// A pointer that points nowhere.
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <vector>

__global__ void k(float *p) { *p = 1; }
int elsewhere();

int main() {
  float *d;
  cudaMalloc(&d, 400);
  float *p = (float *)0x1234;
#pragma streammap task inout(p[0:1])
  k<<<1, 1>>>(p);
}
