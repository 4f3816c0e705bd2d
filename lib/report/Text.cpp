// The report for a terminal, at most 80 columns:
//
//   cholesky.cu on two nodes of two GPUs                   heft, 120 tasks
//
//     makespan      1.24 ms   predicted
//     lower bound   1.01 ms   by critical path; the gap is 22.8 %
//     devices       4 of 4 in use, 61 % busy
//     data moved    2.10 MiB in 31 transfers
//
//   What bounds it: compute 81.0 %, transfers 14.0 %, idle 5.0 %
//        start    takes  step              where               waited for
//          0 s  12.0 us  potrf[0]          n1:gpu0             program start
//      12.0 us  3.10 us  A                 n1:gpu0 -> n2:gpu1  over n1:nic.up
//      15.1 us  9.40 us  trsm[1,0]         n2:gpu1             data arrived
//   ...
//   Devices                        busy                          tasks   peak memory
//     n1:gpu0   A100-SXM4-80GB     ##############......  71.0 %     44   96.0 KiB
//
// Long lists are cut; the line that says so names what gives the rest.
#include "report/Formats.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace streammap {
namespace {

constexpr std::size_t width = 80;
constexpr std::size_t longList = 12;

std::string percent(Share share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string shortened(const std::string &text, std::size_t limit) {
  return text.size() <= limit ? text : text.substr(0, limit - 2) + "..";
}

std::string left(const std::string &text, std::size_t columns) {
  const std::string cut = shortened(text, columns);
  return cut + std::string(columns - cut.size(), ' ');
}

std::string right(const std::string &text, std::size_t columns) {
  const std::string cut = shortened(text, columns);
  return std::string(columns - cut.size(), ' ') + cut;
}

std::string bar(Share share, std::size_t columns) {
  const auto filled =
      static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns)));
  return std::string(filled, '#') + std::string(columns - filled, '.');
}

std::string count(std::size_t number, const char *noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/// Appends text broken at blanks so that no line passes 80 columns; later lines start at `indent`.
void appendWrapped(std::string &out, const std::string &text, std::size_t indent) {
  std::string line = std::string(indent, ' ');
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find(' ', at);
    end = end == std::string::npos ? text.size() : end;
    const std::string word = text.substr(at, end - at);
    if (line.size() > indent && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = std::string(indent, ' ');
    }
    line += (line.size() > indent ? " " : "") + word;
    at = end + 1;
  }
  out += line + "\n";
}

void appendMore(std::string &out, std::size_t shown, std::size_t total, const char *what) {
  if (shown < total)
    out += "    and " + std::to_string(total - shown) + " more " + what + " (--format json has all)\n";
}

void appendHeadline(std::string &out, const ReportData &data) {
  std::string program = data.sources.empty() ? "tasks" : data.sources.front();
  if (const std::size_t slash = program.find_last_of('/'); slash != std::string::npos)
    program = program.substr(slash + 1);
  const std::string rightPart = data.solver.strategy + ", " + count(data.tasks.size(), "task");
  const std::string title = program + " on " + (data.clusterName.empty() ? "the cluster" : data.clusterName);
  out += left(title, width - rightPart.size() - 2) + "  " + rightPart + "\n\n";
  out += "  makespan      " + left(toText(data.predicted.makespan), 10) + "predicted";
  std::size_t defaults = 0;
  for (const ClassRow &row : data.classes)
    defaults += row.defaults;
  if (defaults != 0)
    out += " with " + count(defaults, "task") + " on a default time*";
  if (data.measuredMakespan)
    out += "; measured " + toText(*data.measuredMakespan);
  out +=
      "\n  lower bound   " + left(toText(data.predicted.lowerBound), 10) + "by " + data.predicted.boundBy +
      (data.predicted.optimal ? "; proved optimal\n" : "; the gap is " + percent(data.predicted.gap) + "\n");
  out += "  devices       " + std::to_string(data.devices.size()) + " of " +
         std::to_string(data.deviceCount) + " in use, " + percent(data.utilisation) + " busy";
  if (data.unavailableDevices != 0)
    out += "; " + std::to_string(data.unavailableDevices) + " unavailable";
  out += "\n  data moved    " + toText(data.moved) + " in " + count(data.transfers.size(), "transfer") + "\n";
}

/// The reason in few words: "after X" is a dependence, "behind X" a busy device.
std::string shortReason(const ChainStep &step) {
  if (step.kind == ChainKind::idle)
    return "";
  if (step.kind == ChainKind::transfer)
    return step.blocker.empty() ? "" : "over " + step.blocker;
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

void appendChain(std::string &out, const ReportData &data) {
  const Seconds total = data.chainShares.compute + data.chainShares.transfer + data.chainShares.idle;
  auto share = [&](Seconds part) { return percent(total > Seconds() ? part / total : 0); };
  out += "\nWhat bounds it: compute " + share(data.chainShares.compute) + ", transfers " +
         share(data.chainShares.transfer) + ", idle " + share(data.chainShares.idle) + "\n";
  out += "     start    takes  step              where               waited for\n";
  const std::size_t n = data.chain.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (n > longList && i == longList / 2) {
      out += "                        ... " + std::to_string(n - longList) + " steps ...\n";
      i = n - longList / 2;
    }
    const ChainStep &step = data.chain[i];
    const std::string what = step.kind == ChainKind::idle ? "(idle)" : step.what;
    out += right(toText(step.start), 10) + right(toText(step.end - step.start), 9) + "  " + left(what, 16) +
           "  " + left(step.where, 18) + "  " + shortened(shortReason(step), 21) + "\n";
  }
}

void appendClasses(std::string &out, const ReportData &data) {
  out += "\nTasks by kind                  count     total      share\n";
  for (std::size_t i = 0; i < std::min(longList, data.classes.size()); ++i) {
    const ClassRow &row = data.classes[i];
    out += "  " + left(row.name, 26) + right(std::to_string(row.tasks), 8) + right(toText(row.total), 10) +
           (row.defaults != 0 ? "*" : " ") + " " + right(percent(row.share), 9) + "  " + bar(row.share, 20) +
           "\n";
  }
  if (std::ranges::any_of(data.classes, [](const ClassRow &row) { return row.defaults != 0; }))
    out += "  * rests on a default time\n";
  appendMore(out, std::min(longList, data.classes.size()), data.classes.size(), "kinds");
}

/// "4 on each (registers), 1.9 waves"
std::string occupancyText(const TaskRow &task) {
  if (task.launches.empty())
    return "";
  const LaunchRow *largest = &task.launches.front();
  for (const LaunchRow &row : task.launches)
    if (row.blocks > largest->blocks)
      largest = &row;
  char text[96];
  std::snprintf(text, sizeof text, "%u (%s), %.3g", largest->blocksEach, largest->limiter.c_str(),
                largest->waves);
  return text;
}

/// How sure the time of one task of each kind is, for the first task of the kind that has an interval.
void appendEstimates(std::string &out, const ReportData &data) {
  std::map<std::string, const TaskRow *> first;
  for (const TaskRow &task : data.tasks)
    if (task.low && task.high && *task.low < *task.high)
      first.try_emplace(task.taskClass, &task);
  if (first.empty())
    return;
  out += "\nOne task of a kind    takes   between       and   limit  blocks/SM (by), waves\n";
  std::size_t shown = 0;
  for (const ClassRow &row : data.classes) {
    const auto found = first.find(row.name);
    if (found == first.end() || shown == longList)
      continue;
    ++shown;
    const TaskRow &task = *found->second;
    out += "  " + left(row.name, 15) + right(toText(task.end - task.start), 9) + " " +
           right(toText(*task.low), 9) + " " + right(toText(*task.high), 9) + " " + right(task.limiter, 7);
    const std::string occupancy = occupancyText(task);
    out += (occupancy.empty() ? "" : "  " + shortened(occupancy, 25)) + "\n";
  }
  appendMore(out, shown, first.size(), "kinds");
}

void appendDevices(std::string &out, const ReportData &data) {
  out += "\nDevices          model             busy                       tasks  peak memory\n";
  std::vector<const DeviceRow *> rows;
  for (const DeviceRow &row : data.devices)
    rows.push_back(&row);
  if (rows.size() > longList)
    std::ranges::stable_sort(rows, std::greater{}, [](const DeviceRow *row) { return row->busy; });
  for (std::size_t i = 0; i < std::min(longList, rows.size()); ++i)
    out += "  " + left(rows[i]->name, 14) + " " + left(rows[i]->model, 17) + " " +
           bar(rows[i]->utilisation, 18) + " " + right(percent(rows[i]->utilisation), 7) +
           right(std::to_string(rows[i]->tasks), 7) + "  " + right(toText(rows[i]->peakMemory), 9) + "\n";
  appendMore(out, std::min(longList, rows.size()), rows.size(), "in use");
}

void appendLinks(std::string &out, const ReportData &data) {
  if (data.links.empty())
    return;
  out += "\nBusiest links                       busy                           bytes\n";
  constexpr std::size_t shown = 6;
  for (std::size_t i = 0; i < std::min(shown, data.links.size()); ++i)
    out += "  " + left(data.links[i].name, 33) + " " + bar(data.links[i].utilisation, 20) + " " +
           right(percent(data.links[i].utilisation), 7) + "  " + right(toText(data.links[i].size), 9) + "\n";
  appendMore(out, std::min(shown, data.links.size()), data.links.size(), "links");
}

void appendMeasured(std::string &out, const ReportData &data) {
  struct Pair {
    Seconds predicted, measured;
    std::size_t tasks = 0;
  };
  std::map<std::string, Pair> pairs;
  for (const TaskRow &task : data.tasks)
    if (task.measured) {
      Pair &pair = pairs[task.taskClass];
      pair.predicted += task.end - task.start;
      pair.measured += *task.measured;
      ++pair.tasks;
    }
  if (pairs.empty())
    return;
  out += "\nPredicted against measured      count  predicted   measured      ratio\n";
  for (const auto &[name, pair] : pairs) {
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.3g", pair.measured / pair.predicted);
    out += "  " + left(name, 26) + right(std::to_string(pair.tasks), 9) + right(toText(pair.predicted), 11) +
           right(toText(pair.measured), 11) + right(ratio, 11) + "\n";
  }
}

void appendWarnings(std::string &out, const ReportData &data) {
  if (data.warnings.empty())
    return;
  out += "\nTo know\n";
  for (std::size_t i = 0; i < std::min(longList, data.warnings.size()); ++i) {
    const ReportWarning &warning = data.warnings[i];
    std::string text = warning.message;
    if (!warning.location.empty())
      text += " (" + warning.location + ")";
    if (!warning.remedy.empty())
      text += "; " + warning.remedy;
    std::string lines;
    appendWrapped(lines, text, 4);
    lines[2] = '-';
    out += lines;
  }
  appendMore(out, std::min(longList, data.warnings.size()), data.warnings.size(), "remarks");
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
