// Kernels that the CPU device cannot run stop the build, and the message says which instruction of which
// kernel on which line.
#include "build/RunTool.h"
#include "support/Catch.h"
#include <string>

using namespace streammap;

namespace {

ToolRun build(const std::string &name) {
  const auto run =
      runTool({STREAMMAP_RUN_CPU_PROGRAM, STREAMMAP_SOURCE_DIR "/test/cpudevice/refused/" + name});
  REQUIRE(run);
  return *run;
}

void checkMentions(const ToolRun &run, const std::vector<std::string> &parts) {
  for (const std::string &part : parts) {
    INFO(run.output);
    INFO("expected: " << part);
    CHECK(run.output.find(part) != std::string::npos);
  }
}

} // namespace

TEST_CASE("inline PTX without an equivalent is refused by kernel, text and line") {
  const ToolRun run = build("inline-ptx.cu");
  CHECK(run.exitCode == 1);
  checkMentions(run, {"inline-ptx.cu:3:3: error: kernel 'copies(int*)' uses inline PTX 'cp.async.wait_all'"});
  CHECK(run.output.find("fine") == std::string::npos);
}

TEST_CASE("what a CUDA header uses is reported where the program calls it") {
  const ToolRun run = build("in-a-header.cu");
  CHECK(run.exitCode == 1);
  checkMentions(run,
                {"in-a-header.cu:4:", "kernel 'texture(unsigned long long, float*)' uses", "note: in '"});
}

TEST_CASE("a recursive function that waits is refused by name") {
  const ToolRun run = build("waiting-recursion.cu");
  CHECK(run.exitCode == 1);
  checkMentions(
      run, {"waiting-recursion.cu", "'descend(int)' waits at a barrier or warp operation and is recursive"});
}

TEST_CASE("a variable that starts as another's address is refused") {
  const ToolRun run = build("address-in-initialiser.cu");
  CHECK(run.exitCode == 1);
  checkMentions(run, {"the initial value of 'pointer' is the address of 'target'"});
}

TEST_CASE("the compiler's own errors pass through once") {
  const ToolRun run = build("syntax.cu");
  CHECK(run.exitCode == 1);
  checkMentions(run, {"syntax.cu:1:39: error: use of undeclared identifier 'undeclared'"});
  CHECK(run.output.find("undeclared identifier", run.output.find("undeclared identifier") + 1) ==
        std::string::npos);
}

TEST_CASE("device code that is not device code is a failure of the environment") {
  const auto run = runTool({STREAMMAP_BINARY_DIR "/bin/streammap-lower",
                            STREAMMAP_SOURCE_DIR "/CMakeLists.txt", "-o", "/dev/null", "--module-id", "x"});
  REQUIRE(run);
  CHECK(run->exitCode == 4);
  checkMentions(*run, {"cannot read device IR"});
}
