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

ComparedKernel compare(const KernelAnalysis &kernel, const std::vector<ToldLaunch> &launches,
                       const Amounts &measured) {
  ComparedKernel result{kernel.name, {}};
  for (const std::string_view metric : std::span(costMetricNames).first(countedMetricCount)) {
    const auto cost = kernel.costs.find(std::string(metric));
    const auto count = measured.find(std::string(metric));
    ComparedMetric compared{std::string(metric), 0.0, count == measured.end() ? 0 : count->second};
    for (const UnknownCost &unknown : kernel.unknowns)
      if (unknown.metric == "all")
        compared.estimated.reset();
    for (const ToldLaunch &launch : launches) {
      if (launch.kernel != kernel.name || cost == kernel.costs.end())
        continue;
      const auto value = evaluate(cost->second, launch.bindings);
      if (!value)
        compared.estimated.reset();
      else if (compared.estimated)
        *compared.estimated += value->value;
    }
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

  Comparison comparison;
  const auto begin = std::chrono::steady_clock::now();
  for (const CompileJob &job : resolveJobs({source}, {}, {}, diagnostics))
    for (const KernelAnalysis &kernel :
         analyseKernels(job, {.resources = ResourceCompiler::none}, diagnostics))
      if (std::ranges::find(launches, kernel.name, &ToldLaunch::kernel) != launches.end())
        comparison.kernels.push_back(compare(
            kernel, launches, counts->contains(kernel.symbol) ? counts->at(kernel.symbol) : Amounts{}));
  comparison.analysisSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (diagnostics.hasErrors())
    return failure(toText(diagnostics));
  return comparison;
}

} // namespace streammap
