// Half precision and CUB: mostly inline PTX of the toolkit's headers, several instructions with registers each.
#include "check.h"
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(const float *x, float *out) {
  int i = threadIdx.x;
  __half a = __float2half(x[i]);
  __half2 pair = __halves2half2(a, __hneg(a));
  pair = __hfma2(pair, pair, pair);        // x^2 + x, x^2 - x
  out[i] = __half2float(__low2half(pair)); // exact: x has few bits
  out[32 + i] = __high2float(pair);
  out[64 + i] = __hgt(a, __float2half(1.0f)) ? 1.0f : 0.0f;
  out[96 + i] = float(a * a + a - __float2half(0.5f));
  out[128 + i] = __half2float(hexp(a));
  __nv_bfloat16 b = __float2bfloat16(x[i]);
  out[160 + i] = __bfloat162float(__hadd(b, b));
}

__global__ void blockWide(const int *in, int *sums, int *scanned) {
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Reduce::TempStorage reduceStorage;
  __shared__ typename Scan::TempStorage scanStorage;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = Reduce(reduceStorage).Sum(in[i]);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
  int value = in[i];
  Scan(scanStorage).InclusiveSum(value, value);
  scanned[i] = value;
}

__global__ void predicated(const int *in, int *out) {
  int result;
  asm("{\n"
      "  .reg .pred p;\n"
      "  .reg .b32 t;\n"
      "  setp.lt.s32 p, %1, 10;   // small values only\n"
      "  mov.b32 t, 0x64;\n"
      "  @p add.s32 t, t, %1;\n"
      "  @!p sub.s32 t, t, %1;\n"
      "  selp.b32 %0, t, -1, p;\n"
      "}"
      : "=r"(result)
      : "r"(in[threadIdx.x]));
  asm("add.s32 %0, %0, 1;" : "+r"(result));
  out[threadIdx.x] = result;
}

int main() {
  std::vector<float> x(32);
  for (int i = 0; i < 32; ++i)
    x[i] = i * 0.0625f;
  Buffer<float> in(x), out(192);
  halves<<<1, 32>>>(in.device, out.device);
  out.read();
  for (int i = 0; i < 32; ++i) {
    CHECK(out.host[i] == x[i] * x[i] + x[i]);
    CHECK(out.host[32 + i] == x[i] * x[i] - x[i]);
    CHECK(out.host[64 + i] == (x[i] > 1 ? 1.0f : 0.0f));
    CHECK(out.host[96 + i] == x[i] * x[i] + x[i] - 0.5f);
    CHECK(std::fabs(out.host[128 + i] - std::exp(x[i])) < 2e-3f * std::exp(x[i]));
    CHECK(out.host[160 + i] == 2 * x[i]);
  }
  std::vector<int> values(512);
  for (int i = 0; i < 512; ++i)
    values[i] = i * 7 % 23;
  Buffer<int> numbers(values), sums(4), scanned(512);
  blockWide<<<4, 128>>>(numbers.device, sums.device, scanned.device);
  sums.read(), scanned.read();
  for (int b = 0; b < 4; ++b) {
    int sum = 0;
    for (int t = 0; t < 128; ++t) {
      sum += values[b * 128 + t];
      CHECK(scanned.host[b * 128 + t] == sum);
    }
    CHECK(sums.host[b] == sum);
  }
  Buffer<int> result(32);
  predicated<<<1, 32>>>(numbers.device, result.device);
  result.read();
  for (int t = 0; t < 32; ++t)
    CHECK(result.host[t] == (values[t] < 10 ? 101 + values[t] : 0));
  return finish("half");
}
