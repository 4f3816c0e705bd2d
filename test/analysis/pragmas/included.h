#pragma once
__global__ void scale(float *a, int n) {
  a[threadIdx.x] *= n;
}
inline void included(float *a, int n) {
#pragma streammap task inout(a[0 : n])
  scale<<<1, 32>>>(a, n);
#pragma streammap task inot(a[0 : n]) inout(a) // expect-error(unknown-clause) {{did you mean 'inout'?}}
  scale<<<1, 32>>>(a, n);
}
