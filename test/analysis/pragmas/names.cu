// Names and types in clauses are Clang's to judge, where the pragma stands.
__global__ void scale(float *a, int n) { a[threadIdx.x] *= n; }

namespace physics {
constexpr int cells = 10;
float *field;
} // namespace physics

template <class T>
void inTemplate(T *a, int n) {
#pragma streammap task inout(a[0:n + zork]) // expect-error(clang) {{use of undeclared identifier 'zork'}}
  scale<<<1, 32>>>(a, n);
}

struct Solver {
  float *mine;
  int count;
  void step() {
#pragma streammap task inout(mine[0:count])
    scale<<<1, 32>>>(mine, count);
#pragma streammap task inout(mime[0:count]) // expect-error(clang) {{use of undeclared identifier 'mime'; did you mean 'mine'?}}
    scale<<<1, 32>>>(mine, count);
  }
};

void here() {
#pragma streammap task inout(physics::field[0:physics::cells])
  scale<<<1, 32>>>(physics::field, physics::cells);
#pragma streammap task inout(field[0:2]) // expect-error(clang) {{use of undeclared identifier 'field'}}
  scale<<<1, 32>>>(physics::field, physics::cells);
  {
    float *inner = physics::field;
#pragma streammap task inout(inner)
    scale<<<1, 32>>>(inner, 1);
  }
#pragma streammap wait on(inner) // expect-error(clang) {{use of undeclared identifier 'inner'}}
  int wrong = undeclared; // expect-error(clang) {{use of undeclared identifier 'undeclared'}}
}
