// bench-corpora LIST: how much of real CUDA code the analysis understands, one line per corpus.
//
//   corpus            files  analysed  crashed  kernels   loops  counted  no loop unknown  s/kernel  MiB
//   polybench            21      100%        0       47     152     100%             100%      0.21  188
//
// LIST has a line per source: corpus, path and compiler flags, separated by tabs (flags by blanks).
// `analysed` is the share of files whose device code compiled; every loop of the sources is either
// counted, by formula and in every instance, or named with the reason. Each file is analysed in a process of
// its own. Time is wall time per kernel, the parse of its file included; memory is the largest resident set
// of any file.
//
// `--details FILE` gets a line for each file that failed and each loop that was not counted.
#include "Isolated.h"
#include "analysis/KernelCosts.h"
#include "support/Files.h"
#include "support/Text.h"
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>

using namespace streammap;

namespace {

struct Source {
  std::string corpus, path;
  std::vector<std::string> flags;
};

std::vector<Source> readList(std::string_view text) {
  std::vector<Source> sources;
  for (const std::string_view line : split(text, '\n')) {
    const auto parts = split(line, '\t');
    if (parts.size() < 2)
      continue;
    Source source{std::string(parts[0]), std::string(parts[1]), {}};
    if (parts.size() > 2)
      for (const std::string_view flag : split(parts[2], ' '))
        if (!flag.empty())
          source.flags.emplace_back(flag);
    sources.push_back(std::move(source));
  }
  return sources;
}

std::string oneLine(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

/// What the source itself says: the instances that templates and inlining make of one loop count as one, and
/// loops of system headers not at all.
class SourceLoops {
public:
  void add(const KernelLoop &loop) {
    if (loop.location.empty() || loop.location.starts_with("/usr/"))
      return;
    std::string &why = whys_[loop.location];
    if (why.empty())
      why = loop.whyUncounted;
  }
  const std::map<std::string, std::string> &whys() const { return whys_; }

private:
  std::map<std::string, std::string> whys_; ///< by place; empty: every instance is counted
};

/// "failed <why>", or "parsed", a "kernel <name> <whole or not>" each and its loops as "loop <place> <why
/// not>".
std::string analyse(const Source &source) {
  Diagnostics diagnostics;
  const CompileJob job{source.path, "", source.flags, true};
  const auto kernels = analyseKernels(job, {.resources = ResourceCompiler::none}, diagnostics);
  if (diagnostics.hasErrors()) {
    for (const Diagnostic &diagnostic : diagnostics.all())
      if (diagnostic.severity == Severity::error)
        return "failed\t" + oneLine(diagnostic.message) + "\n";
  }
  std::string result = "parsed\n";
  SourceLoops loops;
  for (const KernelAnalysis &kernel : kernels) {
    const bool isWhole = std::ranges::all_of(kernel.loops, &std::string::empty, &KernelLoop::whyUncounted);
    result += "kernel\t" + oneLine(kernel.name) + (isWhole ? "\twhole\n" : "\tpart\n");
    for (const KernelLoop &loop : kernel.loops)
      loops.add(loop);
  }
  for (const auto &[place, why] : loops.whys())
    result += "loop\t" + place + "\t" + oneLine(why) + "\n";
  return result;
}

struct Tally {
  unsigned files = 0, analysed = 0, crashed = 0, kernels = 0, counted = 0, loops = 0, wholeKernels = 0;
  std::vector<double> secondsPerKernel;
  double peakMemoryMiB = 0;
};

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

void addLines(const Source &source, const IsolatedRun &run, Tally &tally, std::FILE *details) {
  unsigned kernels = 0;
  for (const std::string_view line : split(run.output, '\n')) {
    const auto parts = split(line, '\t');
    if (parts[0] == "parsed") {
      ++tally.analysed;
    } else if (parts[0] == "failed") {
      std::fprintf(details, "%s\tfailed\t%s\n", source.path.c_str(), std::string(parts[1]).c_str());
    } else if (parts[0] == "kernel") {
      ++kernels;
      tally.wholeKernels += parts[2] == "whole";
    } else if (parts[0] == "loop") {
      ++tally.loops;
      tally.counted += parts[2].empty();
      if (!parts[2].empty())
        std::fprintf(details, "%s\tloop\t%s\t%s\n", source.path.c_str(), std::string(parts[1]).c_str(),
                     std::string(parts[2]).c_str());
    }
  }
  tally.kernels += kernels;
  for (unsigned i = 0; i != kernels; ++i)
    tally.secondsPerKernel.push_back(run.seconds / kernels);
}

void add(const Source &source, const IsolatedRun &run, Tally &tally, std::FILE *details) {
  ++tally.files;
  tally.peakMemoryMiB = std::max(tally.peakMemoryMiB, run.peakMemoryMiB);
  if (run.timedOut)
    std::fprintf(details, "%s\ttimed out\t%.0f s\n", source.path.c_str(), run.seconds);
  else if (run.signal != 0) {
    ++tally.crashed;
    std::fprintf(details, "%s\tcrashed\tsignal %d\n", source.path.c_str(), run.signal);
  } else
    addLines(source, run, tally, details);
}

double percent(unsigned part, unsigned whole) {
  return whole == 0 ? 100 : 100.0 * part / whole;
}

void print(const std::string &name, const Tally &tally) {
  std::printf("%-16s %6u %8.1f%% %8u %8u %7u %7.1f%% %15.1f%% %9.2f %5.0f\n", name.c_str(), tally.files,
              percent(tally.analysed, tally.files), tally.crashed, tally.kernels, tally.loops,
              percent(tally.counted, tally.loops), percent(tally.wholeKernels, tally.kernels),
              median(tally.secondsPerKernel), tally.peakMemoryMiB);
}

Tally together(const std::map<std::string, Tally> &tallies) {
  Tally all;
  for (const auto &[name, tally] : tallies) {
    all.files += tally.files;
    all.analysed += tally.analysed;
    all.crashed += tally.crashed;
    all.kernels += tally.kernels;
    all.loops += tally.loops;
    all.counted += tally.counted;
    all.wholeKernels += tally.wholeKernels;
    all.peakMemoryMiB = std::max(all.peakMemoryMiB, tally.peakMemoryMiB);
    all.secondsPerKernel.insert(all.secondsPerKernel.end(), tally.secondsPerKernel.begin(),
                                tally.secondsPerKernel.end());
  }
  return all;
}

} // namespace

int main(int argc, char *argv[]) {
  const char *details = "/dev/null";
  if (argc == 4 && std::strcmp(argv[2], "--details") == 0)
    details = argv[3];
  else if (argc != 2) {
    std::fprintf(stderr, "usage: bench-corpora LIST [--details FILE]\n");
    return 2;
  }
  const Expected<std::string> list = readFile(argv[1]);
  std::FILE *detailsFile = std::fopen(details, "w");
  if (!list || !detailsFile) {
    std::fprintf(stderr, "bench-corpora: %s\n",
                 list ? "cannot write the details" : list.error().message.c_str());
    return 4;
  }
  const std::vector<Source> sources = readList(*list);
  std::size_t ended = 0;
  const auto runs = runIsolated(
      sources.size(), 2, 120, [&](std::size_t i) { return analyse(sources[i]); },
      [&](std::size_t) {
        if (++ended % 25 == 0)
          std::fprintf(stderr, "%zu of %zu files\n", ended, sources.size());
      });
  std::map<std::string, Tally> tallies;
  for (std::size_t i = 0; i != sources.size(); ++i)
    add(sources[i], runs[i], tallies[sources[i].corpus], detailsFile);
  std::fclose(detailsFile);
  std::printf("%-16s %6s %9s %8s %8s %7s %8s %16s %9s %5s\n", "corpus", "files", "analysed", "crashed",
              "kernels", "loops", "counted", "no loop unknown", "s/kernel", "MiB");
  for (const auto &[name, tally] : tallies)
    print(name, tally);
  print("all", together(tallies));
  return 0;
}
