// Error exits that depend on the world: a run that goes on is assumed, and said where tasks follow.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void k(float *p) { *p = 1; }

static bool work(const char *path, float *d) {
  FILE *file = fopen(path, "r");
  if (!file) {
    fprintf(stderr, "cannot read %s\n", path);
    return false;
  }
  int found = fgetc(file);
#pragma streammap task inout(d)
  k<<<1, 1>>>(d);
  return found == 7;
}

int main() {
  float *d;
  cudaMalloc(&d, 4);
  if (!work("data", d))
    return 1;
  float result;
  cudaMemcpy(&result, d, sizeof result, cudaMemcpyDeviceToHost);
  if (result < 1) {
    printf("wrong\n");
    return 1;
  }
  return 0;
}
