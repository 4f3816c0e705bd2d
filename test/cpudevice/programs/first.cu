// With second.cu: equal names of static kernels and variables in two translation units.
#include "check.h"

static __device__ int offset = 100;
static __global__ void kernel(int *out) { out[threadIdx.x] = threadIdx.x + offset; }
namespace {
__global__ void hidden(int *out) { *out = 1; }
} // namespace

void runSecond(int *out);
void runSecondHidden(int *out);

int main() {
  Buffer<int> out(4);
  kernel<<<1, 4>>>(out.device);
  CHECK(out.read()[3] == 103);
  runSecond(out.device);
  CHECK(out.read()[3] == 206);
  hidden<<<1, 1>>>(out.device);
  CHECK(out.read()[0] == 1);
  runSecondHidden(out.device);
  CHECK(out.read()[0] == 2);
  return finish("two units");
}
