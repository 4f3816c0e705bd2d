// Buffers that one task fills and another checks: run on several nodes, it moves them through the network.
//
//   transfers BUFFERS FLOATS
//
// Which nodes the tasks are on is the placement's affair (see network in this folder).
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                                     \
  do {                                                                                                       \
    cudaError_t error = (call);                                                                              \
    if (error != cudaSuccess) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));         \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

__global__ void fill(float *data, int count, int seed, int *filled) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *filled = 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    data[i] = static_cast<float>((i + seed) % 1021);
}

__global__ void check(const float *data, int count, int seed, int *wrong) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    if (data[i] != static_cast<float>((i + seed) % 1021))
      atomicAdd(wrong, 1);
}

int main(int argc, char *argv[]) {
  const int buffers = argc > 1 ? std::atoi(argv[1]) : 2;
  const int count = argc > 2 ? std::atoi(argv[2]) : 1 << 20;
  std::vector<float *> data(buffers);
  std::vector<int> wrong(buffers, 0);
  int *wrongThere = nullptr, *filled = nullptr;
  CUDA_CHECK(cudaMalloc(&filled, buffers * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&wrongThere, buffers * sizeof(int)));
  CUDA_CHECK(cudaMemset(wrongThere, 0, buffers * sizeof(int)));
  for (int b = 0; b < buffers; ++b)
    CUDA_CHECK(cudaMalloc(&data[b], count * sizeof(float)));

  for (int b = 0; b < buffers; ++b) {
#pragma streammap task name(fill, b) out(data[b][0:count], filled[b:1]) seconds(0.0001)
    fill<<<16, 256>>>(data[b], count, b, filled + b);
  }
  // All buffers are filled before any moves, so that transfers start together however fast the fills were.
#pragma streammap wait on(filled[0:buffers])
  for (int b = 0; b < buffers; ++b) {
#pragma streammap task name(check, b) in(data[b][0:count]) inout(wrongThere[b:1]) seconds(0.0001)
    check<<<16, 256>>>(data[b], count, b, wrongThere + b);
  }
  CUDA_CHECK(cudaMemcpy(wrong.data(), wrongThere, buffers * sizeof(int), cudaMemcpyDeviceToHost));

  int total = 0;
  for (int count : wrong)
    total += count;
  std::printf("transfers: %d buffers, %s\n", buffers, total == 0 ? "verified" : "WRONG");
  for (float *each : data)
    CUDA_CHECK(cudaFree(each));
  CUDA_CHECK(cudaFree(wrongThere));
  CUDA_CHECK(cudaFree(filled));
  return total == 0 ? 0 : 1;
}
