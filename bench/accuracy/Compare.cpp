#include "Compare.h"
#include "analysis/KernelCosts.h"
#include "build/BuildProgram.h"
#include "build/RunTool.h"
#include "support/CostMetrics.h"
#include "support/Text.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace streammap {
namespace {

namespace fs = std::filesystem;
using Amounts = std::map<std::string, double>; ///< by metric

struct ToldLaunch {
  std::string kernel;
  Bindings bindings;
};

/// "launch saxpy|8 1 1|128 1 1|n=1000 m=2"
std::vector<ToldLaunch> launchesIn(const std::string &output) {
  std::vector<ToldLaunch> launches;
  for (const std::string_view line : split(output, '\n')) {
    if (!line.starts_with("launch "))
      continue;
    const auto parts = split(line.substr(7), '|');
    ToldLaunch launch{std::string(parts[0]), {}};
    for (const auto &[prefix, sizes] : {std::pair{"gridDim.", parts[1]}, std::pair{"blockDim.", parts[2]}}) {
      const auto dimensions = split(sizes, ' ');
      for (std::size_t i = 0; i != 3; ++i)
        launch.bindings[prefix + std::string(1, "xyz"[i])] = std::stod(std::string(dimensions[i]));
    }
    for (const std::string_view argument : split(parts[3], ' '))
      if (const std::size_t equals = argument.find('='); equals != std::string_view::npos)
        launch.bindings[std::string(argument.substr(0, equals))] =
            std::stod(std::string(argument.substr(equals + 1)));
    launches.push_back(std::move(launch));
  }
  return launches;
}

/// "touched saxpy|8000|4000": bytes read and written, by kernel, all launches together.
std::map<std::string, std::pair<double, double>> touchedIn(const std::string &output) {
  std::map<std::string, std::pair<double, double>> touched;
  for (const std::string_view line : split(output, '\n')) {
    if (!line.starts_with("touched "))
      continue;
    const auto parts = split(line.substr(8), '|');
    auto &[read, written] = touched[std::string(parts[0])];
    read += std::stod(std::string(parts[1]));
    written += std::stod(std::string(parts[2]));
  }
  return touched;
}

/// By mangled name.
Expected<std::map<std::string, Amounts>> countsIn(const std::string &file) {
  const auto document = nlohmann::json::parse(std::ifstream(file), nullptr, false);
  if (document.is_discarded())
    return failure("the program wrote no counts");
  std::map<std::string, Amounts> counts;
  for (const auto &kernel : document["kernels"])
    for (const auto &[metric, count] : kernel["counts"].items())
      counts[kernel["symbol"].get<std::string>()][metric] += count.get<double>();
  return counts;
}

/// The sum over the launches of the kernel; nothing where the analysis does not know.
std::optional<double> estimated(const KernelAnalysis &kernel, const std::string &metric,
                                const std::vector<ToldLaunch> &launches) {
  const auto cost = kernel.costs.find(metric);
  double sum = 0;
  for (const UnknownCost &unknown : kernel.unknowns)
    if (unknown.metric == "all")
      return std::nullopt;
  for (const ToldLaunch &launch : launches) {
    if (launch.kernel != kernel.name || cost == kernel.costs.end())
      continue;
    const auto value = evaluate(cost->second, launch.bindings);
    if (!value)
      return std::nullopt;
    sum += value->value;
  }
  return sum;
}

ComparedKernel compare(const KernelAnalysis &kernel, const std::vector<ToldLaunch> &launches,
                       const Amounts &measured) {
  ComparedKernel result{kernel.name, {}, {}, false};
  for (const std::string_view metric : std::span(costMetricNames).first(countedMetricCount)) {
    const auto count = measured.find(std::string(metric));
    ComparedMetric compared{std::string(metric), estimated(kernel, std::string(metric), launches),
                            count == measured.end() ? 0 : count->second};
    if (!compared.estimated || *compared.estimated != 0 || compared.measured != 0)
      result.metrics.push_back(std::move(compared));
  }
  return result;
}

} // namespace

bool ComparedKernel::isUnknown() const {
  return std::ranges::any_of(metrics, [](const ComparedMetric &metric) { return !metric.estimated; });
}

bool ComparedKernel::isExact() const {
  return std::ranges::all_of(metrics, [](const ComparedMetric &metric) {
    return metric.estimated && *metric.estimated == metric.measured;
  });
}

Expected<Comparison> compareCounts(const std::string &source, const std::string &toolFolder) {
  std::string folder = (fs::temp_directory_path() / "accuracy-XXXXXX").string();
  if (!mkdtemp(folder.data()))
    return failure("cannot make a temporary folder");
  BuildOptions build;
  build.sources = {source};
  build.output = folder + "/program";
  build.toolFolder = toolFolder;
  build.counting = CountOperations::yes;
  build.accessChecks = CheckAccesses::yes;
  Diagnostics diagnostics;
  if (const auto built = buildCpuProgram(build, diagnostics); !built)
    return std::unexpected(built.error());
  if (diagnostics.hasErrors())
    return failure(toText(diagnostics));
  const std::string countsFile = folder + "/counts.json";
  const auto run = runTool({"env", "STREAMMAP_CPU_COUNTS=" + countsFile, build.output});
  if (!run || run->exitCode != 0)
    return failure(source + ": the program fails: " + (run ? run->output : run.error().message));
  const auto counts = countsIn(countsFile);
  fs::remove_all(folder);
  if (!counts)
    return std::unexpected(counts.error());
  const std::vector<ToldLaunch> launches = launchesIn(run->output);
  const auto touched = touchedIn(run->output);

  Comparison comparison;
  const auto begin = std::chrono::steady_clock::now();
  for (const CompileJob &job : resolveJobs({source}, {}, {}, diagnostics))
    for (const KernelAnalysis &kernel :
         analyseKernels(job, {.resources = ResourceCompiler::none}, diagnostics))
      if (std::ranges::find(launches, kernel.name, &ToldLaunch::kernel) != launches.end()) {
        ComparedKernel compared = compare(
            kernel, launches, counts->contains(kernel.symbol) ? counts->at(kernel.symbol) : Amounts{});
        if (const auto bytes = touched.find(kernel.name); bytes != touched.end())
          compared.footprints = {
              {"read", estimated(kernel, "read_footprint_bytes", launches), bytes->second.first},
              {"written", estimated(kernel, "written_footprint_bytes", launches), bytes->second.second}};
        compared.isBounded = std::ranges::any_of(kernel.unknowns, [](const UnknownCost &unknown) {
          return unknown.metric.ends_with("footprint_bytes");
        });
        comparison.kernels.push_back(std::move(compared));
      }
  comparison.analysisSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (diagnostics.hasErrors())
    return failure(toText(diagnostics));
  return comparison;
}

} // namespace streammap
