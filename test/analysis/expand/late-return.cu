// A return that depends on an unknown matters only if a task follows it.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void k(float *p) { *p = 1; }

static int measure(float *d, int i) {
#pragma streammap task name(k, i) inout(d)
  k<<<1, 1>>>(d);
  float result;
  cudaMemcpy(&result, d, sizeof result, cudaMemcpyDeviceToHost);
  if (result > 1)
    return 1;
  for (int j = 0; j < 3; ++j)
    if (result > j)
      break;
  printf("%d\n", i);
  return 0;
}

int main() {
  float *d;
  cudaMalloc(&d, 4);
  int failures = 0;
  for (int i = 0; i < 2; ++i)
    failures += measure(d, i);
  return failures;
}
