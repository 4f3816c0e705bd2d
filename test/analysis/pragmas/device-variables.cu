// Every GPU has its own copy of a __device__ variable, so a task that changes one is told.
__device__ int counter;
__device__ float table[16];
__device__ const float scale = 2;
__constant__ float coefficients[4];
__device__ void count() { ++counter; }
__global__ void counts(float *a) { a[0] = scale; count(); }
__global__ void fills(float *a) { table[3] = a[0]; }
__global__ void adds(float *a) { a[0] += 1; atomicAdd(&counter, 1); }
__global__ void reads(float *a) { a[0] = table[1] * coefficients[2] + counter; }

void f(float *a) {
#pragma streammap task inout(a[0:1])
  counts<<<1, 1>>>(a); // expect-warning(device-variable) {{kernel 'counts' changes the __device__ variable 'counter', of which every GPU has its own}}
#pragma streammap task in(a[0:1])
  fills<<<1, 1>>>(a); // expect-warning(device-variable) {{kernel 'fills' changes the __device__ variable 'table'}}
#pragma streammap task inout(a[0:1])
  adds<<<1, 1>>>(a); // expect-warning(device-variable) {{kernel 'adds' changes the __device__ variable 'counter'}}
#pragma streammap task out(a[0:1])
  reads<<<1, 1>>>(a);
}
