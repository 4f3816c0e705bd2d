// The command line ends before an argument that the program reads.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void k(float *p) { *p = 1; }

int main(int argc, char **argv) {
  float *d;
  cudaMalloc(&d, 4);
  int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) {
#pragma streammap task inout(d)
    k<<<1, 1>>>(d);
  }
}
