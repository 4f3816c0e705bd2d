// run-cpu-program SOURCE.cu... [--count] [--check-accesses]: builds the sources for the CPU device, runs the
// program, and ends as it ended. What ctest runs for each of the programs in programs/, which check their own
// results.
#include "build/BuildProgram.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>

using namespace streammap;

int main(int argc, char *argv[]) {
  BuildOptions options;
  options.toolFolder = STREAMMAP_BINARY_DIR "/bin";
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--count")
      options.counting = CountOperations::yes;
    else if (std::string(argv[i]) == "--check-accesses")
      options.accessChecks = CheckAccesses::yes;
    else
      options.sources.emplace_back(argv[i]);
  }
  std::string folder = (std::filesystem::temp_directory_path() / "cpu-program-XXXXXX").string();
  if (!::mkdtemp(folder.data()))
    return 4;
  options.output = folder + "/program";
  Diagnostics diagnostics;
  int code = 1;
  if (const auto built = buildCpuProgram(options, diagnostics); !built) {
    std::fprintf(stderr, "%s\n", built.error().message.c_str());
    code = 4;
  } else if (!diagnostics.hasErrors()) {
    const int status = std::system(options.output.c_str());
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::filesystem::remove_all(folder);
  return code;
}
