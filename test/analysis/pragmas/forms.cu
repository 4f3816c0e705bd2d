// Every form that is right: no diagnostics at all.
#include <vector>
#define PRAGMA(x) _Pragma(#x)
#define SCALE_TASK(p, n) PRAGMA(streammap task inout(p[0:n])) scale<<<1, 32>>>(p, n)
#define COUNT 4
__global__ void scale(float *a, int n) { a[threadIdx.x] *= n; }
__constant__ float table[4];
struct Plan {
  float *buffer;
  int count;
};
void wrapper(float *a, int n) { scale<<<1, 32>>>(a, n); }

struct Solver {
  float *field;
  Plan plans[3];
  int n;
  void step(int i);
  void inlineStep(int i) {
#pragma streammap task inout(this->field[0:n]) name(inlineStep, i)
    scale<<<1, 32>>>(this->field, n);
  }
};
void Solver::step(int i) {
#pragma streammap task inout(plans[i].buffer[0:plans[i].count], field) name(step, i, i + 1)
  {
    scale<<<1, 32>>>(plans[i].buffer, n);
    scale<<<1, 32>>>(field, n);
  }
}

template <class T>
struct Grid {
  T *cells;
  template <class Body>
  void each(int rows, int columns, Body body) {
    for (int i = 0; i < rows; ++i)
#pragma streammap task inout(([rows][columns])cells[i:1][0:columns]) when(rows > 1)
      body(cells + i * columns);
  }
};

int main(int argc, char **argv) {
  const int n = argc;
  float *a = nullptr, *b = nullptr;
  float fixed[4][5];
  double total = 0;
  std::vector<float> v(n);
#pragma streammap task inout(a[0:n]) flops(2.0 * n) bytes(8 * n) seconds(1e-3) memory(n * 4l) device(gpu) \
    capability(8.0) model("H100", "A100") together(n, "x") apart(n) node("n001") priority(2) when(n > 1)
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(a[n ? 1 : 0:COUNT:2]), device(any), capability("9.0"), node(0)
  scale<<<1, 32>>>(a, n);
#pragma streammap task inout(fixed[1:2][0:5]) inout(fixed[0:1]) inout(fixed[3][1:2]) inout(total)
  {
    scale<<<1, 32>>>(fixed[0], n);
    total += 1;
  }
#pragma streammap task inout(v.data()[0:v.size()])
  wrapper(v.data(), n);
  SCALE_TASK(a, n);
  if (n > 2)
#pragma streammap task inout(a)
    wrapper(a, n);
  else
#pragma streammap root
    printf("small\n");
  Solver solver{a, {}, n};
  solver.step(1);
  Grid<float>{a}.each(4, 4, [](float *row) { wrapper(row, 4); });
  auto later = [=] {
#pragma streammap task inout(b)
    wrapper(b, n);
  };
  later();
#pragma streammap wait
#pragma streammap wait on(a[0:n], total)
  return 0;
}
