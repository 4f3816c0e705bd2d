#include <cuda_runtime.h>
__device__ __noinline__ int descend(int n) {
  __syncthreads();
  return n == 0 ? 0 : 1 + descend(n - 1) * 2;
}
__global__ void recursive(int n, int *out) { out[threadIdx.x] = descend(n); }
int main() { recursive<<<1, 32>>>(3, nullptr); }
