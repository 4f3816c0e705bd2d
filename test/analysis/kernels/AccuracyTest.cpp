// Static counts equal what the CPU device measures, metric by metric, for every kernel of bench/accuracy that
// does not depend on data.
#include "Compare.h"
#include "support/Catch.h"

using namespace streammap;

TEST_CASE("static counts equal measured counts") {
  const char *file = GENERATE("dense", "stencils", "reductions", "others", "solvers", "networks", "signals");
  const auto comparison =
      compareCounts(std::string(STREAMMAP_SOURCE_DIR "/bench/accuracy/kernels/") + file + ".cu",
                    STREAMMAP_BINARY_DIR "/bin");
  INFO((comparison ? "" : comparison.error().message));
  REQUIRE(comparison.has_value());
  CHECK(comparison->kernels.size() >= 6);
  for (const ComparedKernel &kernel : comparison->kernels) {
    INFO(kernel.name);
    const bool dependsOnData = kernel.name == "sparse" || kernel.name == "mandelbrot";
    CHECK(kernel.isUnknown() == (dependsOnData || kernel.name == "bitonicStep"));
    for (const ComparedMetric &metric : kernel.metrics)
      if (metric.estimated) {
        INFO(metric.metric);
        CHECK(*metric.estimated == metric.measured);
      }
    // Full arrays, read many times or through windows that overlap: each byte once.
    for (const char *exact :
         {"saxpy", "gemmNaive", "stencil27", "softmax", "nbodyPairs", "transpose", "fftStage"})
      if (kernel.name == exact)
        for (const ComparedMetric &footprint : kernel.footprints) {
          INFO(footprint.metric);
          CHECK(footprint.estimated == footprint.measured);
        }
  }
}
