#include "analysis/CompileJob.h"
#include "analysis/VirtualHeaders.h"
#include <algorithm>
#include <array>
#include <clang/Tooling/JSONCompilationDatabase.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

namespace streammap {

namespace fs = std::filesystem;

// ---- CUDA ------------------------------------------------------------------------------------------------

static std::optional<CudaToolkit> toolkitAt(const fs::path &root) {
  std::error_code ignored;
  for (const char *place : {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"}) {
    const fs::path header = root / place / "cuda_runtime.h";
    if (!fs::exists(header, ignored))
      continue;
    CudaToolkit toolkit;
    toolkit.root = root.string();
    toolkit.include = (root / place).string();
    if (fs::exists(root / "bin/nvcc", ignored))
      toolkit.nvcc = (root / "bin/nvcc").string();
    // #define CUDART_VERSION  13000
    std::ifstream api(root / place / "cuda_runtime_api.h");
    for (std::string line; std::getline(api, line);) {
      unsigned version = 0;
      if (std::sscanf(line.c_str(), "#define CUDART_VERSION %u", &version) == 1) {
        toolkit.major = version / 1000;
        toolkit.minor = version % 1000 / 10;
        break;
      }
    }
    return toolkit;
  }
  return std::nullopt;
}

std::optional<CudaToolkit> findCudaToolkit() {
  if (const char *none = std::getenv("STREAMMAP_NO_CUDA"); none && *none)
    return std::nullopt;
  std::vector<fs::path> places;
  auto addVariable = [&](const char *name) {
    if (const char *value = std::getenv(name); value && *value)
      places.emplace_back(value);
  };
  addVariable("CUDAToolkit_ROOT");
  std::error_code ignored;
  if (const char *path = std::getenv("PATH")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t colon = rest.find(':');
      const fs::path nvcc = fs::path(rest.substr(0, colon)) / "nvcc";
      rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
      if (fs::exists(nvcc, ignored))
        places.push_back(fs::canonical(nvcc, ignored).parent_path().parent_path());
    }
  }
  addVariable("CUDA_HOME");
  addVariable("CUDA_PATH");
  places.emplace_back("/usr/local/cuda");
  for (const fs::path &place : places)
    if (std::optional<CudaToolkit> toolkit = toolkitAt(place))
      return toolkit;
  return std::nullopt;
}

// ---- jobs ------------------------------------------------------------------------------------------------

static bool looksLikeCuda(const std::string &source, const std::vector<std::string> &flags) {
  const std::string extension = fs::path(source).extension().string();
  if (extension == ".cu" || extension == ".cuh")
    return true;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    std::string_view flag = flags[i];
    if (flag == "-x" && i + 1 < flags.size() && (flags[i + 1] == "cu" || flags[i + 1] == "cuda"))
      return true;
    if (flag == "-xcu" || flag == "-xcuda" || flag == "-x=cu")
      return true;
  }
  return false;
}

using Database = clang::tooling::JSONCompilationDatabase;

static std::unique_ptr<Database> load(const std::string &path, std::string &error) {
  return Database::loadFromFile(path, error, clang::tooling::JSONCommandLineSyntax::AutoDetect);
}

// The nearest compile_commands.json above the source, in the folder itself or in its build/.
static std::string databaseAbove(const fs::path &source) {
  std::error_code ignored;
  for (fs::path folder = fs::absolute(source, ignored).parent_path();; folder = folder.parent_path()) {
    for (const char *name : {"compile_commands.json", "build/compile_commands.json"})
      if (fs::exists(folder / name, ignored))
        return (folder / name).string();
    if (folder == folder.parent_path())
      return {};
  }
}

static std::optional<CompileJob> jobFromDatabase(const Database &database, const std::string &source) {
  std::error_code ignored;
  const fs::path wanted = fs::weakly_canonical(fs::absolute(source, ignored), ignored);
  for (const clang::tooling::CompileCommand &command : database.getCompileCommands(wanted.string())) {
    CompileJob job;
    job.source = wanted.string();
    job.directory = command.Directory;
    const fs::path written = command.Filename;
    for (std::size_t i = 1; i < command.CommandLine.size(); ++i) {
      const std::string &word = command.CommandLine[i];
      if (word == written || word == command.Filename || fs::path(word).filename() == wanted.filename())
        continue;
      job.flags.push_back(word);
    }
    job.isCuda = looksLikeCuda(source, job.flags);
    return job;
  }
  return std::nullopt;
}

std::vector<CompileJob> resolveJobs(const std::vector<std::string> &sources,
                                    const std::string &compileCommands,
                                    const std::vector<std::string> &flagsAfterDashes,
                                    Diagnostics &diagnostics) {
  std::vector<CompileJob> jobs;
  std::unique_ptr<Database> asked;
  if (!compileCommands.empty()) {
    std::error_code ignored;
    std::string path = compileCommands;
    if (fs::is_directory(path, ignored))
      path = (fs::path(path) / "compile_commands.json").string();
    std::string error;
    asked = load(path, error);
    if (!asked) {
      while (!error.empty() && (error.back() == '\n' || error.back() == '.'))
        error.pop_back();
      diagnostics.error({path, 0, 0, {}}, "cannot use this compilation database: " + error,
                        "bad-compile-commands");
      return jobs;
    }
  }
  std::set<fs::path> named;
  for (const std::string &source : sources) {
    std::error_code ignored;
    if (const fs::path whole = fs::weakly_canonical(source, ignored); !named.insert(whole).second) {
      diagnostics.error({source, 0, 0, {}}, "this source is named twice", "source-twice");
      continue;
    }
    if (!fs::exists(source, ignored) || fs::is_directory(source, ignored)) {
      diagnostics.error({source, 0, 0, {}}, "no such source file", "no-source");
      continue;
    }
    if (asked) {
      if (std::optional<CompileJob> job = jobFromDatabase(*asked, source)) {
        job->flags.insert(job->flags.end(), flagsAfterDashes.begin(), flagsAfterDashes.end());
        jobs.push_back(std::move(*job));
      } else {
        diagnostics.error({source, 0, 0, {}}, "not in the compilation database '" + compileCommands + "'",
                          "not-in-compile-commands");
      }
      continue;
    }
    if (flagsAfterDashes.empty()) {
      std::string error;
      if (const std::string path = databaseAbove(source); !path.empty())
        if (std::unique_ptr<Database> found = load(path, error))
          if (std::optional<CompileJob> job = jobFromDatabase(*found, source)) {
            jobs.push_back(std::move(*job));
            continue;
          }
    }
    jobs.push_back({source, {}, flagsAfterDashes, looksLikeCuda(source, flagsAfterDashes)});
  }
  return jobs;
}

std::string pathOf(const CompileJob &job) {
  const fs::path path = job.source;
  return path.is_absolute() || job.directory.empty() ? job.source : (fs::path(job.directory) / path).string();
}

// ---- flags -----------------------------------------------------------------------------------------------

// nvcc flags whose value is the next word, and which mean nothing to a parse.
static constexpr std::string_view droppedWithValue[] = {"-gencode",
                                                        "--generate-code",
                                                        "-arch",
                                                        "--gpu-architecture",
                                                        "-code",
                                                        "--gpu-code",
                                                        "-ccbin",
                                                        "--compiler-bindir",
                                                        "-Xptxas",
                                                        "--ptxas-options",
                                                        "-Xlinker",
                                                        "--linker-options",
                                                        "-Xnvlink",
                                                        "--nvlink-options",
                                                        "-Xcudafe",
                                                        "-Xarchive",
                                                        "-maxrregcount",
                                                        "--maxrregcount",
                                                        "-t",
                                                        "--threads",
                                                        "-cudart",
                                                        "--cudart",
                                                        "-diag-suppress",
                                                        "--diag-suppress",
                                                        "-diag-error",
                                                        "-diag-warn",
                                                        "-o",
                                                        "--output-file",
                                                        "-odir",
                                                        "-MF",
                                                        "-MT",
                                                        "-MQ",
                                                        "-L",
                                                        "-l",
                                                        "--library",
                                                        "--library-path",
                                                        "-x",
                                                        "-Xclang",
                                                        "--cuda-gpu-arch",
                                                        "-target-dir",
                                                        "-arch-list",
                                                        "-split-compile",
                                                        "-dlto",
                                                        "-rpath",
                                                        "-MJ",
                                                        "-Xassembler",
                                                        "-lto",
                                                        "--options-file",
                                                        "-optf",
                                                        "-fatbin-options",
                                                        "-Xfatbin"};

// Flags that Clang takes as they are, in one word or with their value in the next.
static constexpr std::string_view keptPrefixes[] = {
    "-I",        "-D",       "-U",       "-O",         "-f",    "-m", "-Wno-",
    "-nostdinc", "-pthread", "-stdlib=", "--sysroot=", "-ansi", "-B", "--gcc-"};
static constexpr std::string_view keptWithValue[] = {"-I",        "-D",         "-U",       "-isystem",
                                                     "-iquote",   "-idirafter", "-include", "-imacros",
                                                     "-isysroot", "-target",    "--sysroot"};
// Flags that begin like kept ones but are nvcc's, or change what a parse would give.
static constexpr std::string_view droppedFlags[] = {"-fatbin",
                                                    "-fmad=false",
                                                    "-fmad=true",
                                                    "-ftz=true",
                                                    "-ftz=false",
                                                    "-fsyntax-only",
                                                    "-fdevice-time-trace",
                                                    "-MD",
                                                    "-MMD",
                                                    "-MP",
                                                    "-M",
                                                    "-MM",
                                                    "-forward-unknown-to-host-compiler",
                                                    "-forward-unknown-to-host-linker",
                                                    "-forward-unknown-opts",
                                                    "-fdevice-syntax-only"};

template <std::size_t N>
static bool contains(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// Our reading of the source needs C++17 (CCCL 3 does); older standards are raised to it.
static std::string raiseStandard(std::string_view standard) {
  for (std::string_view old : {"03", "98", "0x", "11", "1y", "14"})
    if (standard == "c++" + std::string(old) || standard == "gnu++" + std::string(old))
      return std::string(standard.substr(0, standard.size() - 2)) + "17";
  return std::string(standard);
}

static void translate(std::span<const std::string> flags, std::vector<std::string> &out);

static void translateHostFlags(std::string_view list, std::vector<std::string> &out) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    words.emplace_back(list.substr(begin, comma - begin));
    begin = comma + 1;
  }
  translate(words, out);
}

static void translate(std::span<const std::string> flags, std::vector<std::string> &out) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string_view flag = flags[i];
    const bool hasNext = i + 1 < flags.size();
    if (flag == "-Xcompiler" || flag == "--compiler-options") {
      if (hasNext)
        translateHostFlags(flags[++i], out);
    } else if (flag.starts_with("-Xcompiler=") || flag.starts_with("--compiler-options=")) {
      translateHostFlags(flag.substr(flag.find('=') + 1), out);
    } else if (flag == "-rdc=true" || flag == "--relocatable-device-code=true" || flag == "-dc" ||
               flag == "--device-c") {
      out.push_back("-fgpu-rdc");
    } else if (flag == "-rdc" || flag == "--relocatable-device-code") {
      if (hasNext && flags[++i] == "true")
        out.push_back("-fgpu-rdc");
    } else if (flag == "-std" || flag == "--std") {
      if (hasNext)
        out.push_back("-std=" + raiseStandard(flags[++i]));
    } else if (flag.starts_with("-std=") || flag.starts_with("--std=")) {
      out.push_back("-std=" + raiseStandard(flag.substr(flag.find('=') + 1)));
    } else if (flag.starts_with("--include-path=") || flag.starts_with("-I=")) {
      out.push_back("-I" + std::string(flag.substr(flag.find('=') + 1)));
    } else if (flag.starts_with("--define-macro=") || flag.starts_with("-D=")) {
      out.push_back("-D" + std::string(flag.substr(flag.find('=') + 1)));
    } else if (flag.starts_with("-isystem=") || flag.starts_with("--system-include=")) {
      out.push_back("-isystem");
      out.emplace_back(flag.substr(flag.find('=') + 1));
    } else if (flag == "-Werror" && hasNext && !flags[i + 1].starts_with("-")) {
      ++i; // nvcc: -Werror all-warnings
    } else if (contains(droppedFlags, flag)) {
    } else if (contains(droppedWithValue, flag)) {
      i += hasNext;
    } else if (contains(keptWithValue, flag)) {
      if (hasNext) {
        out.emplace_back(flag);
        out.push_back(flags[++i]);
      }
    } else if (std::any_of(std::begin(keptPrefixes), std::end(keptPrefixes),
                           [&](std::string_view prefix) { return flag.starts_with(prefix); })) {
      out.emplace_back(flag);
    }
  }
}

std::vector<std::string> clangFlags(const std::vector<std::string> &flags) {
  std::vector<std::string> out;
  translate(flags, out);
  return out;
}

// ---- the command line ------------------------------------------------------------------------------------

static std::string virtualPath(std::string_view path) {
  return std::string(virtualRoot) + "/" + std::string(path);
}

static void addToolkit(const CudaToolkit &toolkit, bool isCuda, std::vector<std::string> &out) {
  if (isCuda) {
    out.push_back("--cuda-path=" + toolkit.root);
    out.insert(out.end(), {"--no-cuda-version-check", "-Wno-unknown-cuda-version"});
    out.push_back("-D__CUDACC_VER_MAJOR__=" + std::to_string(toolkit.major));
    out.push_back("-D__CUDACC_VER_MINOR__=" + std::to_string(toolkit.minor));
    out.push_back("-D__CUDACC_VER_BUILD__=0");
    // A project with its own cuda.h must not hide the one that Clang's CUDA wrapper asks for.
    out.insert(out.end(), {"-iquote", toolkit.include});
  }
  out.insert(out.end(), {"-isystem", toolkit.include});
  out.insert(out.end(),
             {"-isystem", toolkit.include + "/cccl"}); // where CUDA 13 keeps cub, thrust and libcu++
}

std::vector<std::string> clangArguments(const CompileJob &job, Side side, const std::string &arch) {
  std::vector<std::string> out = {"clang++", "-resource-dir", STREAMMAP_CLANG_RESOURCES};
  if (job.isCuda) {
    out.insert(out.end(), {"-x", "cuda", side == Side::host ? "--cuda-host-only" : "--cuda-device-only"});
    out.insert(out.end(), {"--cuda-gpu-arch=" + (arch.empty() ? "sm_80" : arch), "-nocudalib"});
  } else {
    out.insert(out.end(), {"-x", "c++"});
  }
  out.insert(out.end(), {"-fsyntax-only", "-w", "-Wno-c++11-narrowing", "-Wno-register", "-std=c++17"});
  if (!job.directory.empty())
    out.push_back("-working-directory=" + job.directory);
  for (std::string &flag : clangFlags(job.flags))
    out.push_back(std::move(flag));

  const std::optional<CudaToolkit> toolkit = findCudaToolkit();
  if (toolkit)
    addToolkit(*toolkit, job.isCuda, out);
  else
    out.insert(out.end(), {"-isystem", virtualPath("minimal")});
  if (job.isCuda)
    out.push_back("-nocudainc"); // Clang's own wrapper is included by ours
  if (job.isCuda && toolkit)
    out.insert(out.end(), {"-include", virtualPath("compat/streammap_cuda_wrapper.h"), "-include",
                           virtualPath("compat/streammap_compat.h")});
  if (job.isCuda && !toolkit)
    out.insert(out.end(), {"-include", virtualPath("minimal/cuda_runtime.h")});
  out.insert(out.end(), {"-include", virtualPath("markers/streammap_markers.h")});
  out.insert(out.end(), {"-idirafter", virtualPath("fallback")});
  out.push_back(job.source);
  return out;
}

} // namespace streammap
