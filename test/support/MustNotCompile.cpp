// Mistakes the types must refuse. must_not_compile.sh compiles each CASE alone, which must fail, and all of
// them as their right twins (CASE 0 with TWIN), which must pass, so that no case fails for another reason.
#include "model/Cluster.h"

using namespace streammap;

#ifdef TWIN
#define WRONG(wrong, right) right
#else
#define WRONG(wrong, right) wrong
#endif

namespace {

[[maybe_unused]] void useTask(TaskId) {}

void tried() {
#if CASE == 1 || CASE == 0 // units do not add across dimensions
  {
    [[maybe_unused]] auto sum = bytes(1) + WRONG(seconds(1), bytes(1));
  }
#endif
#if CASE == 2 || CASE == 0 // a bare number is no quantity
  {
    [[maybe_unused]] Bytes size = WRONG(4096, bytes(4096));
  }
#endif
#if CASE == 3 || CASE == 0 // bytes over bytes per second is a time
  {
    [[maybe_unused]] WRONG(Bytes, Seconds) time = bytes(1) / bytesPerSecond(1);
  }
#endif
#if CASE == 4 || CASE == 0 // a device is no task
  {
    useTask(WRONG(DeviceId(1), TaskId(1)));
  }
#endif
#if CASE == 5 || CASE == 0 // a number is no task
  {
    useTask(WRONG(1, TaskId(1)));
  }
#endif
#if CASE == 6 || CASE == 0 // a vector is indexed by its own ids
  {
    IndexedVector<TaskId, int> tasks{7};
    [[maybe_unused]] int found = tasks[WRONG(DeviceId(0), TaskId(0))];
  }
#endif
#if CASE == 7 || CASE == 0 // ids of two kinds do not compare
  {
    [[maybe_unused]] bool same = TaskId(1) == WRONG(KernelId(1), TaskId(1));
  }
#endif
#if CASE == 8 || CASE == 0 // milliseconds of a size make no sense
  {
    [[maybe_unused]] double number = WRONG(bytes(1), seconds(1)).inMilliseconds();
  }
#endif
#if CASE == 9 || CASE == 0 // watts are no joules
  {
    [[maybe_unused]] bool less = watts(1) < WRONG(joules(1), joules(1) / seconds(1));
  }
#endif
}

} // namespace

int main() {
  tried();
}
