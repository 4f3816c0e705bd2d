// Where a pragma may stand.
__global__ void scale(float *a, int n) { a[threadIdx.x] *= n; }

__global__ void kernel(float *a, int n) {
#pragma streammap trips(n / 2)
  for (int i = 0; i < n; i += 2)
    a[i] = 0;
#pragma streammap trips(n) // expect-error(trips-without-loop) {{not a loop}}
  a[0] = 1;
#pragma streammap task inout(a) // expect-error(in-device-code) {{'task' stands in device code}}
  a[1] = 1;
#pragma streammap trips(a) // expect-error(wrong-type) {{'trips' takes a number of iterations}}
  while (a[0] > 0)
    a[0] -= 1;
}

int leaving(float *a, int n) {
#pragma streammap task inout(a)
  {
    scale<<<1, 32>>>(a, n);
    if (n == 0)
      return 1; // expect-error(leaves-task) {{'return' would leave the statement of a task}}
    for (int i = 0; i < n; ++i)
      if (i == 3)
        break;
  }
  for (int i = 0; i < n; ++i)
#pragma streammap task inout(a)
  {
    scale<<<1, 32>>>(a, n);
    if (i == 3)
      continue; // expect-error(leaves-task) {{'continue' would leave}}
  }
  return 0;
}

void places(float *a, int n, int choice) {
#pragma streammap task inout(a) // expect-error(before-declaration) {{'task' stands before a declaration}}
  int x = n;
#pragma streammap task inout(a) // expect-error(empty-task) {{}}
  ;
}

void places2(float *a, int n, int choice) {
#pragma streammap task // expect-error(empty-task) {{this task has an empty statement}}
  {
  }
#pragma streammap task inout(a)
  {
#pragma streammap task inout(a) // expect-error(nested-task) {{tasks do not nest}}
    scale<<<1, 32>>>(a, n);
  }
  if (n > 2)
#pragma streammap wait // expect-error(wait-as-body) {{'wait' stands alone}}
    n = 3;
#pragma streammap trips(n) // expect-error(trips-in-host-code) {{'trips' stands in host code}}
  for (int i = 0; i < n; ++i)
    scale<<<1, 32>>>(a, n);
  switch (choice) {
#pragma streammap task inout(a) // expect-error(not-a-statement) {{'task' stands before a label}}
  case 1:
    scale<<<1, 32>>>(a, n);
  }
}
