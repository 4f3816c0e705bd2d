// Counting builds: what the file says after the program has ended. The program is this one, run again.
#include "cpu/Counters.h"
#include "runtime/cpu/Environment.h"
#include "runtime/cpu/FakeProgram.h"
#include "support/Catch.h"
#include "support/Files.h"
#include "support/TemporaryFolder.h"
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace streammap::test;

namespace {

/// Counts ten flops per block.
void counting(SmcpuLaunch *launch, uint32_t, uint32_t, uint32_t, char *) {
  if (launch->counters)
    __atomic_fetch_add(&launch->counters[1], 10, __ATOMIC_RELAXED);
}

void runProgram(const std::string &countsFile) {
  setenv("STREAMMAP_CPU_COUNTS", countsFile.c_str(), 1);
  const FakeProgram program("counters-test",
                            {{.symbol = "work", .run = counting, .metrics = {"atomics", "flops_fp32"}},
                             {.symbol = "idle", .run = counting}});
  program.launch("work", {5, 1}, nullptr);
  program.launch("work", {2, 1}, nullptr);
  // No synchronisation: the end of the program must not lose work.
  std::exit(0);
}

/// Runs the program in a child of its own; its exit status.
int exitStatus(const std::string &countsFile) {
  const pid_t child = fork();
  if (child == 0)
    runProgram(countsFile);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST_CASE("totals of all launches are written at exit, kernels by symbol") {
  const streammap::TemporaryFolder folder;
  const std::string file = folder.path() + "/counts.json";
  REQUIRE(exitStatus(file) == 0);
  const auto text = streammap::readFile(file);
  REQUIRE(text);
  CHECK(*text == R"({
 "schema": "streammap.counts/1",
 "kernels": [
  {
   "symbol": "idle",
   "name": "idle",
   "launches": 0,
   "counts": {}
  },
  {
   "symbol": "work",
   "name": "work",
   "launches": 2,
   "counts": {
    "atomics": 0,
    "flops_fp32": 70
   }
  }
 ]
}
)");
}

TEST_CASE("counts that cannot be written are an error of the program") {
  CHECK(exitStatus("/no/such/folder/counts.json") == 1);
}
