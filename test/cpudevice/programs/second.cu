static __device__ int offset = 200;
static __global__ void kernel(int *out) { out[threadIdx.x] = 2 * threadIdx.x + offset; }
namespace {
__global__ void hidden(int *out) { *out = 2; }
} // namespace

void runSecond(int *out) { kernel<<<1, 4>>>(out); }
void runSecondHidden(int *out) { hidden<<<1, 1>>>(out); }
