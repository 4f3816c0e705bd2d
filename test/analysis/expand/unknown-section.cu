// A section whose length is unknown: read from the device.
#include <cuda_runtime.h>

__global__ void k(float *p) { *p = 1; }

int main() {
  float *d;
  int *count, length;
  cudaMalloc(&d, 400);
  cudaMalloc(&count, sizeof(int));
  cudaMemcpy(&length, count, sizeof(int), cudaMemcpyDeviceToHost);
#pragma streammap task inout(d[0:length])
  k<<<1, 1>>>(d);
}
