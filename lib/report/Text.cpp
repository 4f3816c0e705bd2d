// The report for a terminal, at most 80 columns:
//
//   cholesky.cu on two nodes of two GPUs                   heft, 120 tasks
//
//     makespan      1.24 ms   predicted
//     lower bound   1.01 ms   by critical path; the gap is 22.8 %
//     assumed       31.0 % of the busy time is assumed: 8 tasks say nothing of
//                   their work and are taken to run 1.00 ms each; see To know
//     devices       4 of 4 in use, 61.0 % busy
//     data moved    2.10 MiB in 31 transfers
//
//   What bounds it: compute 81.0 %, transfers 14.0 %, idle 5.0 %
//        start    takes  step                  where               waited for
//          0 s  12.0 us  potrf[0]              n1:gpu0             program start
//      12.0 us  3.10 us  A                     n1:gpu0 -> n2:gpu1  over nic.up
//      15.1 us  9.40 us  trsm[1,0]             n2:gpu1             data arrived
//      24.5 us  1.00 us  6 transfers of A      n1:gpu0:peer.in     one by one
//   ...
//   Tasks by kind  count    total    share                limited by
//     gemm            84  1.90 ms   62.1 %  #######.....  fp64, launch
//
// Long lists are cut; the line that says so names what gives the rest. Words are not: they go on in the next
// line (TextTable.h).
#include "support/Text.h"
#include "report/Formats.h"
#include "report/TextTable.h"
#include "support/Columns.h"
#include <algorithm>
#include <cmath>

namespace streammap {
namespace {

constexpr std::size_t longList = 12;

/// Padded, but never cut.
std::string padded(const std::string &text, std::size_t columns) {
  return text.size() < columns ? left(text, columns) : text + " ";
}

std::string bar(Share share, std::size_t columns) {
  const auto filled =
      static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns)));
  return std::string(filled, '#') + std::string(columns - filled, '.');
}

void appendMore(std::string &out, std::size_t shown, std::size_t total, const char *what) {
  if (shown < total)
    out += "    and " + std::to_string(total - shown) + " more " + what + " (--format json has all)\n";
}

void appendTitle(std::string &out, const ReportData &data) {
  std::string program = data.sources.empty() ? "tasks" : data.sources.front();
  if (const std::size_t slash = program.find_last_of('/'); slash != std::string::npos)
    program = program.substr(slash + 1);
  const std::string title = program + " on " + (data.clusterName.empty() ? "the cluster" : data.clusterName);
  const std::string solver = data.solver.strategy + ", " + counted(data.tasks.size(), "task");
  if (title.size() + 2 + solver.size() <= terminalWidth) {
    out += title + right(solver, terminalWidth - title.size()) + "\n\n";
    return;
  }
  for (const std::string &line : brokenToFit(title, terminalWidth))
    out += line + "\n";
  out += right(solver, terminalWidth) + "\n\n";
}

/// "100.0 %" would deny that anything else is left.
std::string shareText(Share share) {
  return share < 1 && percent(share) == percent(1) ? "more than 99.9 %" : percent(share);
}

void appendAssumed(std::string &out, const ReportData &data) {
  if (data.assumedTasks == 0)
    return;
  const bool one = data.assumedTasks == 1;
  std::string text = shareText(data.assumedShare) +
                     " of the busy time is assumed: " + counted(data.assumedTasks, "task") +
                     (one ? " says" : " say") + " nothing of " + (one ? "its" : "their") + " work and " +
                     (one ? "is" : "are") + " taken to run ";
  if (data.assumedEach)
    text += toText(*data.assumedEach) + (one ? "" : " each");
  else
    text += toText(data.assumed) + " together";
  out += wrapped(text + "; see To know", 16, "  assumed       ");
}

void appendHeadline(std::string &out, const ReportData &data) {
  appendTitle(out, data);
  std::string makespan = padded(toText(data.predicted.makespan), 10) + "predicted";
  if (data.measuredMakespan)
    makespan += "; measured " + toText(*data.measuredMakespan) +
                (data.measuredOn.empty() ? "" : " on " + data.measuredOn);
  out += "  makespan      " + makespan + "\n";
  out +=
      "  lower bound   " + padded(toText(data.predicted.lowerBound), 10) + "by " + data.predicted.boundBy +
      (data.predicted.optimal ? "; proved optimal\n" : "; the gap is " + percent(data.predicted.gap) + "\n");
  appendAssumed(out, data);
  std::string devices = std::to_string(data.devices.size()) + " of " + std::to_string(data.deviceCount) +
                        " in use, " + percent(data.utilisation) + " busy";
  if (data.unavailableDevices != 0)
    devices += "; " + std::to_string(data.unavailableDevices) + " unavailable";
  out += "  devices       " + devices + "\n";
  out += "  data moved    " + toText(data.moved) + " in " + counted(data.transfers.size(), "transfer") + "\n";
}

/// The node of "n1:gpu0" with its colon, "n1:".
std::string_view nodeOf(std::string_view device) {
  return device.substr(0, device.rfind(':') + 1);
}

/// "n1:gpu0 -> gpu1" for a transfer inside a node, whose name is said once.
std::string shortWhere(const std::string &where) {
  constexpr std::string_view arrow = " -> ";
  const std::size_t at = where.find(arrow);
  if (at == std::string::npos)
    return where;
  const std::string_view from = std::string_view(where).substr(0, at),
                         to = std::string_view(where).substr(at + 4);
  const std::string_view node = nodeOf(from);
  return std::string(from) + std::string(arrow) +
         std::string(!node.empty() && node == nodeOf(to) ? to.substr(node.size()) : to);
}

/// A link without the node that the place names already.
std::string shortLink(const ChainStep &step) {
  const std::string node(nodeOf(std::string_view(step.where).substr(0, step.where.find(' '))));
  return !node.empty() && step.blocker.starts_with(node) ? step.blocker.substr(node.size()) : step.blocker;
}

/// The reason in few words: "after X" is a dependence, "behind X" a busy device.
std::string shortReason(const ChainStep &step) {
  if (step.kind == ChainKind::idle)
    return "";
  if (step.kind == ChainKind::transfer) {
    if (step.transfers > 1)
      return "one by one";
    if (step.reason == ChainReason::link)
      return "queues on " + shortLink(step);
    return step.blocker.empty() ? "" : "over " + shortLink(step);
  }
  switch (step.reason) {
  case ChainReason::programStart:
    return "program start";
  case ChainReason::data:
    return "data arrived";
  case ChainReason::predecessor:
    return "after " + step.blocker;
  case ChainReason::device:
    return "behind " + step.blocker;
  case ChainReason::link:
  case ChainReason::schedule:
    return "schedule";
  }
  return "";
}

std::string shortStep(const ChainStep &step) {
  if (step.kind == ChainKind::idle)
    return "(idle)";
  return step.transfers > 1 ? stepText(step) : step.what;
}

void appendChain(std::string &out, const ReportData &data) {
  const Seconds total = data.chainShares.compute + data.chainShares.transfer + data.chainShares.idle;
  auto share = [&](Seconds part) { return percent(total > Seconds() ? part / total : 0); };
  out += "\nWhat bounds it: compute " + share(data.chainShares.compute) + ", transfers " +
         share(data.chainShares.transfer) + ", idle " + share(data.chainShares.idle) + "\n";
  if (data.chain.empty())
    return;
  TextTable table({{"start", Align::right}, {"takes", Align::right}, {"step"}, {"where"}, {"waited for"}});
  const std::size_t n = data.chain.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (n > longList && i == longList / 2) {
      table.note("                      ... " + std::to_string(n - longList) + " steps ...");
      i = n - longList / 2;
    }
    const ChainStep &step = data.chain[i];
    table.add({toText(step.start), toText(step.end - step.start), shortStep(step), shortWhere(step.where),
               shortReason(step)});
  }
  out += table.text();
}

std::string limitersText(const ClassRow &row) {
  if (row.limiters.empty())
    return "unknown";
  std::vector<std::string> names = row.limiters;
  std::ranges::replace(names, std::string("default"), std::string("assumed time"));
  return join(names, ", ");
}

void appendClasses(std::string &out, const ReportData &data) {
  const bool anyDefault =
      std::ranges::any_of(data.classes, [](const ClassRow &row) { return row.defaults != 0; });
  const std::string padding = anyDefault ? " " : "";
  TextTable table({{"Tasks by kind"},
                   {"count", Align::right},
                   {"total" + padding, Align::right},
                   {"share", Align::right},
                   {""},
                   {"limited by"}});
  const std::size_t shown = std::min(longList, data.classes.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ClassRow &row = data.classes[i];
    table.add({row.name, std::to_string(row.tasks), toText(row.total) + (row.defaults != 0 ? "*" : padding),
               percent(row.share), bar(row.share, 12), limitersText(row)});
  }
  out += "\n" + table.text();
  if (anyDefault)
    out += "  * rests on an assumed time: tasks that say nothing of their work\n";
  appendMore(out, shown, data.classes.size(), "kinds");
}

/// "4 on each (registers), 1.9 waves"
std::string occupancyText(const TaskRow &task) {
  if (task.launches.empty())
    return "";
  const LaunchRow *largest = &task.launches.front();
  for (const LaunchRow &row : task.launches)
    if (row.blocks > largest->blocks)
      largest = &row;
  return std::to_string(largest->blocksEach) + " (" + largest->limiter + "), " + significant(largest->waves);
}

/// How sure the time of one task of each kind is, for the first task of the kind that has an interval.
void appendEstimates(std::string &out, const ReportData &data) {
  std::map<std::string, const TaskRow *> first;
  for (const TaskRow &task : data.tasks)
    if (task.low && task.high && *task.low < *task.high)
      first.try_emplace(task.taskClass, &task);
  if (first.empty())
    return;
  TextTable table({{"One task of a kind"},
                   {"takes", Align::right},
                   {"between", Align::right},
                   {"and", Align::right},
                   {"blocks/SM (by), waves"}});
  std::size_t shown = 0;
  for (const ClassRow &row : data.classes) {
    const auto found = first.find(row.name);
    if (found == first.end() || shown == longList)
      continue;
    ++shown;
    const TaskRow &task = *found->second;
    table.add({row.name, toText(task.end - task.start), toText(*task.low), toText(*task.high),
               occupancyText(task)});
  }
  out += "\n" + table.text();
  appendMore(out, shown, first.size(), "kinds");
}

void appendDevices(std::string &out, const ReportData &data) {
  std::vector<const DeviceRow *> rows;
  for (const DeviceRow &row : data.devices)
    rows.push_back(&row);
  if (rows.size() > longList)
    std::ranges::stable_sort(rows, std::greater{}, [](const DeviceRow *row) { return row->busy; });
  TextTable table({{"Devices"},
                   {"model"},
                   {"busy"},
                   {"", Align::right},
                   {"tasks", Align::right},
                   {"peak memory", Align::right}});
  const std::size_t shown = std::min(longList, rows.size());
  for (std::size_t i = 0; i < shown; ++i)
    table.add({rows[i]->name, rows[i]->model, bar(rows[i]->utilisation, 18), percent(rows[i]->utilisation),
               std::to_string(rows[i]->tasks), toText(rows[i]->peakMemory)});
  out += "\n" + table.text();
  appendMore(out, shown, rows.size(), "in use");
}

void appendLinks(std::string &out, const ReportData &data) {
  if (data.links.empty())
    return;
  TextTable table({{"Busiest links"}, {"busy"}, {"", Align::right}, {"bytes", Align::right}});
  const std::size_t shown = std::min<std::size_t>(6, data.links.size());
  for (std::size_t i = 0; i < shown; ++i)
    table.add({data.links[i].name, bar(data.links[i].utilisation, 20), percent(data.links[i].utilisation),
               toText(data.links[i].size)});
  out += "\n" + table.text();
  appendMore(out, shown, data.links.size(), "links");
}

void appendMeasured(std::string &out, const ReportData &data) {
  TextTable table({{"Predicted against measured"},
                   {"count", Align::right},
                   {"predicted", Align::right},
                   {"measured", Align::right},
                   {"measured/predicted", Align::right}});
  bool any = false;
  for (const ClassRow &row : data.classes) {
    if (row.measuredTasks == 0)
      continue;
    any = true;
    table.add(
        {row.name, std::to_string(row.measuredTasks), toText(row.predictedOfMeasured), toText(row.measured),
         row.predictedOfMeasured > Seconds() ? significant(row.measured / row.predictedOfMeasured) : "-"});
  }
  if (!any)
    return;
  out += "\n" + table.text();
  if (data.measuredOn == "CPU cores")
    out += wrapped("Measured on CPU cores, predicted for the devices above: the ratios say nothing of the "
                   "estimates.",
                   2);
}

void appendWarnings(std::string &out, const ReportData &data) {
  if (data.warnings.empty())
    return;
  out += "\nTo know\n";
  const std::size_t shown = std::min(longList, data.warnings.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ReportWarning &warning = data.warnings[i];
    std::string text = warning.message;
    if (!warning.location.empty())
      text += " (" + warning.location + ")";
    if (!warning.remedy.empty())
      text += "; " + warning.remedy;
    out += wrapped(text, 4, "  - ");
  }
  appendMore(out, shown, data.warnings.size(), "remarks");
}

} // namespace

std::string toText(const ReportData &data) {
  std::string out;
  appendHeadline(out, data);
  appendChain(out, data);
  appendClasses(out, data);
  appendEstimates(out, data);
  appendDevices(out, data);
  appendLinks(out, data);
  appendMeasured(out, data);
  appendWarnings(out, data);
  return out;
}

} // namespace streammap
