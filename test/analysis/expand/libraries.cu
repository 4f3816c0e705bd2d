// Tasks that call NVIDIA's libraries: their work comes from the arguments.
#include <cuda_runtime.h>

typedef int Status;
typedef struct Context *Handle;
enum Side { left, right };
typedef struct Generator *Random;
extern "C" {
Status cublasCreate_v2(Handle *);
Status cublasSetStream_v2(Handle, cudaStream_t);
Status cublasDgemm_v2(Handle, int, int, int m, int n, int k, const double *, const double *, int, const double *, int,
                      const double *, double *, int);
Status cublasDtrsm_v2(Handle, Side, int, int, int, int m, int n, const double *, const double *, int, double *, int);
Status cublasSaxpy_v2(Handle, int n, const float *, const float *, int, float *, int);
Status cusolverDnDpotrf(Handle, int, int n, double *, int, double *, int, int *);
Status cufftPlan1d(int *plan, int n, int type, int batch);
Status cufftExecC2C(int plan, float2 *, float2 *, int);
Status curandGenerateUniform(Random, float *, size_t n);
Status cusparseSpMV(Handle, int, const double *, double *);
}

int main() {
  const int n = 100;
  double *a, one = 1;
  float2 *signal;
  cudaMalloc(&a, n * n * sizeof(double));
  cudaMalloc(&signal, 1024 * 4 * sizeof(float2));
  Handle handle;
  cublasCreate_v2(&handle);
  int plan;
  cufftPlan1d(&plan, 1024, 0x29, 4);
#pragma streammap task name(gemm) inout(a)
  {
    cublasSetStream_v2(handle, 0);
    cublasDgemm_v2(handle, 0, 0, n, 50, 20, &one, a, n, a, n, &one, a, n);
  }
#pragma streammap task name(trsm) inout(a)
  cublasDtrsm_v2(handle, right, 0, 0, 0, 10, 30, &one, a, n, a, n);
#pragma streammap task name(potrf) inout(a)
  cusolverDnDpotrf(handle, 0, 60, a, n, a, 0, nullptr);
#pragma streammap task name(axpy) inout(a)
  cublasSaxpy_v2(handle, 64, nullptr, (float *)a, 1, (float *)a, 1);
#pragma streammap task name(transform) inout(signal)
  cufftExecC2C(plan, signal, signal, -1);
#pragma streammap task name(random) out(signal)
  curandGenerateUniform(nullptr, (float *)signal, 256);
#pragma streammap task name(clear) out(a)
  cudaMemset(a, 0, n * 8);
#pragma streammap task name(move) inout(a)
  cudaMemcpy(a, a + n, 400, cudaMemcpyDeviceToDevice);
#pragma streammap task name(sparse) inout(a)
  cusparseSpMV(handle, 0, a, a);
#pragma streammap task name(stated) inout(a) flops(10)
  cusparseSpMV(handle, 0, a, a);
}
