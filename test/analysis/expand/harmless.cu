// Unknown values that decide nothing about tasks: files, clocks, random numbers, long loops, results of kernels.
#include <cuda_runtime.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

__global__ void k(double *p, int n) {
  if (threadIdx.x < n)
    p[threadIdx.x] = n;
}

static double energy(const std::vector<double> &v) {
  double sum = 0;
  for (double x : v) {
    if (x > 1e9)
      return -1;
    sum += x * x;
  }
  return sum;
}
static int rounds(int limit) {
  int count = 0;
  while (rand() % 100 < limit)
    ++count;
  return count;
}

int main() {
  const int n = 100 * 1000 * 1000;
  srand(time(nullptr));
  std::vector<double> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = std::sin(i) * rand() / RAND_MAX;
  auto start = std::chrono::steady_clock::now();
  double *d;
  int tasks = 3;
  cudaMalloc(&d, n * sizeof(double));
  cudaMemcpy(d, host.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  if (rounds(50) > 3)
    printf("many\n");
  int seen = 0;
  if (getenv("VERBOSE")) {
    printf("%d\n", tasks);
    seen = 1;
  } else {
    seen = 2;
  }
  for (int i = 0; i < tasks; ++i)
#pragma streammap task name(k, i) inout(d[i * 10:10])
    k<<<1, 32>>>(d + i * 10, 10);
#pragma streammap wait
  cudaMemcpy(host.data(), d, n * sizeof(double), cudaMemcpyDeviceToHost);
  double total = energy(host);
  int good = 0;
  for (int i = 0; i < n; ++i)
    good += host[i] > 0;
  if (total < 0)
    exit(1);
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  printf("%d %d %f %f\n", seen, good, total, elapsed.count());
  if (good == n)
    printf("all\n");
#pragma streammap task name(last, host.size() / 1000000) in(d)
  k<<<1, 32>>>(d, 1);
}
