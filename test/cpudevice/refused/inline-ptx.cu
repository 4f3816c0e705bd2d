#include <cuda_runtime.h>
__device__ void waitForCopies() {
  asm volatile("cp.async.wait_all;" ::: "memory"); // line 3
}
__global__ void fine(int *p) { *p = 1; }
__global__ void copies(int *p) {
  *p = 2;
  waitForCopies();
}
int main() { fine<<<1, 1>>>(nullptr); copies<<<1, 1>>>(nullptr); }
