// Nothing that follows from the misplaced pragma is said.
#pragma streammap task // expect-error(not-a-statement) {{'task' stands outside any function}}
__global__ void scale(float *a, int n) { a[threadIdx.x] *= n; }
void f() {}
#pragma streammap root // expect-error(not-a-statement) {{'root' is not followed by a statement}}
int x;
void g() { scale<<<1, 1>>>(nullptr, x); }
