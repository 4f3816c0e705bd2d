// Members of variables that are unknown can be set like variables.
// run: --param properties.multiProcessorCount=3 --param Solver::sweeps=2
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void k(float *p) { *p = 1; }

struct Solver {
  float *d = nullptr;
  int sweeps;
  Solver() : sweeps(rand()) { cudaMalloc(&d, 4); }
  void run() {
    for (int s = 0; s < sweeps; ++s) {
#pragma streammap task name(sweep, s) inout(d)
      k<<<1, 1>>>(d);
    }
  }
};

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  float *d;
  cudaMalloc(&d, 4);
  for (int i = 0; i < properties.multiProcessorCount; ++i) {
#pragma streammap task name(k, i) inout(d)
    k<<<1, 1>>>(d);
  }
  Solver().run();
}
