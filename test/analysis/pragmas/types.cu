// What a section may be taken of, and its bounds.
#include <vector>
__global__ void use(float *a) { a[threadIdx.x] += 1; }
struct Plan {
  float *buffer;
  int count;
};
float halve(float v) { return v / 2; }

void bases(float *a, int n, void *raw, float **rows, double x, Plan *plan) {
  std::vector<float> v(n);
#pragma streammap task inout(a) in(x[0:1]) // expect-error(not-a-pointer) {{'x' is a 'double'; a section needs a pointer or an array}}
  { use<<<1, 32>>>(a), (void)x; }
#pragma streammap task inout(a) in(v[0:n]) // expect-error(not-a-pointer) {{did you mean 'v.data()'?}}
  { use<<<1, 32>>>(a), (void)v; }
#pragma streammap task inout(a) in(v) // expect-error(not-plain-data) {{did you mean 'v.data()[0:v.size()]'?}}
  { use<<<1, 32>>>(a), (void)v; }
#pragma streammap task inout(a) in(raw[0:n]) // expect-error(void-section) {{'raw' points to void}}
  { use<<<1, 32>>>(a), (void)raw; }
#pragma streammap task inout(a) in(halve) // expect-error(not-data) {{'halve' is not data}}
  use<<<1, 32>>>(a);
#pragma streammap task inout(a) in(x + 1) // expect-error(not-data) {{'x + 1' is a temporary value}}
  { use<<<1, 32>>>(a), (void)x; }
#pragma streammap task inout(a) inout(rows[0:2][0:2]) // expect-error(no-second-dimension) {{has no second dimension; give it a shape}}
  { use<<<1, 32>>>(a), (void)rows; }
#pragma streammap task inout(plan[1].buffer[0:plan[1].count])
  use<<<1, 32>>>(plan[1].buffer);
#pragma streammap task inout(a) in(raw)
  { use<<<1, 32>>>(a), (void)raw; }
#pragma streammap task inout(v.data()[0:n])
  use<<<1, 32>>>(v.data());
#pragma streammap task inout(((float *)raw)[0:n])
  use<<<1, 32>>>((float *)raw);
}

void bounds(float *a, int n, double x) {
  float t[10];
  float m[4][5];
#pragma streammap task inout(t[8:5]) // expect-error(out-of-bounds) {{elements 8 to 12 of 't' lie outside its 10 elements}}
  use<<<1, 32>>>(t);
#pragma streammap task inout(t[0:5:3]) // expect-error(out-of-bounds) {{elements 0 to 12}}
  use<<<1, 32>>>(t);
#pragma streammap task inout(t[12:n]) // expect-error(out-of-bounds) {{elements from 12 of 't'}}
  use<<<1, 32>>>(t);
#pragma streammap task inout(t[5:5], t[:], t[2:], t[:3], t[n:2], t[10:0])
  use<<<1, 32>>>(t);
#pragma streammap task inout(m[0:5][0:2]) // expect-error(out-of-bounds) {{rows 0 to 4 of 'm' lie outside its 4 rows}}
  use<<<1, 32>>>(m[0]);
#pragma streammap task inout(m[3:1][4:2]) // expect-error(out-of-bounds) {{columns 4 to 5 of 'm' lie outside its 5 columns}}
  use<<<1, 32>>>(m[0]);
#pragma streammap task inout(([4][5])a[3:2][0:5]) // expect-error(out-of-bounds) {{rows 3 to 4 of 'a' lie outside its 4 rows}}
  use<<<1, 32>>>(a);
#pragma streammap task inout(a[0:-1]) // expect-error(negative-length) {{negative length (-1)}}
  use<<<1, 32>>>(a);
#pragma streammap task inout(a[0:n:0]) // expect-error(bad-stride) {{must be at least 1, not 0}}
  use<<<1, 32>>>(a);
#pragma streammap task inout(([n][n])a[0:2:2][0:2]) // expect-error(bad-stride) {{one dimension only}}
  use<<<1, 32>>>(a);
#pragma streammap task inout(a[1:]) // expect-error(missing-length) {{how much of 'a' is meant}}
  use<<<1, 32>>>(a);
#pragma streammap task inout(a[0:x]) // expect-error(not-an-integer) {{the length of a section must be an integer, but this has type 'double'}}
  use<<<1, 32>>>(a);
#pragma streammap task inout(([2][2])m[0:1][0:1]) // expect-error(needless-shape) {{'m' already has rows}}
  use<<<1, 32>>>(m[0]);
}

// Judged once the types are known, said once for all instances.
template <class T, int size>
void instance() {
  T t[size];
#pragma streammap task inout(t[0:8]) // expect-error(out-of-bounds) {{elements 0 to 7 of 't' lie outside its 4 elements}}
  use<<<1, 32>>>(t);
}
void instances() {
  instance<float, 16>();
  instance<float, 4>();
}

int drawn;
int draw() { return ++drawn; }
int twice(int n) {
  int sum = 0;
  for (int i = 0; i < 2; ++i)
    sum += n;
  return sum;
}
struct Counter {
  int count = 0;
  int next() { return ++count; }
  int now() const { return count; }
};

void pure(float *a, int n, Counter counter, float **rows) {
#pragma streammap task inout(a[0:twice(n)]) priority(counter.now())
  use<<<1, 32>>>(a);
#pragma streammap task inout(a) priority(n++) // expect-error(side-effect) {{a clause must not change anything}}
  use<<<1, 32>>>(a);
#pragma streammap task inout(a) name(x, draw()) // expect-error(side-effect) {{compute the value before the pragma}}
  use<<<1, 32>>>(a);
#pragma streammap task inout(a[0:counter.next()]) // expect-error(side-effect) {{a clause must not change anything}}
  use<<<1, 32>>>(a);
#pragma streammap task inout(a, rows[n--][0:2]) // expect-error(side-effect) {{a clause must not change anything}}
  { use<<<1, 32>>>(a), (void)rows; }
#pragma streammap task out(a[0])
  use<<<1, 32>>>(a);
}
