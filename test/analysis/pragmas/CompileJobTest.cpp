// Flags of nvcc and of databases become arguments for Clang.
#include "analysis/CompileJob.h"
#include "ParseText.h"
#include "support/Catch.h"
#include <algorithm>

namespace streammap::test {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("nvcc's own flags are dropped with their values") {
  CHECK(clangFlags({"-gencode", "arch=compute_90,code=sm_90", "-arch=sm_90", "-Xptxas", "-v",
                    "--expt-relaxed-constexpr", "-lineinfo", "-ccbin", "g++-12", "-maxrregcount", "64", "-c",
                    "-o", "a.o", "--use_fast_math"}) == Words{});
}

TEST_CASE("what a parse needs stays") {
  CHECK(clangFlags({"-O3", "-I", "include", "-Ilib", "-DN=4", "-D", "M", "-isystem", "/x", "-include", "a.h",
                    "-fPIC"}) == Words{"-O3", "-I", "include", "-Ilib", "-DN=4", "-D", "M", "-isystem", "/x",
                                       "-include", "a.h", "-fPIC"});
}

TEST_CASE("host compiler flags are taken out of -Xcompiler") {
  CHECK(clangFlags({"-Xcompiler", "-fopenmp,-Wall,-DX=1", "-Xcompiler=-fPIC"}) ==
        Words{"-fopenmp", "-DX=1", "-fPIC"});
}

TEST_CASE("standards below C++17 are raised") {
  CHECK(clangFlags({"-std=c++11"}) == Words{"-std=c++17"});
  CHECK(clangFlags({"--std", "gnu++14"}) == Words{"-std=gnu++17"});
  CHECK(clangFlags({"-std=c++20"}) == Words{"-std=c++20"});
}

TEST_CASE("relocatable device code keeps its meaning") {
  CHECK(clangFlags({"-rdc=true"}) == Words{"-fgpu-rdc"});
  CHECK(clangFlags({"-rdc", "false"}) == Words{});
  CHECK(clangFlags({"-dc"}) == Words{"-fgpu-rdc"});
}

TEST_CASE("a compilation database above the source gives its flags") {
  SourceFolder temporary;
  const std::string source = temporary.write("src/a.cu", "int main() { return N; }\n");
  temporary.write("compile_commands.json",
                  R"([{"directory": ")" + temporary.path() + R"(", "file": "src/a.cu",
      "command": "nvcc -DN=0 -arch=sm_90 -c src/a.cu -o a.o"}])");
  const ParsedText parsed = parseFile(source);
  INFO(toText(parsed.diagnostics));
  CHECK(parsed.diagnostics.all().empty());
  REQUIRE(parsed.unit);
  CHECK(parsed.unit->job().directory == temporary.path());
}

TEST_CASE("a database that was asked for must hold the source") {
  SourceFolder temporary;
  const std::string source = temporary.write("a.cu", "int main() {}\n");
  const std::string database = temporary.write("db/compile_commands.json", "[]");
  Diagnostics diagnostics;
  CHECK(resolveJobs({source}, database, {}, diagnostics).empty());
  REQUIRE(diagnostics.errorCount() == 1);
  CHECK(diagnostics.all()[0].code == "not-in-compile-commands");
}

TEST_CASE("a broken database is an error that names it") {
  SourceFolder temporary;
  const std::string source = temporary.write("a.cu", "int main() {}\n");
  const std::string database = temporary.write("db/compile_commands.json", "[{\"directory\": ");
  Diagnostics diagnostics;
  CHECK(resolveJobs({source}, database, {}, diagnostics).empty());
  REQUIRE(diagnostics.errorCount() == 1);
  CHECK(diagnostics.all()[0].code == "bad-compile-commands");
  CHECK(diagnostics.all()[0].location.file == database);
}

TEST_CASE("a macro called N does not break the toolkit's headers") {
  unsetenv("STREAMMAP_NO_CUDA");
  if (!findCudaToolkit()) {
    WARN("skipped: no CUDA toolkit found");
    return;
  }
  SourceFolder temporary;
  Diagnostics diagnostics;
  const std::string source =
      temporary.write("a.cu", "__global__ void k() {}\nint main() { k<<<N, X>>>(); int m = max(N, 3u); }\n");
  parseHost(resolveJobs({source}, {}, {"-DN=3", "-DX=2"}, diagnostics)[0], diagnostics);
  INFO(toText(diagnostics));
  CHECK(diagnostics.all().empty());
}

} // namespace
} // namespace streammap::test
