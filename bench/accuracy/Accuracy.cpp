// bench-accuracy [FILE.cu...]: a table of static counts against measured ones, one line per kernel.
//
//   kernel              flops static      measured    bytes static      measured  verdict
//   saxpy                       4048          4048           24288         24288  exact
#include "Compare.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

using namespace streammap;

namespace {

/// Floating-point operations of every type, or bytes of global memory: what a reader looks at first.
ComparedMetric total(const ComparedKernel &kernel, std::string_view prefix) {
  ComparedMetric sum{std::string(prefix), 0.0, 0.0};
  for (const ComparedMetric &metric : kernel.metrics) {
    if (!metric.metric.starts_with(prefix) || metric.metric == "flops_integer")
      continue;
    sum.measured += metric.measured;
    if (!metric.estimated)
      sum.estimated.reset();
    else if (sum.estimated)
      *sum.estimated += *metric.estimated;
  }
  return sum;
}

void print(const ComparedMetric &metric) {
  if (metric.estimated)
    std::printf(" %13.0f %13.0f", *metric.estimated, metric.measured);
  else
    std::printf(" %13s %13.0f", "unknown", metric.measured);
}

void printKernel(const ComparedKernel &kernel) {
  std::printf("%-20.20s", kernel.name.c_str());
  print(total(kernel, "flops_"));
  print(total(kernel, "global_"));
  std::printf("  %s\n", kernel.isExact() ? "exact" : kernel.isUnknown() ? "unknown" : "WRONG");
  if (kernel.isExact() || kernel.isUnknown())
    return;
  for (const ComparedMetric &metric : kernel.metrics)
    if (*metric.estimated != metric.measured)
      std::printf("    %s: %.0f instead of %.0f\n", metric.metric.c_str(), *metric.estimated,
                  metric.measured);
}

} // namespace

/// What caches cannot save: different bytes that are read and written.
struct FootprintTally {
  unsigned all = 0, exact = 0, close = 0, bounded = 0;
};

void printFootprints(const ComparedKernel &kernel, FootprintTally &tally) {
  if (kernel.footprints.size() != 2)
    return;
  std::printf("%-20.20s", kernel.name.c_str());
  bool isKnown = true;
  double off = 0;
  for (const ComparedMetric &metric : kernel.footprints) {
    print(metric);
    isKnown &= metric.estimated.has_value();
    if (metric.estimated && *metric.estimated != metric.measured)
      off = std::max(off, std::abs(*metric.estimated / std::max(1.0, metric.measured) - 1));
  }
  ++tally.all;
  const bool isBounded = !isKnown || kernel.isBounded;
  (isBounded ? tally.bounded : off == 0 ? tally.exact : tally.close) += isBounded || off <= 0.15;
  if (isBounded)
    std::printf("  bounded\n");
  else
    std::printf(off == 0 ? "  exact\n" : "  off by %.0f %%\n", 100 * off);
}

int main(int argc, char *argv[]) {
  std::vector<std::string> sources(argv + 1, argv + argc);
  if (sources.empty())
    for (const char *name : {"dense", "stencils", "reductions", "others", "solvers", "networks", "signals"})
      sources.push_back(std::string(STREAMMAP_SOURCE_DIR "/bench/accuracy/kernels/") + name + ".cu");
  std::printf("%-20s %13s %13s %13s %13s  %s\n", "kernel", "flops static", "measured", "bytes static",
              "measured", "verdict");
  std::vector<ComparedKernel> kernels;
  unsigned exact = 0, unknown = 0, wrong = 0;
  double seconds = 0;
  for (const std::string &source : sources) {
    const Expected<Comparison> comparison = compareCounts(source, STREAMMAP_BINARY_DIR "/bin");
    if (!comparison) {
      std::fprintf(stderr, "bench-accuracy: error: %s\n", comparison.error().message.c_str());
      return 4;
    }
    seconds += comparison->analysisSeconds;
    for (const ComparedKernel &kernel : comparison->kernels) {
      printKernel(kernel);
      kernels.push_back(kernel);
      ++(kernel.isExact() ? exact : kernel.isUnknown() ? unknown : wrong);
    }
  }
  const unsigned all = exact + unknown + wrong;
  std::printf("%u kernels: %u exact (%.0f %%), %u unknown and said so, %u wrong; analysed in %.2f s\n", all,
              exact, all ? 100.0 * exact / all : 0.0, unknown, wrong, seconds);
  std::printf("\n%-20s %13s %13s %13s %13s\n", "footprint", "read static", "measured", "wrote static",
              "measured");
  FootprintTally tally;
  for (const ComparedKernel &kernel : kernels)
    printFootprints(kernel, tally);
  std::printf("%u kernels: %u exact, %u within 15 %%, %u said to be bounds, %u further off\n", tally.all,
              tally.exact, tally.close, tally.bounded, tally.all - tally.exact - tally.close - tally.bounded);
  return wrong == 0 ? 0 : 1;
}
