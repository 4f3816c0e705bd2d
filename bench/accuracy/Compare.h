#pragma once
// Static counts beside what the counting CPU device measures.
//
//   Expected<Comparison> comparison = compareCounts("bench/accuracy/kernels/dense.cu", tools);
//   comparison->kernels[0].metrics   // {"flops_fp32", estimated 4000, measured 4000}
#include "support/Expected.h"
#include <optional>
#include <string>
#include <vector>

namespace streammap {

struct ComparedMetric {
  std::string metric;
  std::optional<double> estimated; ///< nothing: the analysis says that it does not know
  double measured = 0;
};

struct ComparedKernel {
  std::string name;
  std::vector<ComparedMetric> metrics; ///< those that one of the two counts
  /// "read" and "written": different bytes of global memory, summed over the launches.
  std::vector<ComparedMetric> footprints;
  bool isBounded = false; ///< the analysis says that it only bounds a footprint
  bool isUnknown() const; ///< some metric is declared unknown
  bool isExact() const;   ///< every metric is known and equal
};

struct Comparison {
  std::vector<ComparedKernel> kernels;
  double analysisSeconds = 0;
};

/// Builds `source`, a program that tells its launches (kernels/launch.h), for the CPU device with the
/// programs in `toolFolder`, runs it, analyses it, and evaluates the formulas for the launches.
Expected<Comparison> compareCounts(const std::string &source, const std::string &toolFolder);

} // namespace streammap
