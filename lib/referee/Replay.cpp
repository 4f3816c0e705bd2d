#include "referee/Replay.h"
#include "referee/RunPlan.h"
#include "support/Columns.h"
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace streammap {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longList = 12;

/// How long at least one of the intervals lasts.
Seconds covered(std::vector<std::pair<Seconds, Seconds>> intervals) {
  std::ranges::sort(intervals);
  Seconds sum, end;
  for (const auto &[start, stop] : intervals) {
    const Seconds from = std::max(start, end);
    if (stop > from)
      sum += stop - from;
    end = std::max(end, stop);
  }
  return sum;
}

std::vector<ReplayedLink> linksOf(const ReplayPlan &plan, const PlanTimes &times,
                                  const Placement &placement) {
  std::vector<std::vector<std::pair<Seconds, Seconds>>> busy(plan.links.size());
  for (std::size_t i = 0; i < plan.transfers.size(); ++i) {
    const std::size_t step = plan.tasks.size() + i;
    for (std::size_t link : plan.transfers[i].links)
      busy[link].emplace_back(times.start[step], times.end[step] - plan.transfers[i].latency);
  }
  std::map<std::string, const LinkUse *> predicted;
  for (const LinkUse &use : placement.links)
    predicted[use.link] = &use;
  std::vector<ReplayedLink> links;
  for (std::size_t link = 0; link < plan.links.size(); ++link) {
    ReplayedLink row{plan.links[link].name, Bytes(), Seconds(), covered(busy[link])};
    if (const auto found = predicted.find(row.name); found != predicted.end()) {
      row.size = found->second->size;
      row.predicted = found->second->busy;
    }
    links.push_back(std::move(row));
  }
  std::ranges::sort(links, [](const ReplayedLink &a, const ReplayedLink &b) {
    return a.simulated != b.simulated ? a.simulated > b.simulated : a.name < b.name;
  });
  return links;
}

std::string ratio(Seconds simulated, Seconds predicted) {
  return predicted > Seconds() ? significant(simulated / predicted) : "-";
}

} // namespace

Expected<Replay> replayWithSimGrid(const TaskGraph &graph, const Cluster &cluster,
                                   const Placement &placement) {
  const Expected<ReplayPlan> plan = makeReplayPlan(graph, cluster, placement);
  if (!plan)
    return std::unexpected(plan.error());
  // A hundred units or more for the whole, so that SimGrid's 1e-9 of a unit are nothing.
  const Seconds makespan = placement.predicted.makespan;
  const Seconds unit = makespan > Seconds() ? std::min(seconds(1), makespan / 100) : seconds(1);
  const Expected<PlanTimes> times = runPlan(*plan, unit);
  if (!times)
    return std::unexpected(times.error());
  Replay replay;
  replay.predicted = makespan;
  for (TaskId task : graph.tasks.ids()) {
    replay.tasks.push_back({task, times->start[task.index()], times->end[task.index()]});
    replay.simulated = std::max(replay.simulated, replay.tasks.back().end);
  }
  replay.links = linksOf(*plan, *times, placement);
  return replay;
}

std::string toText(const Replay &replay) {
  std::string out = "  makespan    predicted " + toText(replay.predicted) + ", simulated " +
                    toText(replay.simulated) + ", ratio " + ratio(replay.simulated, replay.predicted) + "\n";
  if (replay.links.empty())
    return out;
  out += "\n  link                                    bytes  predicted  simulated     ratio\n";
  const std::size_t shown = std::min(longList, replay.links.size());
  for (const ReplayedLink &link : std::span(replay.links).first(shown))
    out += "  " + left(link.name, 34) + right(toText(link.size), 11) + right(toText(link.predicted), 11) +
           right(toText(link.simulated), 11) + right(ratio(link.simulated, link.predicted), 10) + "\n";
  if (shown < replay.links.size())
    out += "    and " + std::to_string(replay.links.size() - shown) + " more (--format json has all)\n";
  return out + wrapped("The times of a link are those during which it carries something.", 2);
}

std::string toJson(const Replay &replay, const TaskGraph &graph) {
  Json tasks = Json::array(), links = Json::array();
  for (const ReplayedTask &task : replay.tasks)
    tasks.push_back({{"task", graph.tasks[task.task].id},
                     {"start_seconds", task.start.value()},
                     {"end_seconds", task.end.value()}});
  for (const ReplayedLink &link : replay.links)
    links.push_back({{"link", link.name},
                     {"bytes", link.size.value()},
                     {"predicted_busy_seconds", link.predicted.value()},
                     {"simulated_busy_seconds", link.simulated.value()}});
  const Json json = {{"schema", "streammap.replay/1"},
                     {"simulator", "SimGrid"},
                     {"predicted_makespan_seconds", replay.predicted.value()},
                     {"simulated_makespan_seconds", replay.simulated.value()},
                     {"tasks", std::move(tasks)},
                     {"links", std::move(links)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace streammap
