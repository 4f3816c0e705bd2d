#include "streammap/AccessChecker.h"
#include "cpu/ModuleAbi.h"
#include <algorithm>

// There on the CPU device only.
extern "C" [[gnu::weak]] void smcpuCheckAccesses(SmcpuAccessChecker checker, void *context);

namespace streammap::engine {
namespace {

bool covers(const Intervals &intervals, Interval wanted) {
  auto after = std::ranges::upper_bound(intervals, wanted.begin, {}, &Interval::begin);
  return after != intervals.begin() && std::prev(after)->end >= wanted.end;
}

} // namespace

AccessChecker::AccessChecker(const Operation &task, const LocalMemory &memory, int device)
    : taskName_(task.task->name) {
  for (const Use &use : task.uses) {
    if (placeOf(*use.buffer, device) == homePlace)
      continue; // used where it lies, together with whatever else is there
    auto known = std::ranges::find(buffers_, use.buffer, &Watched::buffer);
    if (known == buffers_.end())
      known = buffers_.insert(buffers_.end(), {use.buffer, memory.address(*use.buffer, device), {}, {}});
    // What it writes it may read again.
    known->readable.insert(known->readable.end(), use.intervals.begin(), use.intervals.end());
    if (writes(use.mode))
      known->writable.insert(known->writable.end(), use.intervals.begin(), use.intervals.end());
  }
  for (Watched &watched : buffers_) {
    watched.readable = normalised(std::move(watched.readable));
    watched.writable = normalised(std::move(watched.writable));
  }
}

const char *AccessChecker::judge(const void *address, std::size_t size, bool isWrite) {
  const char *first = static_cast<const char *>(address);
  for (const Watched &watched : buffers_) {
    if (first < watched.base || first >= watched.base + watched.buffer->size)
      continue;
    const auto offset = static_cast<std::uint64_t>(first - watched.base);
    if (covers(isWrite ? watched.writable : watched.readable, {offset, offset + size}))
      return nullptr;
    if (found_.test_and_set())
      return "outside the sections of its task";
    message_ = "at byte " + std::to_string(offset) + " of " + watched.buffer->name +
               (isWrite ? ", which no out or inout clause of task " : ", which no clause of task ") +
               taskName_ + " names";
    return message_.c_str();
  }
  return nullptr; // scratch memory, host memory
}

void AccessChecker::watchThisThread(AccessChecker *checker) {
  if (!smcpuCheckAccesses)
    return;
  if (!checker) {
    smcpuCheckAccesses(nullptr, nullptr);
    return;
  }
  smcpuCheckAccesses(
      [](void *context, const void *address, std::size_t size, int isWrite) {
        return static_cast<AccessChecker *>(context)->judge(address, size, isWrite != 0);
      },
      checker);
}

} // namespace streammap::engine
