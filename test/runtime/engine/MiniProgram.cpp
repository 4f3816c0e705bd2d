// A program as annotate would transform it, with kernels that are C++ functions (FakeProgram). Every scenario
// prints one line that does not depend on where its tasks run, and checks it against the host.
//
//   mini-program stencil|tiles|objects|managed|symbols|inline|untasked|misuse-...|fault [size] [steps]
#include "runtime/cpu/FakeProgram.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <streammap/streammap.h>
#include <thread>
#include <unistd.h>
#include <vector>

using streammap::section;
using streammap::section2d;
using streammap::TaskBuilder;
using streammap::TaskContext;
using streammap::test::argument;
using streammap::test::FakeProgram;

namespace {

#define LOCATION_(line) "mini.cu:" #line ":3"
#define LOCATION__(line) LOCATION_(line)
#define LOCATION LOCATION__(__LINE__)

void require(cudaError_t status, const char *call) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  std::exit(3);
}
#define CUDA(call) require(call, #call)

// Kernels: one thread of the host runs a whole block.

/// to[i] = left + from[i] + right with its neighbours, for `count` cells of one part of a ring.
void stencilKernel(SmcpuLaunch *launch, std::uint32_t, std::uint32_t, std::uint32_t, char *) {
  auto *to = argument<long *>(launch, 0);
  const auto *from = argument<const long *>(launch, 1);
  const auto *left = argument<const long *>(launch, 2);
  const auto *right = argument<const long *>(launch, 3);
  const int count = argument<int>(launch, 4);
  for (int i = 0; i < count; ++i)
    to[i] = (i ? from[i - 1] : *left) + 2 * from[i] + (i + 1 < count ? from[i + 1] : *right) + 1;
}

struct Tile {
  long *data;
  int pitch, side;
};

/// c += a * b for square tiles of a matrix; the tiles come as structs.
void multiplyKernel(SmcpuLaunch *launch, std::uint32_t, std::uint32_t, std::uint32_t, char *) {
  const Tile a = argument<Tile>(launch, 0), b = argument<Tile>(launch, 1), c = argument<Tile>(launch, 2);
  for (int i = 0; i < c.side; ++i)
    for (int j = 0; j < c.side; ++j)
      for (int k = 0; k < c.side; ++k)
        c.data[i * c.pitch + j] += a.data[i * a.pitch + k] * b.data[k * b.pitch + j];
}

/// data[i] = data[i] * factor + the module's variable
void scaleKernel(SmcpuLaunch *launch, std::uint32_t, std::uint32_t, std::uint32_t, char *) {
  auto *data = argument<long *>(launch, 0);
  const int count = argument<int>(launch, 1);
  const long factor = argument<long>(launch, 2);
  const long offset = *static_cast<long *>(launch->globals[argument<int>(launch, 3)]);
  for (int i = 0; i < count; ++i)
    data[i] = data[i] * factor + offset;
}

void pauseKernel(SmcpuLaunch *launch, std::uint32_t, std::uint32_t, std::uint32_t, char *) {
  std::this_thread::sleep_for(std::chrono::milliseconds(argument<int>(launch, 1)));
  *argument<long *>(launch, 0) += 1;
}

FakeProgram &program() {
  static FakeProgram program("mini",
                             {{.symbol = "stencil", .run = stencilKernel, .parameterSizes = {8, 8, 8, 8, 4}},
                              {.symbol = "multiply",
                               .run = multiplyKernel,
                               .parameterSizes = {sizeof(Tile), sizeof(Tile), sizeof(Tile)}},
                              {.symbol = "scale", .run = scaleKernel, .parameterSizes = {8, 4, 8, 4}},
                              {.symbol = "pause", .run = pauseKernel, .parameterSizes = {8, 4}}},
                             {{"offset", 0, sizeof(long)}}, std::vector<char>(sizeof(long)));
  return program;
}

long checksum(const std::vector<long> &data) {
  unsigned long sum = 1469598103934665603ul;
  for (long value : data)
    sum = (sum ^ static_cast<unsigned long>(value)) * 1099511628211ul;
  return static_cast<long>(sum >> 16);
}

int report(const char *scenario, const std::vector<long> &result, const std::vector<long> &expected) {
  const bool right = result == expected;
  if (streammap::isRoot())
    std::printf("%s %ld %s\n", scenario, checksum(result), right ? "verified" : "WRONG");
  return right ? 0 : 1;
}

/// A ring of parts, each with two buffers that are swapped every step.
int stencil(int size, int steps) {
  constexpr int parts = 4;
  std::vector<long *> now(parts), next(parts);
  std::vector<long> host(static_cast<std::size_t>(parts) * size), expected;
  for (std::size_t i = 0; i < host.size(); ++i)
    host[i] = static_cast<long>(i * 7 % 13);
  for (int p = 0; p < parts; ++p) {
    CUDA(cudaMalloc(reinterpret_cast<void **>(&now[p]), size * sizeof(long)));
    CUDA(cudaMalloc(reinterpret_cast<void **>(&next[p]), size * sizeof(long)));
    CUDA(cudaMemcpy(now[p], host.data() + p * size, size * sizeof(long), cudaMemcpyHostToDevice));
  }
  for (int step = 0; step < steps; ++step) {
    for (int p = 0; p < parts; ++p) {
      const int l = (p + parts - 1) % parts, r = (p + 1) % parts;
      long *to = next[p], *from = now[p], *left = now[l], *right = now[r];
      TaskBuilder task(0, LOCATION, "stencil");
      task.name("stencil", p, step).out(section(to, 0, size)).in(section(from, 0, size));
      task.in(section(left, size - 1, 1)).in(section(right, 0, 1));
      task.run([=](TaskContext &context) mutable {
        auto *to_ = context.pointer(0, to);
        auto *from_ = context.pointer(1, from);
        CUDA(program().launch("stencil", {}, nullptr, to_, from_, context.pointer(2, left) + size - 1,
                              context.pointer(3, right), size));
      });
    }
    std::swap(now, next);
  }
  expected = host;
  for (int step = 0; step < steps; ++step) {
    std::vector<long> before = expected;
    const std::size_t n = before.size();
    for (std::size_t i = 0; i < n; ++i)
      expected[i] = before[(i + n - 1) % n] + 2 * before[i] + before[(i + 1) % n] + 1;
  }
  streammap::wait(LOCATION);
  for (int p = 0; p < parts; ++p) {
    CUDA(cudaMemcpy(host.data() + p * size, now[p], size * sizeof(long), cudaMemcpyDeviceToHost));
    CUDA(cudaFree(now[p]));
    CUDA(cudaFree(next[p]));
  }
  return report("stencil", host, expected);
}

/// C += A * B by tiles of one big matrix each: strided sections, pointers in structs.
int tiles(int side, int count) {
  const int n = side * count;
  const std::size_t bytes = static_cast<std::size_t>(n) * n * sizeof(long);
  std::vector<long> a(bytes / sizeof(long)), b(a.size()), c(a.size()), expected(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<long>(i % 5);
    b[i] = static_cast<long>(i % 7) - 3;
  }
  long *dA, *dB, *dC;
  for (auto [device, from] : {std::pair{&dA, &a}, {&dB, &b}, {&dC, &c}}) {
    CUDA(cudaMalloc(reinterpret_cast<void **>(device), bytes));
    CUDA(cudaMemcpy(*device, from->data(), bytes, cudaMemcpyHostToDevice));
  }
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j)
      for (int k = 0; k < count; ++k) {
        TaskBuilder task(1, LOCATION, "multiply");
        task.in(section2d(dA, n, i * side, side, k * side, side))
            .in(section2d(dB, n, k * side, side, j * side, side));
        task.inout(section2d(dC, n, i * side, side, j * side, side));
        task.run([=](TaskContext &context) mutable {
          const Tile tileA{context.pointer(0, dA) + i * side * n + k * side, n, side};
          const Tile tileB{dB + k * side * n + j * side, n,
                           side}; // the program's pointer: translated at launch
          const Tile tileC{context.pointer(2, dC) + i * side * n + j * side, n, side};
          CUDA(program().launch("multiply", {}, nullptr, tileA, tileB, tileC));
        });
      }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        expected[i * n + j] += a[i * n + k] * b[k * n + j];
  CUDA(cudaMemcpy(c.data(), dC, bytes, cudaMemcpyDeviceToHost)); // waits by itself
  for (long *device : {dA, dB, dC})
    CUDA(cudaFree(device));
  return report("tiles", c, expected);
}

/// Scalars, structs and host arrays in clauses; copies, fills and scratch memory inside tasks; wait(on).
int objects(int size, int steps) {
  long *data;
  CUDA(cudaMalloc(reinterpret_cast<void **>(&data), size * sizeof(long)));
  std::vector<long> host(size), expected;
  long sum = 0;
  struct {
    long first, last;
  } ends{};
  {
    TaskBuilder task(2, LOCATION, "fill");
    task.out(section(data, 0, size));
    task.run([=](TaskContext &context) mutable {
      auto *data_ = context.pointer(0, data);
      CUDA(cudaMemset(data_, 0, size * sizeof(long)));
    });
  }
  long *hostData = host.data();
  long weight = 1; // of each step another one: a task has the value of when it was met
  for (int step = 0; step < steps; ++step) {
    {
      TaskBuilder task(3, LOCATION, "scale");
      task.inout(section(data, 0, size)).name("scale", step);
      task.run([=](TaskContext &context) mutable {
        auto *data_ = context.pointer(0, data);
        CUDA(program().launch("scale", {}, nullptr, data_, size, 3l, static_cast<int>(program().slot())));
      });
    }
    {
      TaskBuilder task(4, LOCATION, "collect");
      task.in(section(data, 0, size)).out(section(hostData, 0, size)).inout(streammap::object(sum));
      task.out(streammap::object(ends)).in(streammap::object(weight)).name("collect", step);
      task.run([=](TaskContext &context) mutable {
        auto *data_ = context.pointer(0, data);
        auto *host_ = context.pointer(1, hostData);
        auto &sum_ = context.object(2, sum);
        auto &ends_ = context.object(3, ends);
        auto &weight_ = context.object(4, weight);
        long *scratch;
        CUDA(cudaMalloc(reinterpret_cast<void **>(&scratch), size * sizeof(long)));
        CUDA(cudaMemcpyAsync(scratch, data_, size * sizeof(long), cudaMemcpyDeviceToDevice));
        CUDA(cudaMemcpy(host_, scratch, size * sizeof(long), cudaMemcpyDeviceToHost));
        CUDA(cudaFree(scratch));
        for (int i = 0; i < size; ++i) {
          host_[i] += i;
          sum_ += host_[i] * weight_;
        }
        ends_ = {host_[0], host_[size - 1]};
      });
      ++weight;
    }
  }
  streammap::wait(LOCATION, section(hostData, 0, size), streammap::object(sum));
  long expectedSum = 0;
  expected.assign(size, 0);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < size; ++i) {
      expected[i] = i; // data stays zero: the module's variable is
      expectedSum += i * (step + 1);
    }
  }
  host.push_back(sum);
  expected.push_back(expectedSum);
  streammap::wait(LOCATION);
  host.push_back(ends.last);
  expected.push_back(size - 1);
  CUDA(cudaFree(data));
  return report("objects", host, expected);
}

/// Managed and pinned memory that both sides write, with cudaDeviceSynchronize between.
int managed(int size, int steps) {
  long *data, *pinned;
  CUDA(cudaMallocManaged(reinterpret_cast<void **>(&data), size * sizeof(long), cudaMemAttachGlobal));
  CUDA(cudaMallocHost(reinterpret_cast<void **>(&pinned), size * sizeof(long)));
  std::vector<long> expected(size);
  for (int i = 0; i < size; ++i)
    data[i] = expected[i] = i;
  for (int step = 0; step < steps; ++step) {
    TaskBuilder task(5, LOCATION, "scale");
    task.inout(section(data, 0, size)).name("scale", step);
    task.run([=](TaskContext &) mutable {
      CUDA(program().launch("scale", {}, nullptr, data, size, 2l, static_cast<int>(program().slot())));
    });
    TaskBuilder keep(6, LOCATION, "keep");
    keep.in(section(data, 0, size)).out(section(pinned, 0, size)).name("keep", step);
    keep.run([=](TaskContext &context) mutable {
      CUDA(cudaMemcpyAsync(context.pointer(1, pinned), context.pointer(0, data), size * sizeof(long),
                           cudaMemcpyDeviceToHost));
    });
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < size; ++i) {
      data[i] += pinned[i] % 10; // host code, on every rank
      expected[i] = expected[i] * 2;
      expected[i] += expected[i] % 10;
    }
  }
  std::vector<long> result(data, data + size);
  CUDA(cudaFree(data));
  CUDA(cudaFreeHost(pinned));
  return report("managed", result, expected);
}

/// A device variable, set from the host, is one variable although every device has its own.
int symbols(int size, int steps) {
  long *data;
  CUDA(cudaMalloc(reinterpret_cast<void **>(&data), size * sizeof(long)));
  CUDA(cudaMemset(data, 0, size * sizeof(long)));
  std::vector<long> result(size), expected(size);
  for (int step = 0; step < steps; ++step) {
    const long offset = step + 1;
    CUDA(cudaMemcpyToSymbol(program().shadow("offset"), &offset, sizeof offset, 0, cudaMemcpyHostToDevice));
    TaskBuilder task(7, LOCATION, "scale");
    task.inout(streammap::whole(data)).name("scale", step);
    task.run([=](TaskContext &context) mutable {
      CUDA(program().launch("scale", {}, nullptr, context.pointer(0, data), size, 2l,
                            static_cast<int>(program().slot())));
    });
    for (long &value : expected)
      value = value * 2 + offset;
  }
  CUDA(cudaMemcpy(result.data(), data, size * sizeof(long), cudaMemcpyDeviceToHost));
  CUDA(cudaFree(data));
  return report("symbols", result, expected);
}

/// Launches outside tasks and tasks that are switched off run on every rank.
int untasked(int size, int steps) {
  long *data;
  CUDA(cudaMalloc(reinterpret_cast<void **>(&data), size * sizeof(long)));
  CUDA(cudaMemset(data, 0, size * sizeof(long)));
  const long one = 1;
  CUDA(cudaMemcpyToSymbol(program().shadow("offset"), &one, sizeof one, 0, cudaMemcpyHostToDevice));
  std::vector<long> result(size), expected(size);
  const int slot = static_cast<int>(program().slot());
  for (int step = 0; step < steps; ++step) {
    CUDA(program().launch("scale", {}, nullptr, data, size, 2l, slot));
    TaskBuilder task(8, LOCATION, "scale");
    task.inout(section(data, 0, size)).when(step % 2 == 0).name("scale", step);
    task.run([=](TaskContext &context) mutable {
      CUDA(program().launch("scale", {}, nullptr, context.pointer(0, data), size, 3l, slot));
    });
    for (long &value : expected)
      value = (value * 2 + 1) * 3 + 1;
  }
  CUDA(cudaMemcpy(result.data(), data, size * sizeof(long), cudaMemcpyDeviceToHost));
  CUDA(cudaFree(data));
  return report("untasked", result, expected);
}

/// Misuse and misfortune: the runtime must end the run and say what happened.
int misuse(const char *what, int size) {
  long *data, *other;
  CUDA(cudaMalloc(reinterpret_cast<void **>(&data), size * sizeof(long)));
  CUDA(cudaMalloc(reinterpret_cast<void **>(&other), size * sizeof(long)));
  const bool unnamed = !std::strcmp(what, "unnamed"), beyond = !std::strcmp(what, "beyond");
  const bool exits = !std::strcmp(what, "exit"), killed = !std::strcmp(what, "killed");
  const bool alone = !std::strcmp(what, "alone");
  const int slot = static_cast<int>(program().slot());
  for (int step = 0; step < 4; ++step) {
    TaskBuilder task(9, LOCATION, "scale");
    task.inout(section(data, 0, beyond ? size + 1 : size)).name("scale", step);
    task.run([=](TaskContext &context) mutable {
      if (exits)
        std::exit(7);
      if (killed && step == 3)
        raise(SIGKILL);
      CUDA(
          program().launch("scale", {}, nullptr, unnamed ? other : context.pointer(0, data), size, 3l, slot));
    });
  }
  if (alone && !streammap::isRoot())
    std::exit(9);
  streammap::wait(LOCATION);
  std::puts("nothing happened");
  return 0;
}

/// Tasks long enough to be interrupted.
int slow(int count, int milliseconds) {
  std::vector<long *> data(count);
  std::vector<long> result(count), expected(count, 1);
  for (int i = 0; i < count; ++i) {
    CUDA(cudaMalloc(reinterpret_cast<void **>(&data[i]), sizeof(long)));
    CUDA(cudaMemset(data[i], 0, sizeof(long)));
    long *one = data[i];
    TaskBuilder task(10, LOCATION, "pause");
    task.inout(section(one, 0, 1)).name("pause", i);
    task.run([=](TaskContext &context) mutable {
      CUDA(program().launch("pause", {}, nullptr, context.pointer(0, one), milliseconds));
    });
  }
  streammap::wait(LOCATION);
  for (int i = 0; i < count; ++i)
    CUDA(cudaMemcpy(&result[i], data[i], sizeof(long), cudaMemcpyDeviceToHost));
  return report("slow", result, expected);
}

} // namespace

int main(int argc, char *argv[]) {
  const char *scenario = argc > 1 ? argv[1] : "stencil";
  const int size = argc > 2 ? std::atoi(argv[2]) : 16;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 4;
  program();
  const struct {
    const char *name;
    int (*run)(int, int);
  } scenarios[] = {{"stencil", stencil}, {"tiles", tiles},       {"objects", objects}, {"managed", managed},
                   {"symbols", symbols}, {"untasked", untasked}, {"slow", slow}};
  for (const auto &entry : scenarios)
    if (!std::strcmp(entry.name, scenario))
      return entry.run(size, steps);
  return misuse(scenario, size);
}
