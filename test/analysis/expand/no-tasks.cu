// The arguments lead past all tasks.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void k(float *p) { *p = 1; }

int main(int argc, char **) {
  if (argc < 2) {
    printf("usage: no-tasks n\n");
    exit(2);
  }
  float *d;
  cudaMalloc(&d, 4);
#pragma streammap task inout(d)
  k<<<1, 1>>>(d);
}
