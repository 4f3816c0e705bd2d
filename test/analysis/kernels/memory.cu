// Kernels whose memory behaviour MemoryBehaviourTest.cpp knows by hand.
__global__ void copy(int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i];
}

__global__ void shifted(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + 1];
}

__global__ void everySecond(const double *in, double *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[2 * i];
}

__global__ void column(int pitch, const float *in, float *out) {
  out[threadIdx.x] = in[threadIdx.x * pitch];
}

__global__ void broadcast(const float *in, float *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x];
}

__global__ void vectors(const float4 *in, float4 *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

struct Particle {
  float x, y, z, mass;
};

__global__ void fields(const Particle *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i].x * in[i].mass;
}

__global__ void gather(int n, const int *index, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[index[i]];
}

__global__ void multiply(int n, const float *a, const float *b, float *c) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void smooth(int nx, int ny, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    out[y * nx + x] = in[y * nx + x - 1] + in[y * nx + x + 1] + in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
}

__global__ void structureOfArrays(int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + in[n + i] + in[2 * n + i];
}

__global__ void lowerTriangle(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = 0; j <= i; ++j)
    sum += x[j];
  y[i] = sum;
}

__global__ void transposeNaive(const float *in, float *out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * 1024 + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * 1024 + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transposePadded(const float *in, float *out) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * 1024 + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * 1024 + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void pairs(float *out) {
  __shared__ float values[256];
  values[2 * threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = values[2 * threadIdx.x];
}

__global__ void wide(double *out) {
  __shared__ double values[128];
  values[threadIdx.x] = 1.0;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

__global__ void rows(float *out) {
  __shared__ float tile[16][16];
  tile[threadIdx.x][threadIdx.y] = 1.0f;
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}
