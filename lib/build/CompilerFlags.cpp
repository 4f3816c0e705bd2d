#include "build/CompilerFlags.h"
#include <algorithm>
#include <array>
#include <string_view>

namespace streammap {
namespace {

constexpr std::array<std::string_view, 17> droppedWithValue{
    "-gencode",      "--generate-code", "-arch",    "--gpu-architecture", "-code",   "--gpu-code",
    "-Xptxas",       "--ptxas-options", "-Xnvlink", "--nvlink-options",   "-ccbin",  "--compiler-bindir",
    "-maxrregcount", "--maxrregcount",  "-Xcudafe", "-diag-suppress",     "-Xfatbin"};
constexpr std::array<std::string_view, 14> dropped{"-lineinfo",
                                                   "--generate-line-info",
                                                   "-G",
                                                   "--device-debug",
                                                   "-rdc",
                                                   "--relocatable-device-code",
                                                   "-dc",
                                                   "--expt-relaxed-constexpr",
                                                   "--expt-extended-lambda",
                                                   "--extended-lambda",
                                                   "-restrict",
                                                   "--restrict",
                                                   "-use_fast_math",
                                                   "--use_fast_math"};

/// "--name" and "-name=value" alike.
bool isNamed(std::string_view flag, std::string_view name) {
  return flag == name || (flag.starts_with(name) && flag.size() > name.size() && flag[name.size()] == '=');
}

template <std::size_t N>
bool isOneOf(std::string_view flag, const std::array<std::string_view, N> &names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return isNamed(flag, name); });
}

void addSplit(std::vector<std::string> &into, std::string_view list) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma != 0)
      into.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

/// nvcc's --default-stream; Clang's driver knows the option for HIP only.
void addDefaultStream(std::vector<std::string> &into, std::string_view which) {
  if (which == "per-thread")
    into.insert(into.end(),
                {"-Xclang", "-fgpu-default-stream=per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"});
}

std::string withNewerStandard(const std::string &flag) {
  for (std::string_view old : {"11", "14", "03", "98", "0x", "1y"})
    for (std::string_view dialect : {"c++", "gnu++"})
      if (flag == "-std=" + std::string(dialect) + std::string(old))
        return "-std=" + std::string(dialect) + "17";
  return flag;
}

} // namespace

std::vector<std::string> flagsForClang(const std::vector<std::string> &flags) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i != flags.size(); ++i) {
    const std::string &flag = flags[i];
    if (isNamed(flag, "-Xcompiler") || isNamed(flag, "--compiler-options")) {
      if (const std::size_t equals = flag.find('='); equals != std::string::npos)
        addSplit(result, std::string_view(flag).substr(equals + 1));
      else if (i + 1 != flags.size())
        addSplit(result, flags[++i]);
    } else if (isNamed(flag, "--default-stream") || isNamed(flag, "-default-stream")) {
      if (const std::size_t equals = flag.find('='); equals != std::string::npos)
        addDefaultStream(result, std::string_view(flag).substr(equals + 1));
      else if (i + 1 != flags.size())
        addDefaultStream(result, flags[++i]);
    } else if (isOneOf(flag, droppedWithValue)) {
      if (flag.find('=') == std::string::npos && i + 1 != flags.size())
        ++i;
    } else if (isOneOf(flag, dropped) || flag.starts_with("--cuda-gpu-arch=") || flag.starts_with("-arch=")) {
      continue;
    } else if (flag == "-std" || flag == "--std") {
      if (i + 1 != flags.size())
        result.push_back(withNewerStandard("-std=" + flags[++i]));
    } else if (flag.starts_with("--std=")) {
      result.push_back(withNewerStandard(flag.substr(1)));
    } else {
      result.push_back(withNewerStandard(flag));
    }
  }
  return result;
}

std::vector<std::string> flagsForNvcc(const std::vector<std::string> &flags) {
  std::vector<std::string> result;
  for (const std::string &flag : flags) {
    if (flag.starts_with("--cuda-gpu-arch="))
      result.push_back("-arch=" + flag.substr(std::string_view("--cuda-gpu-arch=").size()));
    else if (flag.starts_with("-W") || flag.starts_with("-f") || flag.starts_with("-m") ||
             flag == "-pthread" || flag == "-pedantic")
      result.insert(result.end(), {"-Xcompiler", flag});
    else
      result.push_back(flag);
  }
  return result;
}

} // namespace streammap
