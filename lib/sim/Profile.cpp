#include "sim/Profile.h"
#include "sim/CostModel.h"
#include <algorithm>
#include <map>
#include <set>

namespace streammap {
namespace {

std::string kindOf(const Task &task) {
  return task.name.substr(0, task.name.find_first_of("[#"));
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// What was measured of one kind.
struct Samples {
  std::vector<double> times, ratios;
};

bool isGivenByHand(const Task &task) {
  return !task.seconds.empty() && task.secondsOrigin == Origin::pragma;
}

} // namespace

Profiled withProfile(const TaskGraph &graph, const Cluster &cluster, const std::vector<MeasuredTime> &times,
                     const GpuModel &measuredOn) {
  Profiled result{graph, {}, {}};
  const std::span<const Kernel> kernels{graph.kernels.begin(), graph.kernels.end()};
  std::map<std::string, std::vector<Seconds>> byName;
  for (const MeasuredTime &time : times)
    byName[time.task].push_back(time.time);

  // The sites of a kind may differ in their pragma; the name and the place together tell kinds apart.
  const auto keyOf = [](const Task &task) { return std::pair(kindOf(task), task.site); };
  std::map<std::pair<std::string, std::optional<unsigned>>, Samples> samples;
  std::map<std::string, std::size_t> seen;
  for (const Task &task : graph.tasks) {
    const auto found = byName.find(task.name);
    const std::size_t turn = seen[task.name]++;
    if (found == byName.end() || turn >= found->second.size() || isGivenByHand(task))
      continue;
    const double time = found->second[turn].value();
    Samples &kind = samples[keyOf(task)];
    kind.times.push_back(time);
    const std::optional<TimeEstimate> estimate = estimateTime(task, measuredOn, kernels);
    if (estimate && estimate->origin != Origin::defaulted && estimate->time > Seconds())
      kind.ratios.push_back(time / estimate->time.value());
  }
  for (const auto &[name, measured] : byName)
    if (!seen.contains(name))
      result.unmatched.push_back(name);

  std::map<std::string, ProfiledKind> kinds;
  for (Task &task : result.graph.tasks) {
    const auto found = samples.find(keyOf(task));
    if (found == samples.end() || isGivenByHand(task))
      continue;
    const Samples &kind = found->second;
    const double factor = kind.ratios.empty() ? 0 : median(kind.ratios);
    const Task estimated = task;
    for (const GpuModel &model : cluster.models) {
      const std::optional<TimeEstimate> estimate = estimateTime(estimated, model, kernels);
      if (factor > 0 && estimate && estimate->origin != Origin::defaulted)
        task.seconds[model.name] = estimate->time * factor;
    }
    if (factor == 0)
      task.seconds["*"] = seconds(median(kind.times));
    task.secondsOrigin = Origin::profile;
    ProfiledKind &row = kinds[kindOf(task)];
    row.name = kindOf(task);
    ++row.tasks;
    row.measured = std::max(row.measured, kind.times.size());
    row.factor = factor;
  }
  for (auto &[name, row] : kinds)
    result.kinds.push_back(std::move(row));
  return result;
}

} // namespace streammap
