// Warp operations: shuffles, votes, matches, reductions, active lanes, partial warps, cooperative groups.
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void shuffles(int *out) {
  int t = threadIdx.x, lane = t & 31;
  out[t] = __shfl_sync(~0u, lane * 10, 5);
  out[64 + t] = __shfl_up_sync(~0u, lane, 3);
  out[128 + t] = __shfl_down_sync(~0u, lane, 7);
  out[192 + t] = __shfl_xor_sync(~0u, lane, 9);
  out[256 + t] = __shfl_sync(~0u, lane, 2, 8);
  out[320 + t] = __shfl_down_sync(~0u, lane, 3, 16);
  out[384 + t] = int(2 * __shfl_xor_sync(~0u, lane * 0.5, 1));           // double
  out[448 + t] = int(__shfl_sync(~0u, (1ll << 40) + lane, 31) - (1ll << 40)); // 64 bits
}

__global__ void warpSum(const float *in, float *out) {
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_down_sync(0xffffffffu, v, offset);
  __shared__ float partial[32];
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.f;
    for (int offset = 16; offset > 0; offset /= 2)
      v += __shfl_down_sync(0xffffffffu, v, offset);
    if (threadIdx.x == 0)
      out[blockIdx.x] = v;
  }
}

__global__ void votes(unsigned *out) {
  unsigned lane = threadIdx.x;
  out[lane] = __ballot_sync(~0u, lane % 3 == 0);
  out[32 + lane] = __any_sync(~0u, lane == 31) + 2 * __any_sync(~0u, lane == 32);
  out[64 + lane] = __all_sync(~0u, lane < 32) + 2 * __all_sync(~0u, lane < 31);
  out[96 + lane] = __match_any_sync(~0u, lane / 4);
  int all;
  out[128 + lane] = __match_all_sync(~0u, 17, &all) * unsigned(all);
  out[160 + lane] = __reduce_add_sync(~0u, lane);
  out[192 + lane] = __reduce_max_sync(~0u, lane) * 100 + __reduce_min_sync(~0u, lane + 3);
  __syncwarp();
}

// Halves of a warp run different code with their own masks, then meet again.
__global__ void divergent(int *out) {
  int lane = threadIdx.x, result = 0;
  if (lane < 16) {
    for (int i = 0; i < 3; ++i)
      result += __shfl_xor_sync(0x0000ffffu, lane, 1);
  } else {
    result = __shfl_sync(0xffff0000u, lane, 20) * 100;
  }
  __syncwarp();
  out[lane] = result + __shfl_sync(~0u, result, 31);
}

__global__ void active(unsigned *out) {
  unsigned all = __activemask(), some = 0;
  if (threadIdx.x % 2)
    some = __activemask();
  out[threadIdx.x] = all;
  out[32 + threadIdx.x] = some;
}

__global__ void partialWarp(int n, int *out) {
  int lane = threadIdx.x;
  if (lane >= n)
    return;
  unsigned mask = (1u << n) - 1;
  out[lane] = __reduce_add_sync(mask, lane) + __popc(__ballot_sync(mask, 1));
}

__global__ void groups(int *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  __shared__ int shared[64];
  shared[block.thread_rank()] = int(block.thread_rank());
  block.sync();
  int v = shared[(block.thread_rank() + 1) % 64];
  for (int i = tile.size() / 2; i > 0; i /= 2)
    v += tile.shfl_down(v, i);
  tile.sync();
  out[block.thread_rank()] = tile.shfl(v, 0) + tile.any(tile.thread_rank() == 3) * 1000;
}

// Warps append to one list with one atomic each.
__global__ void aggregate(const int *in, int *count, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 3 == 0) {
    unsigned mask = __activemask();
    int leader = __ffs(mask) - 1, lane = threadIdx.x % 32, base = 0;
    if (lane == leader)
      base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
  }
}

int main() {
  {
    Buffer<int> out(512);
    shuffles<<<1, 64>>>(out.device);
    out.read();
    for (int t = 0; t < 64; ++t) {
      const int lane = t & 31;
      CHECK(out.host[t] == 50);
      CHECK(out.host[64 + t] == (lane >= 3 ? lane - 3 : lane));
      CHECK(out.host[128 + t] == (lane + 7 < 32 ? lane + 7 : lane));
      CHECK(out.host[192 + t] == (lane ^ 9));
      CHECK(out.host[256 + t] == (lane & ~7) + 2);
      CHECK(out.host[320 + t] == ((lane & 15) + 3 < 16 ? lane + 3 : lane));
      CHECK(out.host[384 + t] == (lane ^ 1));
      CHECK(out.host[448 + t] == 31);
    }
  }
  {
    Buffer<float> in(std::vector<float>(4 * 256, 0.5f)), out(4);
    warpSum<<<4, 256>>>(in.device, out.device);
    for (float v : out.read())
      CHECK(v == 128.f);
  }
  {
    Buffer<unsigned> out(224);
    votes<<<1, 32>>>(out.device);
    out.read();
    for (unsigned lane = 0; lane < 32; ++lane) {
      CHECK(out.host[lane] == 0x49249249u);
      CHECK(out.host[32 + lane] == 1);
      CHECK(out.host[64 + lane] == 1);
      CHECK(out.host[96 + lane] == 0xfu << (lane & ~3u));
      CHECK(out.host[128 + lane] == ~0u);
      CHECK(out.host[160 + lane] == 496);
      CHECK(out.host[192 + lane] == 3103);
    }
  }
  {
    Buffer<int> out(32);
    divergent<<<1, 32>>>(out.device);
    out.read();
    for (int lane = 0; lane < 32; ++lane)
      CHECK(out.host[lane] == (lane < 16 ? 3 * (lane ^ 1) : 2000) + 2000);
  }
  {
    Buffer<unsigned> out(64);
    active<<<1, 32>>>(out.device);
    out.read();
    for (int lane = 0; lane < 32; ++lane) {
      CHECK(out.host[lane] == ~0u);
      CHECK(out.host[32 + lane] == (lane % 2 ? 0xaaaaaaaau : 0u));
    }
  }
  {
    Buffer<int> out(32, -1);
    partialWarp<<<1, 20>>>(13, out.device);
    out.read();
    for (int lane = 0; lane < 32; ++lane)
      CHECK(out.host[lane] == (lane < 13 ? 78 + 13 : -1));
  }
  {
    Buffer<int> out(64);
    groups<<<1, 64>>>(out.device);
    out.read();
    for (int t = 0; t < 64; ++t) {
      int sum = 0;
      for (int k = 0; k < 16; ++k)
        sum += ((t & ~15) + k + 1) % 64;
      CHECK(out.host[t] == sum + 1000);
    }
  }
  {
    const int n = 1024;
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i)
      values[i] = i * 7 % 101;
    Buffer<int> in(values), count(1), out(n, 0);
    aggregate<<<n / 128, 128>>>(in.device, count.device, out.device);
    long expectedSum = 0, sum = 0;
    int expected = 0;
    for (int v : values)
      if (v % 3 == 0)
        ++expected, expectedSum += v;
    CHECK(count.read()[0] == expected);
    for (int v : out.read())
      sum += v;
    CHECK(sum == expectedSum);
  }
  return finish("warps");
}
