// Built with access checks: the runtime asks our checker about every global access of the kernels.
#include "../../../runtime/cpu/ModuleAbi.h"
#include "check.h"

__global__ void shift(int n, const int *in, int *out) {
  __shared__ int copy[64];
  int i = threadIdx.x, mine[2] = {i, i + 1};
  copy[i] = in[mine[i & 1] - (i & 1)];
  __syncthreads();
  if (i < n)
    out[i + 1] = copy[i]; // writes one further than n
}

struct Allowed {
  const char *begin, *end;
  int asked = 0;
};

const char *check(void *context, const void *address, size_t size, int isWrite) {
  Allowed &allowed = *static_cast<Allowed *>(context);
  __atomic_fetch_add(&allowed.asked, 1, __ATOMIC_RELAXED);
  const char *at = static_cast<const char *>(address);
  const bool inside = at >= allowed.begin && at + size <= allowed.end;
  return !isWrite || inside ? nullptr : "outside what may be written";
}

int main() {
  Buffer<int> in(64, 5), out(66);
  Allowed allowed{reinterpret_cast<char *>(out.device), reinterpret_cast<char *>(out.device + 33)};
  smcpuCheckAccesses(check, &allowed);
  shift<<<1, 64>>>(32, in.device, out.device);
  CUDA(cudaDeviceSynchronize());
  CHECK(allowed.asked == 64 + 32);
  CHECK(out.read()[32] == 5);
  shift<<<1, 64>>>(33, in.device, out.device);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  return finish("accesses");
}
