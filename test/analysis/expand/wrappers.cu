// The common style of existing programs: macros, wrappers in another file, out-parameters, swapped pointers.
// with: wrappers-kernels.cu
// run: --arg 2
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <utility>

void allocate(float **pointer, int count);
float *allocateAndReturn(int count);
void launch(float *to, const float *from, int n, cudaStream_t stream);
extern int defaultSize;

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t status = (call);                                                                             \
    if (status != cudaSuccess) {                                                                             \
      fprintf(stderr, "%s\n", cudaGetErrorString(status));                                                   \
      exit(EXIT_FAILURE);                                                                                    \
    }                                                                                                        \
  } while (0)

int main(int argc, char **argv) {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices == 0)
    return 1;
  CHECK(cudaSetDevice(0));
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  const int n = defaultSize;
  float *now, *next, *scratch;
  CHECK(cudaMalloc((void **)&now, n * sizeof(float)));
  allocate(&next, n);
  scratch = allocateAndReturn(n);
  float *host = (float *)malloc(n * sizeof(float));
  for (int i = 0; i < n; ++i)
    host[i] = i;
  CHECK(cudaMemcpy(now, host, n * sizeof(float), cudaMemcpyHostToDevice));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int t = 0; t < steps; ++t) {
#pragma streammap task name(step, t) in(now[0:n]) out(next[0:n])
    launch(next, now, n, stream);
#pragma streammap task name(keep, t) in(next) out(scratch)
    launch(scratch, next, n, stream);
    std::swap(now, next);
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaMemcpy(host, now, n * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i];
#pragma streammap root
  printf("%f\n", sum);
  if (sum < 0) {
    fprintf(stderr, "wrong\n");
    return 1;
  }
  free(host);
  CHECK(cudaFree(now));
  CHECK(cudaFree(next));
  return sum > 10 ? 0 : 1;
}
