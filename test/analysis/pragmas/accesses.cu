// Clauses against what the kernels do with their arguments.
__device__ void store(float *p, float v) { *p = v; }
__global__ void scale(float *a, int n) { a[threadIdx.x] = a[threadIdx.x] * n; }
__global__ void fill(float *a) { a[threadIdx.x] = 1; }
__global__ void copy(const float *from, float *to) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void add(float *from, float *sum) { atomicAdd(&sum[0], from[threadIdx.x]); }
__global__ void through(float *a) { store(a + threadIdx.x, 2); }
__global__ void alias(float *a) {
  float *p = a;
  p[0] = 1;
}
struct View {
  float *data;
};
__global__ void viewed(View v) { v.data[0] = 1; }

void contradictions(float *a, float *b, int n) {
#pragma streammap task in(a[0:n]) // expect-error(in-is-written) {{'a' is in(), but kernel 'scale' writes it; did you mean inout(a[0:n])?}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task in(a) // expect-error(in-is-written) {{did you mean inout(a) or out(a)?}}
  fill<<<1, 32>>>(a);
#pragma streammap task in(a) // expect-error(in-is-written) {{'a' is in(), but kernel 'through' writes it}}
  through<<<1, 32>>>(a);
#pragma streammap task out(a[0:n], b[0:n]) // expect-error(out-is-read-only) {{'a' is out(), but kernel 'copy' takes it as 'const float *'; did you mean in(a[0:n])?}}
  copy<<<1, 32>>>(a, b);
#pragma streammap task inout(a) out(b) // expect-error(out-is-read-only) {{'a' is inout(), but kernel 'add' never writes it}}
  add<<<1, 32>>>(a, b);
#pragma streammap task in(a) in(b) // expect-error(in-is-written) {{'b' is in(), but kernel 'add' writes it}}
  add<<<1, 32>>>(a, b);
}

void allowed(float *a, float *b, int n, View v) {
#pragma streammap task in(a[0:n]) out(b[0:n])
  copy<<<1, 32>>>(a, b);
#pragma streammap task out(a[0:n]) out(b[0:n])
  {
    fill<<<1, 32>>>(a);
    copy<<<1, 32>>>(a, b);
  }
#pragma streammap task in(a) // what an alias does is not followed
  alias<<<1, 32>>>(a);
#pragma streammap task inout(v.data[0:n])
  viewed<<<1, 32>>>(v);
#pragma streammap task in(a[0:n]) inout(a[n:n])
  scale<<<1, 32>>>(a + n, n);
#pragma streammap task inout(a)
  scale<<<1, 32>>>(&a[3], n);
}

void sides(float *d_a, float *h_a, float *b, int n) {
#pragma streammap task inout(h_a[0:n]) // expect-warning(host-for-device) {{'h_a' is in a clause, but kernel 'scale' takes 'd_a'; did you mean 'd_a'?}}
  scale<<<1, 32>>>(d_a, n);
#pragma streammap task inout(h_a[0:n]) inout(b) // expect-warning(unused-clause) {{'h_a' is in a clause, but the statement does not use it}}
  scale<<<1, 32>>>(b, n);
#pragma streammap task in(d_a)
  copy<<<1, 32>>>(d_a, b); // expect-warning(argument-in-no-clause) {{kernel 'copy' takes 'b', which is in no clause}}
}

int global;
void lost(float *a, int n) {
  int count = 0, kept = 0;
  int some[3] = {};
#pragma streammap task inout(a) out(kept)
  {
    int inner = 0;
    scale<<<1, 32>>>(a, n);
    inner = 2;
    kept = inner;
    a[0] = 3;
    count += 1;  // expect-warning(lost-write) {{'count' is assigned in a task}}
    some[1] = 2; // expect-warning(lost-write) {{'some' is assigned}}
    ++global;    // expect-warning(lost-write) {{'global' is assigned}}
  }
}

// Functions that hand their pointers on to kernels.
void launchCopy(const float *from, float *to) { copy<<<1, 32>>>(from, to); }
void launchScaled(float *data, float *scratch, int n) {
  scale<<<1, 32>>>(data + n, n);
  cudaMemset(scratch, 0, 4);
}
void onHost(float *values) { values[0] = 1; }
struct Solver {
  void step(float *from, float *to) { launchCopy(from, to); }
};

void wrapped(float *a, float *b, int n, Solver &solver) {
#pragma streammap task in(a[0:n]) out(b[0:n])
  launchCopy(a, b);
#pragma streammap task in(a[0:n], b[0:n]) // expect-error(in-is-written) {{'b' is in(), but 'launchCopy' writes it}}
  launchCopy(a, b);
#pragma streammap task inout(a[0:n]) in(b[0:n]) // expect-error(out-is-read-only) {{'a' is inout(), but 'launchCopy' takes it as 'const float *'}} // expect-error(in-is-written) {{'b' is in()}}
  launchCopy(a, b);
#pragma streammap task inout(a[0:n])
  launchScaled(a, b, n);
#pragma streammap task in(a[0:n])
  solver.step(a, b); // expect-warning(argument-in-no-clause) {{'step' takes 'b', which is in no clause of its task}}
#pragma streammap task in(a[0:n]) // expect-error(in-is-written) {{'a' is in(), but 'launchScaled' writes it}}
  launchScaled(a, b, n);
#pragma streammap task device(cpu) in(a[0:1])
  onHost(a);
}
