#include "build/BuildProgram.h"
#include "build/CompileAll.h"
#include "build/CompilerFlags.h"
#include "build/RunTool.h"
#include "build/Tools.h"
#include "build/WorkFolder.h"
#include "support/CudaCompat.h"
#include "support/Files.h"
#include <filesystem>

namespace fs = std::filesystem;

namespace streammap {
namespace {

using Command = std::vector<std::string>;

struct Toolchain {
  std::string clang, lower, deviceLibrary, compatHeader;
  CudaInstallation cuda;
};

bool isCuda(const std::string &source) {
  return fs::path(source).extension() == ".cu";
}

Expected<Toolchain> findToolchain(const BuildOptions &options, const WorkFolder &folder) {
  Toolchain tools;
  if (auto clang = findClang())
    tools.clang = *clang;
  else
    return std::unexpected(clang.error());
  const std::string folderOfTools = options.toolFolder.empty() ? programFolder() : options.toolFolder;
  if (auto lower = findOwnFile(folderOfTools, "streammap-lower"))
    tools.lower = *lower;
  else
    return std::unexpected(lower.error());
  if (auto cuda = findCuda())
    tools.cuda = *cuda;
  else
    return std::unexpected(cuda.error());
  // In the build tree, then as installed.
  auto library = findOwnFile(folderOfTools, "../lib/libstreammap_cpudevice.so");
  if (!library)
    library = findOwnFile(folderOfTools, "../" STREAMMAP_INSTALLED_LIBRARIES "/libstreammap_cpudevice.so");
  if (!library)
    return std::unexpected(library.error());
  tools.deviceLibrary = *library;
  tools.compatHeader = folder.path() + "/streammap_compat.h";
  if (auto written =
          writeFileWhole(tools.compatHeader, cudaWrapperHeader() + std::string(cudaCompatHeader()));
      !written)
    return std::unexpected(written.error());
  return tools;
}

/// What all of the program's code is compiled with. The user's flags come last among equals, so that they
/// win.
Command commonFlags(const Toolchain &tools, const BuildOptions &options) {
  Command flags{"-std=c++17", "-O2", "-Wno-unknown-pragmas"};
  for (const std::string &directory : options.includes)
    flags.push_back("-I" + directory);
  for (std::string &flag : flagsForClang(options.flags))
    flags.push_back(std::move(flag));
  const std::string include = tools.cuda.root + "/include";
  // A project's own cuda.h must not hide the one that Clang's wrapper includes.
  flags.insert(flags.end(), {"-iquote", include, "-isystem", include, "-isystem", include + "/cccl"});
  return flags;
}

Command cudaFlags(const Toolchain &tools) {
  return {"-x", "cuda", "--cuda-path=" + tools.cuda.root, "--cuda-gpu-arch=sm_80",
          "-Wno-unknown-cuda-version", "-Wno-c++11-narrowing", "-Wno-register", "-nogpulib", "-nocudainc",
          // Without libdevice Clang does not look up the version that decides how launches are compiled.
          "-Xclang", "-target-sdk-version=12.9", "-D__CUDACC_VER_MAJOR__=" + std::to_string(tools.cuda.major),
          "-D__CUDACC_VER_MINOR__=" + std::to_string(tools.cuda.minor), "-D__CUDACC_VER_BUILD__=0",
          "-include", tools.compatHeader};
}

class CpuSource {
public:
  CpuSource(const Toolchain &tools, const BuildOptions &options, const WorkFolder &folder, std::size_t index)
      : tools_(tools), options_(options), source_(options.sources[index]),
        // Unique in the program, and the same in every build of it.
        id_(std::to_string(index) + "-" + fs::path(source_).filename().string()),
        base_(folder.path() + "/" + id_) {}

  Expected<CompiledSource> compile() {
    if (isCuda(source_)) {
      if (auto done = kernels(); !done || !result_.failed.empty())
        return finish(done);
      return finish(hostHalf());
    }
    Command command{tools_.clang};
    add(command, commonFlags(tools_, options_));
    add(command, {"-c", source_, "-o", base_ + ".o"});
    result_.objects.push_back(base_ + ".o");
    return finish(run(command, "compiling"));
  }

private:
  static void add(Command &command, const Command &more) {
    command.insert(command.end(), more.begin(), more.end());
  }

  Expected<CompiledSource> finish(const Expected<void> &done) {
    if (!done)
      return std::unexpected(done.error());
    return std::move(result_);
  }

  Expected<void> run(const Command &command, const std::string &step) {
    const Expected<ToolRun> ran = runTool(command);
    if (!ran)
      return std::unexpected(ran.error());
    result_.messages += ran->output;
    if (ran->exitCode >= 128)
      result_.messages += command[0] + " was ended by signal " + std::to_string(ran->exitCode - 128) + ": " +
                          commandLine(command) + "\n";
    if (ran->exitCode != 0)
      result_.failed = step;
    return {};
  }

  /// Device IR as Clang makes it, unoptimised and with lines, then lowered.
  Expected<void> kernels() {
    Command command{tools_.clang};
    add(command, commonFlags(tools_, options_));
    add(command, cudaFlags(tools_));
    add(command, {"--cuda-device-only", "-O2", "-Xclang", "-disable-llvm-passes", "-gline-tables-only",
                  "-emit-llvm", "-c", source_, "-o", base_ + ".bc"});
    if (auto done = run(command, "compiling the kernels"); !done || !result_.failed.empty())
      return done;
    // The host half parses the same text and repeats the same warnings.
    result_.messages.clear();
    Command lower{tools_.lower, base_ + ".bc", "-o", base_ + ".kernels.o", "--module-id", id_};
    if (options_.counting == CountOperations::yes)
      lower.push_back("--count");
    if (options_.accessChecks == CheckAccesses::yes)
      lower.push_back("--check-accesses");
    result_.objects.push_back(base_ + ".kernels.o");
    return run(lower, "compiling the kernels for the CPU device");
  }

  Expected<void> hostHalf() {
    // Clang registers kernels only where there is a GPU binary to register: ours is the module's id, with the
    // zero that ends it.
    const std::string binary = base_ + ".id";
    if (auto written = writeFileWhole(binary, std::string_view(id_.c_str(), id_.size() + 1)); !written)
      return written;
    Command command{tools_.clang};
    add(command, commonFlags(tools_, options_));
    add(command, cudaFlags(tools_));
    add(command, {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", binary, "-c", source_,
                  "-o", base_ + ".o"});
    result_.objects.push_back(base_ + ".o");
    return run(command, "compiling");
  }

  const Toolchain &tools_;
  const BuildOptions &options_;
  std::string source_, id_, base_;
  CompiledSource result_;
};

} // namespace

Expected<void> buildCpuProgram(const BuildOptions &options, Diagnostics &diagnostics) {
  Expected<WorkFolder> folder = WorkFolder::make(options.keepDirectory);
  if (!folder)
    return std::unexpected(folder.error());
  const Expected<Toolchain> tools = findToolchain(options, *folder);
  if (!tools)
    return std::unexpected(tools.error());
  auto compiled = compileAll(options.sources.size(), options.jobs, [&](std::size_t index) {
    return CpuSource(*tools, options, *folder, index).compile();
  });
  const Expected<std::vector<std::string>> objects =
      collectObjects(options.sources, std::move(compiled), diagnostics);
  if (!objects)
    return std::unexpected(objects.error());
  if (diagnostics.hasErrors())
    return {};
  Command command{tools->clang};
  command.insert(command.end(), objects->begin(), objects->end());
  for (const std::string &symbol : options.wrappedSymbols)
    command.push_back("-Wl,--wrap=" + symbol);
  command.insert(command.end(), options.linkInputs.begin(), options.linkInputs.end());
  // The program finds the library where it is now, whatever directory it is started from.
  const std::string libraries = fs::absolute(tools->deviceLibrary).parent_path().string();
  command.insert(command.end(), {tools->deviceLibrary, "-Wl,-rpath," + libraries, "-pthread", "-ldl", "-lm",
                                 "-o", options.output});
  return link(command, options.output, diagnostics);
}

} // namespace streammap
