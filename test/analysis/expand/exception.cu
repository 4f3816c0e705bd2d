// An exception that nobody catches ends the program; one that is caught does not.
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <vector>

__global__ void k(float *p) { *p = 1; }
int elsewhere();

int main() {
  float *d;
  cudaMalloc(&d, 400);
  try {
    std::vector<int>(3).at(5) = 1;
  } catch (const std::out_of_range &) {
#pragma streammap task name(caught) inout(d)
    k<<<1, 1>>>(d);
  }
  throw std::runtime_error("end");
#pragma streammap task name(never) inout(d)
  k<<<1, 1>>>(d);
}
