#include "build/RunTool.h"
#include "build/BuildProgram.h"
#include "build/Tools.h"
#include "build/WorkFolder.h"
#include "support/Catch.h"
#include <cstdlib>
#include <filesystem>

using namespace streammap;

TEST_CASE("a tool's output, errors and exit code come back") {
  const auto run = runTool({"sh", "-c", "echo out; echo err >&2; exit 3"});
  REQUIRE(run);
  CHECK(run->output == "out\nerr\n");
  CHECK(run->exitCode == 3);
}

TEST_CASE("a tool ended by a signal says which") {
  const auto run = runTool({"sh", "-c", "kill -9 $$"});
  REQUIRE(run);
  CHECK(run->exitCode == 128 + 9);
}

TEST_CASE("a tool that is not there is a failure with its name") {
  const auto run = runTool({"no-such-compiler-here"});
  REQUIRE_FALSE(run);
  CHECK(run.error().message == "cannot start no-such-compiler-here: No such file or directory");
}

TEST_CASE("a command line can be pasted into a shell") {
  CHECK(commandLine({"cc", "-DX=a b", "file.c"}) == "cc '-DX=a b' file.c");
}

TEST_CASE("temporary folders go, kept ones stay") {
  std::string temporary;
  {
    const auto folder = WorkFolder::make("");
    REQUIRE(folder);
    temporary = folder->path();
    CHECK(std::filesystem::is_directory(temporary));
  }
  CHECK_FALSE(std::filesystem::exists(temporary));
  const std::string kept = (std::filesystem::temp_directory_path() / "streammap-kept-folder").string();
  {
    REQUIRE(WorkFolder::make(kept));
  }
  CHECK(std::filesystem::remove_all(kept) == 1);
}

TEST_CASE("without its own compiler beside it, a build says what to install") {
  BuildOptions options{.sources = {"a.cu"}, .output = "/dev/null"};
  options.toolFolder = "/nonexistent";
  Diagnostics diagnostics;
  const auto built = buildCpuProgram(options, diagnostics);
  REQUIRE_FALSE(built);
  CHECK(built.error().message.find("cannot find ") == 0);
}

TEST_CASE("a Clang that is named but missing is an error, not ignored") {
  ::setenv("STREAMMAP_CLANG", "/nonexistent/clang++", 1);
  const auto found = findClang();
  ::unsetenv("STREAMMAP_CLANG");
  REQUIRE_FALSE(found);
  CHECK(found.error().message.find("/nonexistent/clang++") != std::string::npos);
}
