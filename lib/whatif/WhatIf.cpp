#include "whatif/WhatIf.h"
#include "mapper/Retime.h"
#include "model/Violations.h"
#include "report/Summary.h"
#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

namespace streammap {
namespace {

std::vector<std::vector<Setting>> gridOf(const std::vector<Axis> &axes) {
  std::vector<std::vector<Setting>> grid{{}};
  for (const Axis &axis : axes) {
    std::vector<std::vector<Setting>> next;
    for (const std::vector<Setting> &row : grid)
      for (const std::string &value : axis.values) {
        next.push_back(row);
        next.back().push_back({axis.path, value});
      }
    grid = std::move(next);
  }
  return grid;
}

/// What happens on a placement's chain: the class of tasks with most time where computing has most, else the
/// busiest link.
std::string bottleneckOf(const ReportData &data) {
  if (data.chainShares.transfer > data.chainShares.compute && !data.links.empty())
    return data.links.front().name;
  std::map<std::string, Seconds> classes;
  for (const ChainStep &step : data.chain)
    if (step.kind == ChainKind::task)
      classes[step.what.substr(0, step.what.find_first_of("[#"))] += step.end - step.start;
  const auto most = std::ranges::max_element(classes, {}, [](const auto &entry) { return entry.second; });
  return most == classes.end() ? "" : most->first;
}

class Study {
public:
  Study(const TaskGraph &graph, const WhatIfOptions &options) : graph_(graph), options_(options) {
    options_.map.threads = 1; // the rows are what runs side by side
  }

  /// The row of the cluster as it is; keeps its decisions for the others.
  WhatIfRow first(const Cluster &cluster) {
    WhatIfRow row;
    const Expected<Problem> problem = makeProblem(graph_, cluster);
    const Expected<Placement> placement = mapped(problem);
    if (!placement) {
      row.whyNot = placement.error().message;
      return row;
    }
    const Decisions decisions = decisionsOf(*problem, *placement);
    order_ = decisions.order;
    for (DeviceId device : decisions.device)
      devices_.push_back(deviceName(cluster, device));
    fill(row, *problem, *placement);
    return row;
  }

  WhatIfRow row(const std::vector<Setting> &settings, const Cluster &cluster) const {
    WhatIfRow row;
    row.settings = settings;
    const Expected<Problem> problem = makeProblem(graph_, cluster);
    Expected<Placement> placement = mapped(problem);
    if (!placement) {
      row.whyNot = placement.error().message;
      return row;
    }
    if (std::optional<Placement> kept = withFirstDecisions(*problem);
        kept && kept->predicted.makespan < placement->predicted.makespan) {
      kept->predicted.lowerBound = std::min(placement->predicted.lowerBound, kept->predicted.makespan);
      kept->predicted.boundBy = placement->predicted.boundBy;
      kept->predicted.gap = kept->predicted.lowerBound > Seconds()
                                ? kept->predicted.makespan / kept->predicted.lowerBound - 1
                                : 0;
      kept->solver.strategy = "as before";
      *placement = std::move(*kept);
    }
    fill(row, *problem, *placement);
    return row;
  }

private:
  Expected<Placement> mapped(const Expected<Problem> &problem) const {
    return problem ? mapTasks(*problem, options_.map) : Expected<Placement>(std::unexpected(problem.error()));
  }

  /// The unchanged cluster's decisions here, where its devices are still there and may run their tasks.
  std::optional<Placement> withFirstDecisions(const Problem &problem) const {
    const Cluster &cluster = problem.cluster();
    if (order_.size() != graph_.tasks.size() || graph_.tasks.empty())
      return std::nullopt;
    std::map<std::string, DeviceId> byName;
    for (DeviceId device : problem.devices())
      byName[deviceName(cluster, device)] = device;
    Decisions decisions{order_, {}};
    for (TaskId task : graph_.tasks.ids()) {
      const auto found = byName.find(devices_[task.index()]);
      if (found == byName.end() || !problem.allows(task, found->second))
        return std::nullopt;
      decisions.device.push(found->second);
    }
    Placement placement = retime(problem, decisions);
    if (!findViolations(graph_, cluster, placement).empty())
      return std::nullopt;
    return placement;
  }

  void fill(WhatIfRow &row, const Problem &problem, const Placement &placement) const {
    const Cluster &cluster = problem.cluster();
    const ReportData data = collect(graph_, cluster, placement);
    row.predicted = placement.predicted;
    row.strategy = placement.solver.strategy;
    row.nodes = cluster.nodes.size();
    for (ClassId c : problem.classes().ids())
      if (std::ranges::any_of(graph_.tasks.ids(),
                              [&](TaskId task) { return problem.estimate(task, c).has_value(); }))
        row.devices += problem.classSize(c);
    row.devicesUsed = placement.devices.size();
    row.utilisation = data.utilisation;
    row.energy = energyOf(placement, cluster);
    row.compute = data.chainShares.compute;
    row.transfer = data.chainShares.transfer;
    row.idle = data.chainShares.idle;
    row.bottleneck = bottleneckOf(data);
  }

  const TaskGraph &graph_;
  WhatIfOptions options_;
  std::vector<TaskId> order_; ///< decisions on the cluster as it is
  std::vector<std::string> devices_;
};

} // namespace

Joules energyOf(const Placement &placement, const Cluster &cluster) {
  Joules energy;
  for (const DeviceUse &use : placement.devices)
    energy += cluster.models[cluster.devices[use.device].model].power * use.busy;
  return energy;
}

std::optional<WhatIf> whatIf(const TaskGraph &graph, std::string_view clusterText, const std::string &file,
                             const std::vector<Axis> &axes, const WhatIfOptions &options,
                             Diagnostics &diagnostics) {
  const std::size_t errorsBefore = diagnostics.errorCount();
  const std::optional<Cluster> unchanged = editedCluster(clusterText, file, {}, diagnostics);
  if (!unchanged)
    return std::nullopt;
  std::size_t rows = 1;
  for (const Axis &axis : axes) {
    rows *= axis.values.size();
    if (rows > mostRows) {
      diagnostics.error({file, 0, 0, ""},
                        "the settings make more than " + std::to_string(mostRows) + " combinations",
                        "grid-too-large");
      return std::nullopt;
    }
    // Each value by itself first, so that a mistake is told once and not in every row.
    for (const std::string &value : axis.values) {
      const Setting setting{axis.path, value};
      editedCluster(clusterText, file, std::span(&setting, 1), diagnostics);
    }
  }
  if (diagnostics.errorCount() != errorsBefore)
    return std::nullopt;
  const std::vector<std::vector<Setting>> grid =
      axes.empty() ? std::vector<std::vector<Setting>>{} : gridOf(axes);
  std::vector<Cluster> clusters;
  for (const std::vector<Setting> &settings : grid)
    if (std::optional<Cluster> cluster = editedCluster(clusterText, file, settings, diagnostics))
      clusters.push_back(std::move(*cluster));
  if (diagnostics.errorCount() != errorsBefore)
    return std::nullopt;
  // From here on every row has a cluster.
  WhatIf study;
  study.program = graph.program.sources.empty() ? "" : graph.program.sources.front();
  study.cluster = unchanged->name;
  study.tasks = graph.tasks.size();
  study.strategy = options.map.strategy;
  study.seed = options.map.seed;
  study.axes = axes;
  Study mapping(graph, options);
  study.rows.push_back(mapping.first(*unchanged));
  study.rows.resize(1 + grid.size());
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i = next++; i < grid.size(); i = next++)
      study.rows[1 + i] = mapping.row(grid[i], clusters[i]);
  };
  const unsigned cores =
      options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min<std::size_t>(cores, grid.size()); ++i)
    threads.emplace_back(work);
  work();
  threads.clear(); // joins
  const Seconds base = study.rows.front().predicted.makespan;
  for (WhatIfRow &row : study.rows)
    if (!row.whyNot && base > Seconds())
      row.ratio = row.predicted.makespan / base;
  return study;
}

} // namespace streammap
