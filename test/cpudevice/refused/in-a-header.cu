#include <cuda_runtime.h>
__global__ void texture(cudaTextureObject_t t, float *out) {
  out[0] = 1.0f;
  out[1] = tex1Dfetch<float>(t, 3); // line 4
}
int main() { texture<<<1, 1>>>(0, nullptr); }
