// streammap-lower: device IR of one CUDA file -> host object for the CPU device. `streammap build --device
// cpu` runs it; see lib/cpudevice/LowerDeviceCode.h.
#include "cpudevice/LowerDeviceCode.h"
#include "support/Files.h"
#include <CLI/CLI.hpp>
#include <cstdio>

using namespace streammap;

namespace {
enum ExitCode { done = 0, inputErrors = 1, wrongUsage = 2, environmentFailed = 4 };
} // namespace

int main(int argc, char *argv[]) {
  CLI::App app("Compiles CUDA device code (LLVM IR) to a host object for the CPU device.\n"
               "Example: streammap-lower app.bc -o app.kernels.o --module-id app-1");
  std::string input, output;
  LowerOptions options;
  bool count = false, checkAccesses = false;
  app.add_option("input", input, "Unoptimised device IR of one file")->required();
  app.add_option("-o,--output", output, "Object file to write")->required();
  app.add_option("--module-id", options.moduleId, "What the host object's GPU binary contains")->required();
  app.add_option("-O", options.optimisation, "Optimisation of the host code, 0 to 3")
      ->check(CLI::Range(0, 3));
  app.add_flag("--count", count, "Count flops, bytes and barriers per launch");
  app.add_flag("--check-accesses", checkAccesses, "Ask the runtime about every access to global memory");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    const int code = app.exit(error);
    return code == 0 ? done : wrongUsage;
  }
  options.counting = count ? Counting::on : Counting::off;
  options.accessChecks = checkAccesses ? AccessChecks::on : AccessChecks::off;
  Diagnostics diagnostics;
  const Expected<std::string> object = lowerDeviceCode(input, options, diagnostics);
  if (!object) {
    std::fprintf(stderr, "streammap-lower: error: %s\n", object.error().message.c_str());
    return environmentFailed;
  }
  if (diagnostics.hasErrors()) {
    std::fputs(toText(diagnostics).c_str(), stderr);
    return inputErrors;
  }
  if (const auto written = writeFileWhole(output, *object); !written) {
    std::fprintf(stderr, "streammap-lower: error: %s\n", written.error().message.c_str());
    return environmentFailed;
  }
  return done;
}
