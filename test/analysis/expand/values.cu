// Arithmetic, control flow and functions of the host, seen in the names of the tasks.
// run: --arg 3
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>

__global__ void k(float *p) { *p = 1; }

static float *d;

#define PRAGMA(text) _Pragma(#text)
#define SHOW(id, ...)                                                                                        \
  PRAGMA(streammap task name(id, __VA_ARGS__) inout(d[0:1]))                                                 \
  k<<<1, 1>>>(d)

enum Color { red = 3, green, blue = 10 };
enum class Level : unsigned char { low = 250, high = 255 };
constexpr int square(int x) { return x * x; }
constexpr int table[] = {2, 3, 5, 7, 11};
static int counter() {
  static int calls = 40;
  return ++calls;
}
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int classify(int x) {
  switch (x % 5) {
  case 0:
    return 100;
  case 1:
  case 2:
    x += 10;
    break;
  case 3:
    x *= 2; // falls through
  default:
    x += 1;
  }
  return x;
}
static void outParameter(int *p, int &r) {
  *p += 5;
  r *= 2;
}
static int apply(int (*f)(int), int x) { return f(x); }

union Bits {
  float number;
  uint32_t word;
};
struct Point {
  int x = 1, y = 2;
  Point operator+(const Point &o) const { return {x + o.x, y + o.y}; }
  bool operator==(const Point &o) const { return x == o.x && y == o.y; }
};

int main(int argc, char **argv) {
  cudaMalloc(&d, 4);
  int n = atoi(argv[1]);
  unsigned u = 1u - 2u;
  unsigned char c = 300 & 0x1ff;
  SHOW(wrap, u == 4294967295u, c, static_cast<signed char>(200), -7 / 2, -7 % 3, 7 >> 1, -8 >> 1, 1 << 4);
  SHOW(wide, (1LL << 40) / 3, 0x7fffffff + 1LL, (short)70000, (unsigned short)-1, ~0u >> 28);
  SHOW(real, (int)(2.5 * n), (int)3.99f, (long)(1.0f / 3 * 1e9), n / 2.0 > 1.4, !0.0);
  SHOW(logic, n && !n, n || n / 0, n > 2 ? 7 : 8, (n, 5), n == 3 && argc == 2);
  SHOW(enums, green, blue, (int)Level::high, square(n), table[n], sizeof table / sizeof *table, sizeof(Point));
  SHOW(calls, counter(), counter(), fibonacci(15), classify(10), classify(11), classify(13), classify(14));
  int a = 1, b = 3;
  outParameter(&a, b);
  SHOW(references, a, b, apply(square, 9), apply([](int x) { return x + 1; }, 9));
  int total = 0;
  for (int i = 0; i < 10; ++i) {
    if (i == 2)
      continue;
    if (i == 6)
      break;
    total += i;
  }
  do
    total *= 2;
  while (total < 100);
  while (total > 50)
    total -= 7;
  SHOW(loops, total);
  int matrix[3][4] = {{1, 2}, {5, 6, 7}};
  int *p = &matrix[1][0], *end = p + 3, sum = 0;
  while (p != end)
    sum += *p++;
  SHOW(pointers, sum, end - &matrix[0][0], *(end - 1), matrix[0][3]);
  Bits bits;
  bits.number = 1.0f;
  uint32_t copied;
  float half = 0.5f;
  memcpy(&copied, &half, sizeof copied);
  SHOW(bytes, bits.word == 0x3f800000u, copied == 0x3f000000u);
  Point q = Point{} + Point{n, n};
  auto add = [&q, n](int x) mutable { return q.x += x, n += 1, q.x + n; };
  std::function<int(int)> later = add;
  SHOW(lambdas, add(10), later(1), q.x, q == Point{15, 5});
  auto recurse = [](auto &self, int depth) -> int { return depth == 0 ? 0 : 1 + self(self, depth - 1); };
  SHOW(generic, recurse(recurse, 20));
  SHOW(text, strcmp(argv[1], "3"), strlen("tasks"), "abc"[1]);
  long wide = 0;
  for (auto [x, y] : {Point{1, 2}, Point{3, 4}})
    wide = wide * 100 + x * 10 + y;
  SHOW(bindings, wide);
  return 0;
}
