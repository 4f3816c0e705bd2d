#include <cuda_runtime.h>
__device__ int target;
__device__ int *pointer = &target;
__global__ void through(int v) { *pointer = v; }
int main() { through<<<1, 1>>>(1); }
