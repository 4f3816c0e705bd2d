#include "build/BuildProgram.h"
#include "build/CompileAll.h"
#include "build/CompilerFlags.h"
#include "build/RunTool.h"
#include "build/Tools.h"
#include "build/WorkFolder.h"
#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace streammap {
namespace {

using Command = std::vector<std::string>;

Command compileCommand(const std::string &nvcc, const BuildOptions &options, const std::string &source,
                       const std::string &object) {
  Command command{nvcc, "-std=c++17", "-O2", "-Xcompiler", "-Wno-unknown-pragmas"};
  const std::vector<std::string> flags = flagsForNvcc(options.flags);
  // nvcc takes one standard and one optimisation level: the user's.
  for (const std::string &flag : flags) {
    if (flag.starts_with("-std") || flag.starts_with("--std"))
      std::erase(command, "-std=c++17");
    if (flag.starts_with("-O"))
      std::erase(command, "-O2");
  }
  for (const std::string &directory : options.includes)
    command.push_back("-I" + directory);
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-c", source, "-o", object});
  return command;
}

/// Flags that decide the device link as well.
bool mattersToLink(const std::string &flag) {
  for (std::string_view prefix : {"-arch", "--gpu-architecture", "-gencode", "--generate-code", "-rdc",
                                  "--relocatable-device-code", "-ccbin", "--cudart"})
    if (flag.starts_with(prefix))
      return true;
  return false;
}

Command linkCommand(const std::string &nvcc, const BuildOptions &options,
                    const std::vector<std::string> &objects) {
  Command command{nvcc};
  const std::vector<std::string> flags = flagsForNvcc(options.flags);
  for (std::size_t i = 0; i != flags.size(); ++i) {
    if (!mattersToLink(flags[i]))
      continue;
    command.push_back(flags[i]);
    if (flags[i].find('=') == std::string::npos && i + 1 != flags.size())
      command.push_back(flags[++i]);
  }
  command.insert(command.end(), objects.begin(), objects.end());
  for (const std::string &symbol : options.wrappedSymbols)
    command.insert(command.end(), {"-Xlinker", "--wrap=" + symbol});
  for (const std::string &input : options.linkInputs) {
    // The host linker's own flags pass through nvcc.
    if (input.starts_with("-Wl,")) {
      command.insert(command.end(), {"-Xlinker", input.substr(4)});
    } else if (input == "-pthread") {
      command.push_back("-lpthread");
    } else {
      command.push_back(input);
    }
  }
  command.insert(command.end(), {"-o", options.output});
  return command;
}

} // namespace

Expected<void> buildCudaProgram(const BuildOptions &options, Diagnostics &diagnostics) {
  const Expected<CudaInstallation> cuda = findCuda();
  if (!cuda)
    return std::unexpected(cuda.error());
  if (cuda->nvcc.empty())
    return failure("cannot find nvcc in " + cuda->root +
                   "/bin or on PATH (pip install nvidia-cuda-nvcc, or NVIDIA's "
                   "packages)");
  const Expected<WorkFolder> folder = WorkFolder::make(options.keepDirectory);
  if (!folder)
    return std::unexpected(folder.error());
  auto compiled =
      compileAll(options.sources.size(), options.jobs, [&](std::size_t index) -> Expected<CompiledSource> {
        const std::string &source = options.sources[index];
        const std::string object =
            folder->path() + "/" + std::to_string(index) + "-" + fs::path(source).filename().string() + ".o";
        const Expected<ToolRun> run = runTool(compileCommand(cuda->nvcc, options, source, object));
        if (!run)
          return std::unexpected(run.error());
        return CompiledSource{
            .objects = {object}, .messages = run->output, .failed = run->exitCode == 0 ? "" : "compiling"};
      });
  const Expected<std::vector<std::string>> objects =
      collectObjects(options.sources, std::move(compiled), diagnostics);
  if (!objects)
    return std::unexpected(objects.error());
  if (diagnostics.hasErrors())
    return {};
  return link(linkCommand(cuda->nvcc, options, *objects), options.output, diagnostics);
}

} // namespace streammap
