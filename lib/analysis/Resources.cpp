#include "analysis/Resources.h"
#include "analysis/DeviceCompile.h"
#include "analysis/RunCompiler.h"
#include "support/Files.h"
#include "support/Text.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <functional>
#include <thread>
#include <unistd.h>

namespace streammap {

namespace fs = std::filesystem;

namespace {

/// A compiler that takes longer has lost its way (notes on real code: some never end).
constexpr std::chrono::seconds limit{120};
constexpr std::size_t processes = 2;

std::string ptxasPath() {
  if (const auto toolkit = findCudaToolkit()) {
    std::error_code ignored;
    if (const fs::path beside = fs::path(toolkit->root) / "bin/ptxas"; fs::exists(beside, ignored))
      return beside.string();
    return compilerOnPath("ptxas");
  }
  return {};
}

std::string versionOf(const CudaToolkit &toolkit) {
  return std::to_string(toolkit.major) + "." + std::to_string(toolkit.minor);
}

/// A folder that is gone at the end.
class ScratchFolder {
public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "streammap-XXXXXX").string();
    if (mkdtemp(name.data()))
      path_ = name;
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty())
      fs::remove_all(path_, ignored);
  }
  std::string file(const std::string &name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

/// The first line of `text` that says what went wrong.
std::string firstError(std::string_view text) {
  for (const std::string_view line : split(text, '\n'))
    if (line.find("error") != std::string_view::npos || line.find("fatal") != std::string_view::npos)
      return std::string(trim(line));
  return abbreviated(trim(text));
}

Expected<ResourcesBySymbol> usageFrom(const std::vector<std::string> &command, const std::string &directory,
                                      const std::string &compiler) {
  const Expected<CompilerRun> run = runCompiler(command, directory, limit);
  if (!run)
    return std::unexpected(run.error());
  if (run->exitCode != 0)
    return failure(fs::path(command[0]).filename().string() + " fails: " + firstError(run->output));
  ResourcesBySymbol result = parseResourceUsage(run->output);
  for (auto &[symbol, resources] : result)
    resources.compiler = compiler;
  return result;
}

Expected<ResourcesBySymbol> withNvcc(const CompileJob &job, const std::string &arch,
                                     const CudaToolkit &toolkit) {
  const ScratchFolder scratch;
  std::vector<std::string> command{toolkit.nvcc, "-cubin", "-arch=" + arch, "-Xptxas", "-v", "-w"};
  for (const std::string &flag : nvccFlags(job.flags))
    command.push_back(flag);
  if (!job.source.ends_with(".cu"))
    command.insert(command.end(), {"-x", "cu"});
  command.insert(command.end(), {"-o", scratch.file("kernels.cubin"), job.source});
  return usageFrom(command, job.directory, "nvcc " + versionOf(toolkit));
}

Expected<ResourcesBySymbol> withClang(const CompileJob &job, const std::string &arch,
                                      const std::string &ptxas, const CudaToolkit &toolkit) {
  const Expected<std::string> ptx = compileToPtx(job, arch);
  if (!ptx)
    return std::unexpected(ptx.error());
  const ScratchFolder scratch;
  if (const auto written = writeFileWhole(scratch.file("kernels.ptx"), *ptx); !written)
    return std::unexpected(written.error());
  return usageFrom(
      {ptxas, "-v", "-arch=" + arch, "-o", scratch.file("kernels.cubin"), scratch.file("kernels.ptx")}, {},
      "clang " STREAMMAP_CLANG_MAJOR " + ptxas " + versionOf(toolkit));
}

/// "8192 bytes smem" -> 8192, for the number in front of `unit`.
std::uint64_t amountBefore(std::string_view line, std::string_view unit) {
  std::uint64_t total = 0;
  for (std::size_t at = line.find(unit); at != std::string_view::npos; at = line.find(unit, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9')
      --begin;
    std::uint64_t value = 0;
    std::from_chars(line.data() + begin, line.data() + at, value);
    total += value;
  }
  return total;
}

/// Runs `work` for 0 ... count - 1, a few at a time.
void forEachInParallel(std::size_t count, const std::function<void(std::size_t)> &work) {
  std::atomic<std::size_t> next = 0;
  const auto worker = [&] {
    for (std::size_t i = next++; i < count; i = next++)
      work(i);
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min(count, processes); ++i)
    others.emplace_back(worker);
  worker();
}

} // namespace

ResourcesBySymbol parseResourceUsage(std::string_view text) {
  ResourcesBySymbol result;
  KernelResources *current = nullptr;
  for (const std::string_view line : split(text, '\n')) {
    constexpr std::string_view entry = "Compiling entry function '";
    if (const std::size_t at = line.find(entry); at != std::string_view::npos) {
      const std::string_view rest = line.substr(at + entry.size());
      current = &result[std::string(rest.substr(0, rest.find('\'')))];
      current->origin = Origin::ptxas;
    } else if (line.find("Function properties for ") != std::string_view::npos) {
      // Functions that were not inlined have properties of their own: not the kernel's.
      const std::string_view name = line.substr(line.find("for ") + 4);
      const auto known = result.find(std::string(trim(name)));
      current = known == result.end() ? nullptr : &known->second;
    } else if (current && line.find("bytes stack frame") != std::string_view::npos) {
      current->local = bytes(amountBefore(line, " bytes stack frame"));
      current->spill = bytes(amountBefore(line, " bytes spill stores"));
    } else if (current && line.find("Used ") != std::string_view::npos) {
      current->registersPerThread = static_cast<unsigned>(amountBefore(line, " registers"));
      current->staticShared = bytes(amountBefore(line, " bytes smem"));
      current->constant = bytes(amountBefore(line, " bytes cmem["));
    }
  }
  return result;
}

std::vector<std::string> nvccFlags(const std::vector<std::string> &flags) {
  // Of the flags with a value after a space: those that are dropped with it, and those that stay.
  static constexpr std::array dropped{"-o",
                                      "-gencode",
                                      "--generate-code",
                                      "-arch",
                                      "--gpu-architecture",
                                      "-code",
                                      "--gpu-code",
                                      "-x",
                                      "--cuda-path",
                                      "-MF",
                                      "-MT",
                                      "-MQ",
                                      "-mllvm",
                                      "-Xclang",
                                      "-target",
                                      "--output-file"};
  static constexpr std::array kept{"-I",
                                   "-D",
                                   "-U",
                                   "-isystem",
                                   "-include",
                                   "-Xcompiler",
                                   "-Xptxas",
                                   "-ccbin",
                                   "-std",
                                   "--std",
                                   "-maxrregcount",
                                   "--maxrregcount",
                                   "-Xcudafe",
                                   "-diag-suppress",
                                   "--compiler-options",
                                   "--ptxas-options",
                                   "--pre-include"};
  static constexpr std::array gone{
      "-c",       "-S",  "-E",  "-M",         "-MD",        "-MMD",      "-MP",       "-fsyntax-only",
      "-pthread", "-dc", "-dw", "-nocudainc", "-nocudalib", "-nogpulib", "-nogpuinc", "-pedantic",
      "-ansi"};
  std::vector<std::string> result;
  const auto isOneOf = [](const auto &list, std::string_view flag) {
    return std::ranges::find(list, flag) != list.end();
  };
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string_view flag = flags[i];
    if (isOneOf(dropped, flag)) {
      ++i;
    } else if (isOneOf(kept, flag)) {
      result.push_back(flags[i]);
      if (++i < flags.size())
        result.push_back(flags[i]);
    } else if (flag == "-fgpu-rdc") {
      result.push_back("-rdc=true");
    } else if (flag == "-fopenmp") {
      result.insert(result.end(), {"-Xcompiler", "-fopenmp"});
    } else if (flag == "-ffast-math") {
      result.push_back("-use_fast_math");
    } else if (isOneOf(gone, flag) || flag.starts_with("--cuda-") || flag.starts_with("--no-cuda-") ||
               flag.starts_with("-arch=") || flag.starts_with("--gpu-architecture=") ||
               flag.starts_with("-gencode=") || flag.starts_with("--generate-code=") ||
               flag.starts_with("-code=") || flag.starts_with("-W") || flag.starts_with("-f") ||
               flag.starts_with("--offload") || flag.starts_with("-march=") || flag.starts_with("-mtune=") ||
               flag.starts_with("-L") || flag.starts_with("-l")) {
      // no part in what ptxas prints
    } else {
      result.push_back(flags[i]);
    }
  }
  return result;
}

std::vector<std::string> knownArchitectures() {
  const std::string ptxas = ptxasPath();
  std::vector<std::string> known;
  if (ptxas.empty())
    return known;
  const Expected<CompilerRun> help = runCompiler({ptxas, "--help"}, {}, limit);
  if (!help)
    return known;
  // The first list of 'sm_...' in quotes: the values of --gpu-name.
  for (std::size_t at = help->output.find("'sm_"); at != std::string::npos;
       at = help->output.find("'sm_", at + 1)) {
    const std::size_t end = help->output.find('\'', at + 1);
    known.push_back(help->output.substr(at + 1, end - at - 1));
  }
  const auto order = [](const std::string &arch) { return std::pair(std::atoi(arch.c_str() + 3), arch); };
  std::ranges::sort(known, [&](const std::string &a, const std::string &b) { return order(a) < order(b); });
  known.erase(std::ranges::unique(known).begin(), known.end());
  return known;
}

ArchitectureResources kernelResources(const CompileJob &job, const std::vector<std::string> &architectures,
                                      ResourceCompiler compiler) {
  ArchitectureResources result;
  if (compiler == ResourceCompiler::none)
    return result;
  const auto toolkit = findCudaToolkit();
  const std::string ptxas = ptxasPath();
  const bool hasNvcc = toolkit && !toolkit->nvcc.empty();
  const bool useNvcc =
      compiler == ResourceCompiler::nvcc || (compiler == ResourceCompiler::automatic && hasNvcc);
  if (useNvcc ? !hasNvcc : ptxas.empty()) {
    for (const std::string &arch : architectures)
      result.failures[arch] = useNvcc ? "nvcc is not found" : "neither nvcc nor ptxas is found";
    return result;
  }
  std::vector<Expected<ResourcesBySymbol>> found(architectures.size());
  forEachInParallel(architectures.size(), [&](std::size_t i) {
    found[i] = useNvcc ? withNvcc(job, architectures[i], *toolkit)
                       : withClang(job, architectures[i], ptxas, *toolkit);
  });
  for (std::size_t i = 0; i != architectures.size(); ++i)
    if (found[i])
      result.byArchitecture[architectures[i]] = std::move(*found[i]);
    else
      result.failures[architectures[i]] = found[i].error().message;
  return result;
}

} // namespace streammap
