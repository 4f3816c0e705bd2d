// Launches without pragmas, for SuggestTest.cpp: what is expected stands in the comment above each.
struct Particle {
  float x, y, z, mass;
};
struct View {
  float *data;
  int length;
};

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}
__global__ void fill(int n, float value, float *out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = value;
}
__global__ void everySecond(int n, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[2 * i] = 1.0f;
}
__global__ void unguarded(const Particle *in, float *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x].mass;
}
__global__ void rows(int width, int height, const double *in, double *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = in[y * width + x];
}
__global__ void interior(int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = in[i - 1] + in[i + 1];
}
__global__ void gather(int n, const int *index, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[index[i]];
}
__global__ void view(View v) { v.data[threadIdx.x] = 0; }
template <class T> __global__ void twice(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 2;
}
template <class T> void inTemplate(T *x, int n) { twice<<<1, n>>>(x, n); }

int main() {
  const int n = 1000, half = n / 2;
  float *x, *y;
  double *d;
  int *index;
  Particle *particles;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&d, n * n * sizeof(double));
  cudaMalloc(&index, n * sizeof(int));
  cudaMalloc(&particles, n * sizeof(Particle));
  dim3 grid(8, 16), block(32, 8);
  // expect: in(x[0 : n]) inout(y[0 : n])
  saxpy<<<8, 128>>>(n, 2.0f, x, y);
  // expect: in(x[half : n - half]) inout(y[half : n - half])
  saxpy<<<8, 128>>>(n - half, 2.0f, x + half, &y[half]);
  // expect: out(x[0 : half])
  fill<<<8, 128>>>(half, 1.0f, x);
  // expect: inout(x[0 : 2 * half - 1])
  everySecond<<<8, 128>>>(half, x);
  // expect: in(particles[0 : 1024]) out(y[0 : 1024])
  unguarded<<<8, 128>>>(particles, y);
  // expect: in(d[0 : 8000]) out(d[8000 : 8000])
  rows<<<grid, block>>>(100, 80, d, d + 8000);
  // expect: in(x[0 : n]) out(y[1 : n - 2])
  interior<<<8, 128>>>(n, x, y);
  // expect: in(index[0 : n], x) out(y[0 : n])
  gather<<<8, 128>>>(n, index, x, y);
  // expect:
  view<<<1, 8>>>(View{x, n});
  // expect: inout(d[0 : n])
  twice<<<8, 128>>>(d, n);
#pragma streammap task in(x) inout(y)
  saxpy<<<8, 128>>>(n, 2.0f, x, y);
  for (int i = 0; i < 2; ++i)
    // expect: out(x[0 : n])
    fill<<<8, 128>>>(n, 1.0f, x);
}
