// A program that leaves before its first task says where.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void k(float *p) { *p = 1; }

int main(int argc, char **argv) {
  if (argc < 2) {
    std::printf("usage: %s size\n", argv[0]);
    return 2;
  }
  float *d;
  cudaMalloc(&d, 400);
#pragma streammap task inout(d[0:1])
  k<<<1, 1>>>(d);
}
