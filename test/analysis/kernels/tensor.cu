// Matrix instructions, half precision and memory in inline PTX, for TensorCostsTest.cpp.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

__global__ void wmmaTile(const __half *a, const __half *b, float *c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < 4; ++k) {
    load_matrix_sync(left, a + 16 * k, 64);
    load_matrix_sync(right, b + 16 * k, 64);
    mma_sync(sum, left, right, sum);
  }
  store_matrix_sync(c, sum, 16, mem_row_major);
}

__global__ void mmaSync(const unsigned *a, const unsigned *b, float *c) {
  float d[4] = {};
  unsigned lane = threadIdx.x;
  for (int i = 0; i < 3; ++i)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[lane]), "r"(a[lane + 32]), "r"(a[lane + 64]), "r"(a[lane + 96]), "r"(b[lane]), "r"(b[lane + 32]));
  c[lane] = d[0] + d[1] + d[2] + d[3];
}

__global__ void halves(__half *x, __half2 *y, __nv_bfloat16 *z) {
  int i = threadIdx.x;
  x[i] = x[i] * x[i] + x[i];
  y[i] = __hfma2(y[i], y[i], y[i]);
  z[i] = __hadd(z[i], z[i]);
}

__global__ void ptxMemory(const float4 *in, float4 *out) {
  __shared__ float4 tile[32];
  int i = threadIdx.x;
  float4 v;
  asm volatile("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(in + i));
  asm volatile("st.global.cs.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(out + i), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w));
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile + i));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + i));
  unsigned r0, r1, r2, r3;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(to));
  asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(r0) : "r"(r1), "r"(r2));
}
