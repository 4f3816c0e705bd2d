// streammap build: every source is transformed by streammap-annotate, then compiled and linked with the
// runtime.
#include "BuildPaths.h"
#include "Commands.h"
#include "build/BuildProgram.h"
#include "build/RunTool.h"
#include "build/Tools.h"
#include "build/WorkFolder.h"
#include "support/Files.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace fs = std::filesystem;

namespace streammap {
namespace {

struct Options {
  std::vector<std::string> sources;
  std::string output;
  std::string device = "cuda";
  std::string keep;
  std::string compileCommands;
  std::vector<std::string> flags;
  std::string diagnostics = "text";
  unsigned jobs = 2;
  bool count = false;
  bool checkAccesses = false;
  bool serial = false;
};

/// "src/app.cu" -> "<folder>/0-app.streammap.cu": sources of one name in two folders stay apart.
std::string transformedPath(const std::string &source, std::size_t index, const std::string &folder) {
  const fs::path path(source);
  return folder + "/" + std::to_string(index) + "-" + path.stem().string() + ".streammap" +
         path.extension().string();
}

/// Transforms all sources; exit code of the first run of streammap-annotate that fails.
Expected<int> transform(const Options &options, const std::string &folder,
                        std::vector<std::string> &transformed) {
  const Expected<std::string> annotate = findOwnFile(programFolder(), "streammap-annotate");
  if (!annotate)
    return std::unexpected(annotate.error());
  for (std::size_t i = 0; i < options.sources.size(); ++i) {
    transformed.push_back(transformedPath(options.sources[i], i, folder));
    std::vector<std::string> command{*annotate,          "annotate",      options.sources[i], "--emit",
                                     transformed.back(), "--diagnostics", options.diagnostics};
    if (!options.compileCommands.empty())
      command.insert(command.end(), {"--compile-commands", options.compileCommands});
    command.push_back("--");
    command.insert(command.end(), options.flags.begin(), options.flags.end());
    const Expected<ToolRun> ran = runTool(command);
    if (!ran)
      return std::unexpected(ran.error());
    std::fputs(ran->output.c_str(), stderr);
    if (ran->exitCode != 0)
      return ran->exitCode;
  }
  return 0;
}

/// What a transformed program is compiled and linked with, in the build tree or where it is installed.
Expected<void> addRuntime(BuildOptions &build) {
  const std::string tools = programFolder();
  const bool installed = fs::exists(tools + "/" + installedRuntimeHeaders + "/streammap/streammap.h");
  build.includes.push_back(installed ? tools + "/" + installedRuntimeHeaders
                                     : std::string(sourceRuntimeHeaders));
  const std::string symbolsFile =
      installed ? tools + "/" + installedWrappedSymbols : std::string(sourceWrappedSymbols);
  const Expected<std::string> symbols = readFile(symbolsFile);
  if (!symbols)
    return std::unexpected(symbols.error());
  for (std::string_view symbol : split(*symbols, '\n'))
    if (!symbol.empty())
      build.wrappedSymbols.emplace_back(symbol);
  for (const char *library : {"libstreammap_runtime.a", "libstreammap_model.a", "libstreammap_support.a"}) {
    const Expected<std::string> found =
        findOwnFile(tools, std::string(installed ? installedLibraries : builtLibraries) + "/" + library);
    if (!found)
      return std::unexpected(found.error());
    build.linkInputs.push_back(*found);
  }
  for (std::string_view flag : split(mpiLibraries, ';'))
    if (!flag.empty())
      build.linkInputs.emplace_back(flag);
  build.linkInputs.emplace_back("-lpthread");
  return {};
}

ExitCode buildProgram(const Options &options) {
  if (options.device != "cpu" && (options.count || options.checkAccesses)) {
    std::fprintf(stderr, "streammap: error: --count and --check-accesses need --device cpu\n");
    return ExitCode::wrongUsage;
  }
  const Expected<WorkFolder> folder = WorkFolder::make(options.keep);
  if (!folder)
    return environmentFailure(folder.error().message);
  BuildOptions build;
  build.output = options.output;
  build.flags = options.flags;
  build.keepDirectory = options.keep;
  build.jobs = options.jobs;
  build.counting = options.count ? CountOperations::yes : CountOperations::no;
  build.accessChecks = options.checkAccesses ? CheckAccesses::yes : CheckAccesses::no;
  if (options.serial) {
    build.sources = options.sources;
  } else {
    const Expected<int> exitCode = transform(options, folder->path(), build.sources);
    if (!exitCode)
      return environmentFailure(exitCode.error().message);
    if (*exitCode != 0)
      return static_cast<ExitCode>(*exitCode);
    // The transformed text is elsewhere: what a source includes by "name" is still searched beside the
    // original.
    for (const std::string &source : options.sources)
      build.includes.push_back(fs::absolute(source).parent_path().string());
    if (Expected<void> added = addRuntime(build); !added)
      return environmentFailure(added.error().message);
  }
  Diagnostics diagnostics;
  const Expected<void> built =
      options.device == "cpu" ? buildCpuProgram(build, diagnostics) : buildCudaProgram(build, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!built)
    return environmentFailure(built.error().message);
  return diagnostics.hasErrors() ? ExitCode::inputErrors : ExitCode::done;
}

} // namespace

void addBuildCommand(CLI::App &app, const std::vector<std::string> &passedOn, ExitCode &exitCode) {
  auto options = std::make_shared<Options>();
  options->flags = passedOn;
  CLI::App *command =
      app.add_subcommand("build", "Turn a program's sources into an executable that 'run' starts");
  command->footer("Compiler flags follow after --.\n"
                  "Example: streammap build main.cu kernels.cu -o app --device cpu -- -O3 -DN=64\n"
                  "--device cuda needs nvcc; --device cpu needs clang-22 and no GPU.");
  command->add_option("sources", options->sources, "All sources of the program: .cu and C++")->required();
  command->add_option("-o,--output", options->output, "The executable")->required();
  command->add_option("--device", options->device, "What it runs on")->check(CLI::IsMember({"cuda", "cpu"}));
  command->add_option("--keep", options->keep, "Leave transformed sources and objects in this folder");
  command->add_option("--compile-commands", options->compileCommands,
                      "A compile_commands.json to take flags from");
  command->add_flag("--serial", options->serial, "Ignore the pragmas: the program as it is, on one device");
  command->add_flag("--count", options->count,
                    "CPU device: kernels count what they execute (STREAMMAP_CPU_COUNTS)");
  command->add_flag("--check-accesses", options->checkAccesses,
                    "CPU device: kernels may touch only what their task's clauses name; slow");
  command->add_option("-j,--jobs", options->jobs, "Compilers at once")->check(CLI::Range(1u, 256u));
  command->add_option("--diagnostics", options->diagnostics, "Form of messages")
      ->check(CLI::IsMember({"text", "json", "sarif"}));
  command->callback([options, &exitCode] { exitCode = buildProgram(*options); });
}

} // namespace streammap
