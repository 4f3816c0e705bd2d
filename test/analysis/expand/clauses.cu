// Names, figures, constraints and conditions.
#include <cuda_runtime.h>

__global__ void scale(double *p, double f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] *= f;
}
extern "C" int cublasDscal(int n, double f, double *p);

int main() {
  const int n = 1000;
  double *d;
  cudaMalloc(&d, n * sizeof(double));
  const char *group = "left";
  for (int i = 0; i < 2; ++i) {
#pragma streammap task inout(d[0:n])
    scale<<<(n + 127) / 128, 128>>>(d, 2.0, n);
#pragma streammap task inout(d[0:n]) flops(n) priority(i + 0.5)
    scale<<<(n + 127) / 128, 128>>>(d, 2.0, n);
  }
#pragma streammap task name(library) inout(d[0:n]) flops(2.0 * n) bytes(16 * n) memory(1 << 20)
  cublasDscal(n, 2.0, d);
#pragma streammap task name(timed) inout(d[0:n]) seconds(1e-3)
  cublasDscal(n, 2.0, d);
#pragma streammap task name(where) in(d) device(any) capability(8.0) model("H100", "A100") together(1, group) apart("x") node("n001")
  scale<<<1, 32>>>(d, 1.0, 32);
  for (int i = 0; i < 4; ++i)
#pragma streammap task name(sometimes, i) inout(d[i:1]) when(i % 2 == 0)
    scale<<<1, 1>>>(d + i, 1.0, 1);
#pragma streammap task name(block) inout(d)
  {
    scale<<<1, 32>>>(d, 1.0, 32);
    for (int i = 0; i < 2; ++i)
      scale<<<dim3(2, 3, 4), dim3(8, 2), 64>>>(d, 1.0, 32);
  }
  scale<<<1, 32>>>(d, 1.0, 32);
}
