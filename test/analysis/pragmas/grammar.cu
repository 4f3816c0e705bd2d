// The grammar of directives and clauses.
__global__ void scale(float *a, int n) { a[threadIdx.x] *= n; }

void directives(float *a, int n) {
#pragma streammap tusk inout(a[0:n]) // expect-error(unknown-directive) {{unknown directive 'tusk'; did you mean 'task'?}}
  scale<<<1, 32>>>(a, n);
#pragma streammap 12 // expect-error(unknown-directive) {{expected task, wait, root or trips}}
  scale<<<1, 32>>>(a, n);
#pragma streammap // expect-error(unknown-directive) {{expected task, wait, root or trips}}
  scale<<<1, 32>>>(a, n);
}

void clauses(float *a, int n) {
#pragma streammap task imout(a[0:n]) inout(a) // expect-error(unknown-clause) {{unknown clause 'imout'; did you mean 'inout'?}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) flops(n) flops(2 * n) // expect-error(duplicate-clause) {{clause 'flops' is given twice}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) on(a) // expect-error(wrong-directive) {{clause 'on' is not valid for 'task', only for 'wait'}}
  scale<<<1, 32>>>(a, n);
#pragma streammap wait in(a) // expect-error(wrong-directive) {{clause 'in' is not valid for 'wait', only for 'task'}}
#pragma streammap task inout(a) 7 // expect-error(malformed-clause) {{expected a clause, found '7'}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) priority // expect-error(malformed-clause) {{expected '(' after 'priority'}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) priority(1 // expect-error(malformed-clause) {{expected ')' to close 'priority('}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) in() // expect-error(missing-argument) {{clause 'in' needs an argument}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a, ) // expect-error(missing-argument) {{'inout' has an empty item in its list}}
  scale<<<1, 32>>>(a, n);
}

void arguments(float *a, int n) {
#pragma streammap task inout(a) priority(1, 2) // expect-error(wrong-argument) {{clause 'priority' takes one argument, 2 given}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) name(3, n) // expect-error(wrong-argument) {{expected a name first}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) device(gpi) // expect-error(wrong-argument) {{expected gpu, cpu or any, found 'gpi'; did you mean 'gpu'?}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) capability(new) // expect-error(wrong-argument) {{expected a compute capability such as 8.0, found 'new'}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) flops("many") // expect-error(wrong-type) {{'flops' takes a number, but this has type 'const char[5]'}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) model(90) // expect-error(wrong-type) {{'model' takes names in quotes}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) node(1.5) // expect-error(wrong-type) {{'node' takes numbers or names in quotes}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) seconds(-1.0) // expect-error(negative-figure) {{'seconds' cannot be negative}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a) name(scale, 0.5) // expect-error(not-an-integer) {{an index of 'name' must be an integer}}
  scale<<<1, 32>>>(a, n);
}

void sections(float *a, int n) {
#pragma streammap task inout(a[0:n:1:2]) // expect-error(malformed-section) {{at most three parts}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a[0:n:]) // expect-error(malformed-section) {{expected a stride after the second ':'}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout([0:n]) // expect-error(malformed-section) {{expected the name of what the task accesses}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(([])a) // expect-error(malformed-section) {{expected an extent in each '[]'}}
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a[0:1][0:1][0:1]) // expect-error(malformed-section) {{at most two dimensions}}
  scale<<<1, 32>>>(a, n);
}

void misspelt(float *a) {
#pragma streamap task inout(a) // expect-warning(unknown-pragma) {{unknown pragma 'streamap'; did you mean 'streammap'?}}
  a[0] = 1;
#pragma unroll
  for (int i = 0; i < 2; ++i)
    a[i] = 1;
}
