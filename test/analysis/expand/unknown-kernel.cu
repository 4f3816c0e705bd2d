// A launch through a pointer that nobody knows.
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <vector>

__global__ void k(float *p) { *p = 1; }
int elsewhere();

int main() {
  float *d;
  cudaMalloc(&d, 400);
  using Kernel = void (*)(float *);
  Kernel chosen = (Kernel)(size_t)elsewhere();
#pragma streammap task inout(d)
  chosen<<<1, 1>>>(d);
}
