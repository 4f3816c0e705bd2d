// bench-resources [--arch sm_90] [FILE.cu...]: registers, shared memory and spills of each kernel, once from
// nvcc and once from Clang's PTX through ptxas, and how far the two are apart.
//
//   kernels  equal  <= 2  <= 8   median    p90    max   shared equal  spills equal
//        61    54%   80%   97%        0      5     18           100%          100%
//
// The first line of numbers is the distance in registers per thread. Without files: the examples and the
// kernels of bench/accuracy.
#include "analysis/Resources.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

using namespace streammap;

namespace {

struct Difference {
  std::string kernel;
  unsigned nvcc = 0, clang = 0;
  bool sameShared = false, sameSpills = false;
  unsigned registers() const { return nvcc > clang ? nvcc - clang : clang - nvcc; }
};

std::vector<std::string> ourSources() {
  std::vector<std::string> sources;
  for (const char *folder : {"examples", "bench/accuracy/kernels"})
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(std::string(STREAMMAP_SOURCE_DIR "/") + folder))
      if (entry.path().extension() == ".cu")
        sources.push_back(entry.path().string());
  std::ranges::sort(sources);
  return sources;
}

void compare(const std::string &source, const std::string &arch, std::vector<Difference> &differences) {
  const CompileJob job{source, "", {}, true};
  const ArchitectureResources nvcc = kernelResources(job, {arch}, ResourceCompiler::nvcc);
  const ArchitectureResources clang = kernelResources(job, {arch}, ResourceCompiler::clang);
  if (!nvcc.byArchitecture.contains(arch) || !clang.byArchitecture.contains(arch)) {
    std::fprintf(stderr, "left out: %s: one of the compilers made nothing of it\n", source.c_str());
    return;
  }
  for (const auto &[symbol, theirs] : nvcc.byArchitecture.at(arch)) {
    const auto found = clang.byArchitecture.at(arch).find(symbol);
    if (found == clang.byArchitecture.at(arch).end())
      continue;
    const KernelResources &ours = found->second;
    differences.push_back({symbol, theirs.registersPerThread, ours.registersPerThread,
                           theirs.staticShared == ours.staticShared, theirs.spill == ours.spill});
  }
}

double share(const std::vector<Difference> &all, auto &&claim) {
  return 100.0 * static_cast<double>(std::ranges::count_if(all, claim)) / static_cast<double>(all.size());
}

void print(std::vector<Difference> all) {
  std::ranges::sort(all, {}, &Difference::registers);
  const auto quantile = [&](double q) {
    return all[static_cast<std::size_t>(q * static_cast<double>(all.size() - 1))].registers();
  };
  const auto within = [&](unsigned n) {
    return share(all, [n](const Difference &d) { return d.registers() <= n; });
  };
  std::printf("%7s %6s %6s %6s %8s %6s %6s %14s %13s\n", "kernels", "equal", "<= 2", "<= 8", "median", "p90",
              "max", "shared equal", "spills equal");
  std::printf("%7zu %5.0f%% %5.0f%% %5.0f%% %8u %6u %6u %13.1f%% %12.1f%%\n", all.size(), within(0),
              within(2), within(8), quantile(0.5), quantile(0.9), quantile(1),
              share(all, [](const auto &d) { return d.sameShared; }),
              share(all, [](const auto &d) { return d.sameSpills; }));
  std::printf("\nfarthest apart (nvcc, Clang):\n");
  for (std::size_t i = 0; i != std::min<std::size_t>(5, all.size()); ++i) {
    const Difference &d = all[all.size() - 1 - i];
    std::printf("  %4u %4u  %s\n", d.nvcc, d.clang, d.kernel.c_str());
  }
}

} // namespace

int main(int argc, char *argv[]) {
  std::string arch = "sm_90";
  std::vector<std::string> sources;
  for (int i = 1; i != argc; ++i)
    if (std::string_view(argv[i]) == "--arch" && i + 1 != argc)
      arch = argv[++i];
    else
      sources.emplace_back(argv[i]);
  if (sources.empty())
    sources = ourSources();
  std::vector<Difference> differences;
  for (const std::string &source : sources)
    compare(source, arch, differences);
  if (differences.empty()) {
    std::fprintf(stderr, "bench-resources: nothing to compare: nvcc and ptxas are needed\n");
    return 4;
  }
  print(std::move(differences));
  return 0;
}
