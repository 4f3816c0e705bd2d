// Kernels whose costs KernelCostsTest.cpp knows by hand.
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void stride(int n, double *x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    x[i] = x[i] + 1.0;
}

template <class T, int Times> __global__ void repeat(T *x) {
  T value = x[threadIdx.x];
  for (int i = 0; i < Times; ++i)
    value = value * value + T(3);
  x[threadIdx.x] = value;
}
template __global__ void repeat<double, 100>(double *);
template __global__ void repeat<float, 7>(float *);

struct Range {
  float *values;
  long long begin;
  struct {
    int length, unused;
  } size;
};

__global__ void structs(Range range) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < range.size.length)
    range.values[range.begin + i] *= 2.0f;
}

__device__ __noinline__ float sumTo(const float *x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i];
  return sum;
}

__global__ void callsFunction(const float *x, float *y, int n) { y[threadIdx.x] = sumTo(x, n); }

__global__ void sparse(int rows, const int *begin, const float *value, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = begin[row]; i < begin[row + 1]; ++i)
    sum += value[i];
  y[row] = sum;
}

__global__ void sparseStated(int rows, int nonZeros, const int *begin, const float *value, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
#pragma streammap trips(nonZeros / rows)
  for (int i = begin[row]; i < begin[row + 1]; ++i)
    sum += value[i];
  y[row] = sum;
}

__global__ void dependsOnData(const float *x, float *y) {
  if (x[threadIdx.x] > 0.0f)
    y[threadIdx.x] = x[threadIdx.x] * 2.0f;
}

__global__ void throughPointer(float (*function)(float), float *x) { x[threadIdx.x] = function(x[threadIdx.x]); }

__global__ void nothing(int *) {}
