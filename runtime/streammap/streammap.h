#pragma once
// What a transformed program calls: each `#pragma streammap` of the source became calls of this header.
//
//   #pragma streammap task name(gemm, i, j) in(a[0:n]) inout(c[0:n])       in the source
//   gemm<<<grid, block>>>(a, c, n);
//
//   { ::streammap::TaskBuilder sm_task(3, "cholesky.cu:102:5", "gemm");   in the transformed source
//     sm_task.name("gemm", i, j).in(::streammap::section(a, 0, n)).inout(::streammap::section(c, 0, n));
//     sm_task.run([=](::streammap::TaskContext &sm_context) mutable {
//       auto &sm_b0 = a; auto &sm_b1 = c;
//       { auto a = sm_context.pointer(0, sm_b0); auto c = sm_context.pointer(1, sm_b1);
//         gemm<<<grid, block>>>(a, c, n); } }); }
//
// A task is met in program order on every rank, runs later on one of them, and must therefore own what it
// uses: the closure captures by value. Objects named in clauses are used in place and live until the next
// wait, but those that are only read, and that no task of late writes, are copied as they are now. C++17, no
// other header of ours, no CUDA header: nvcc, clang -x cuda and a plain C++ compiler all take it.
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

struct CUstream_st; // cudaStream_t is a pointer to it

namespace streammap {

#ifndef STREAMMAP_DEVICE_KIND // model/TaskGraph.h has the same enumeration; the runtime includes both
#define STREAMMAP_DEVICE_KIND
enum class DeviceKind { gpu, cpu, any };
#endif

/// Memory that a clause names: `count` runs of `size` bytes, `stride` bytes apart, the first `offset` bytes
/// after `base` (the pointer as the program wrote it, so that the task can be given the same pointer on its
/// device).
struct Section {
  const void *base = nullptr;
  long long offset = 0;
  unsigned long long size = 0;
  unsigned long long stride = 0;
  unsigned long long count = 1;
  bool wholeAllocation = false; ///< size unknown here: everything that was allocated around `base`
  bool isObject = false;        ///< a scalar, struct or fixed array by its name
};

/// `a[lower : length : stride]`, counted in elements.
template <class T>
Section section(T *base, long long lower, long long length, long long stride = 1) {
  static_assert(!std::is_void<T>::value && !std::is_function<T>::value,
                "a section needs a pointer to objects of known size");
  const long long element = static_cast<long long>(sizeof(T));
  if (length <= 0)
    return {base, lower * element, 0, 0, 1, false};
  if (stride == 1)
    return {base, lower * element, static_cast<unsigned long long>(length * element), 0, 1, false};
  return {base,
          lower * element,
          sizeof(T),
          static_cast<unsigned long long>(stride * element),
          static_cast<unsigned long long>(length),
          false};
}

/// `([rows][columns])p[i : height][j : width]`: `height` rows of `width` elements of an array `columns` wide.
template <class T>
Section section2d(T *base, long long columns, long long i, long long height, long long j, long long width) {
  const long long element = static_cast<long long>(sizeof(T));
  if (height <= 0 || width <= 0)
    return {base, (i * columns + j) * element, 0, 0, 1, false};
  if (width == columns || height == 1)
    return {
        base, (i * columns + j) * element, static_cast<unsigned long long>(height * width * element), 0, 1,
        false};
  return {base,
          (i * columns + j) * element,
          static_cast<unsigned long long>(width * element),
          static_cast<unsigned long long>(columns * element),
          static_cast<unsigned long long>(height),
          false};
}

/// `m[i : height][j : width]` on an array `T m[rows][columns]`, or a pointer to such rows.
template <class T, std::size_t columns>
Section section2d(T (*rows)[columns], long long i, long long height, long long j, long long width) {
  return section2d(&rows[0][0], static_cast<long long>(columns), i, height, j, width);
}

/// A scalar, struct or fixed array, named as such in a clause.
template <class T>
Section object(T &value) {
  static_assert(
      std::is_trivially_copyable<T>::value,
      "an object in a clause is copied between ranks as bytes: name the data it points to as a section");
  return {&value, 0, sizeof(T), 0, 1, false, true};
}

/// A bare pointer: the whole allocation it points into.
template <class T>
Section whole(T *base) {
  return {base, 0, 0, 0, 1, true};
}

/// Where a task runs; given to its closure.
class TaskContext {
public:
  /// What to use for the `index`-th section of the task (in order of appearance) in place of `base`, the
  /// pointer the program uses: the same address on the task's device.
  template <class T>
  T *pointer(std::size_t index, T *const &base) const {
    return static_cast<T *>(const_cast<void *>(translate(index, base)));
  }
  template <class T, std::size_t count>
  T *pointer(std::size_t index, T (&base)[count]) const {
    return pointer<T>(index, static_cast<T *>(base));
  }
  /// The object named by the `index`-th section. `captured` gives the type only: it is the closure's copy.
  template <class T>
  T &object(std::size_t index, const T &captured) const {
    (void)captured;
    return *static_cast<T *>(const_cast<void *>(place(index)));
  }
  /// The task's device and stream, for libraries that take them; null on the node's cores.
  CUstream_st *stream() const { return stream_; }
  /// CUDA's number of the device; -1 on the node's cores.
  int device() const { return device_; }

  /// Made by the runtime. `places` is where each section's base lies for this task.
  TaskContext(const void *const *bases, const void *const *places, std::size_t count, CUstream_st *stream,
              int device)
      : bases_(bases), places_(places), count_(count), stream_(stream), device_(device) {}

private:
  const void *place(std::size_t index) const { return index < count_ ? places_[index] : nullptr; }
  const void *translate(std::size_t index, const void *base) const {
    if (index >= count_)
      return base;
    return static_cast<const char *>(places_[index]) +
           (static_cast<const char *>(base) - static_cast<const char *>(bases_[index]));
  }

  const void *const *bases_;
  const void *const *places_;
  std::size_t count_;
  CUstream_st *stream_;
  int device_;
};

namespace detail {

enum class Mode { in, out, inout };

struct SectionUse {
  Mode mode;
  Section section;
};

/// A key of `together` or `apart`: a number or a text.
struct Key {
  template <class Number,
            class = std::enable_if_t<std::is_integral<Number>::value || std::is_enum<Number>::value>>
  Key(Number value) : number(static_cast<long long>(value)) {}
  Key(const char *value) : text(value) {}
  long long number = 0;
  const char *text = nullptr;
};

/// Everything a pragma says, as plain data: the border between the program and the runtime.
struct TaskDescription {
  unsigned site = 0;
  const char *location = "";
  const char *defaultName = "";
  const char *name = nullptr; ///< null: the default name and a counter
  const long long *nameIndices = nullptr;
  std::size_t nameIndexCount = 0;
  const SectionUse *sections = nullptr;
  std::size_t sectionCount = 0;
  // The programmer's own figures and constraints; negative or null where nothing was said.
  double flops = -1, bytes = -1, seconds = -1, memory = -1, capability = -1, priority = 0;
  DeviceKind device = DeviceKind::gpu;
  const char *const *models = nullptr;
  std::size_t modelCount = 0;
  const Key *together = nullptr;
  std::size_t togetherCount = 0;
  const Key *apart = nullptr;
  std::size_t apartCount = 0;
  long long nodeNumber = -1;
  const char *nodeName = nullptr;
};

/// A closure without its type. `destroy` is called exactly once, also when the task runs on another rank.
struct Closure {
  void *state;
  void (*call)(void *state, TaskContext &context);
  void (*destroy)(void *state);
};

void submit(const TaskDescription &task, Closure closure);
void runInline(const TaskDescription &task, Closure closure);
void wait(const char *location, const Section *sections, std::size_t count);

} // namespace detail

/// Collects the clauses of one task; `run` hands it over.
class TaskBuilder {
public:
  TaskBuilder(unsigned site, const char *location, const char *defaultName) {
    task_.site = site;
    task_.location = location;
    task_.defaultName = defaultName;
  }
  TaskBuilder &in(const Section &section) { return use(detail::Mode::in, section); }
  TaskBuilder &out(const Section &section) { return use(detail::Mode::out, section); }
  TaskBuilder &inout(const Section &section) { return use(detail::Mode::inout, section); }
  template <class... Index>
  TaskBuilder &name(const char *name, Index... indices) {
    task_.name = name;
    indices_ = {static_cast<long long>(indices)...};
    return *this;
  }
  TaskBuilder &flops(double value) { return task_.flops = value, *this; }
  TaskBuilder &bytes(double value) { return task_.bytes = value, *this; }
  TaskBuilder &seconds(double value) { return task_.seconds = value, *this; }
  TaskBuilder &memory(double value) { return task_.memory = value, *this; }
  TaskBuilder &device(DeviceKind kind) { return task_.device = kind, *this; }
  TaskBuilder &capability(double value) { return task_.capability = value, *this; }
  template <class... Name>
  TaskBuilder &model(Name... names) {
    (models_.push_back(names), ...);
    return *this;
  }
  template <class... Key>
  TaskBuilder &together(Key... keys) {
    (together_.push_back(keys), ...);
    return *this;
  }
  template <class... Key>
  TaskBuilder &apart(Key... keys) {
    (apart_.push_back(keys), ...);
    return *this;
  }
  TaskBuilder &node(const char *name) { return task_.nodeName = name, *this; }
  TaskBuilder &node(long long number) { return task_.nodeNumber = number, *this; }
  TaskBuilder &priority(double value) { return task_.priority = value, *this; }
  TaskBuilder &when(bool condition) { return when_ = condition, *this; }

  /// Hands the task over; it runs later, on the device it was placed on, or now where `when` was false.
  template <class Function>
  void run(Function function) {
    task_.nameIndices = indices_.data();
    task_.nameIndexCount = indices_.size();
    task_.sections = sections_.data();
    task_.sectionCount = sections_.size();
    task_.models = models_.data();
    task_.modelCount = models_.size();
    task_.together = together_.data();
    task_.togetherCount = together_.size();
    task_.apart = apart_.data();
    task_.apartCount = apart_.size();
    detail::Closure closure{
        new Function(std::move(function)),
        [](void *state, TaskContext &context) { (*static_cast<Function *>(state))(context); },
        [](void *state) { delete static_cast<Function *>(state); }};
    if (when_)
      detail::submit(task_, closure);
    else
      detail::runInline(task_, closure);
  }

private:
  TaskBuilder &use(detail::Mode mode, const Section &section) {
    sections_.push_back({mode, section});
    return *this;
  }

  detail::TaskDescription task_;
  std::vector<detail::SectionUse> sections_;
  std::vector<long long> indices_;
  std::vector<detail::Key> together_, apart_;
  std::vector<const char *> models_;
  bool when_ = true;
};

/// `#pragma streammap wait`: every task is done, and memory the host can reach holds its results on every
/// rank.
inline void wait(const char *location) {
  detail::wait(location, nullptr, 0);
}

/// `#pragma streammap wait on(...)`: only these sections.
template <class... More>
void wait(const char *location, const Section &first, const More &...more) {
  const Section sections[] = {first, more...};
  detail::wait(location, sections, 1 + sizeof...(more));
}

/// `#pragma streammap root`: true on one rank.
bool isRoot();

} // namespace streammap
