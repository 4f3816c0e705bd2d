__global__ void scale(float *a, int n) { a[threadIdx.x] *= n; }
void atEnd(float *a) {
#pragma streammap task inout(a) // expect-error(not-a-statement) {{'task' is not followed by a statement}}
}
