#include "interchange/Export.h"
#include "interchange/ExportWriters.h"
#include "support/Text.h"
#include <algorithm>
#include <array>
#include <set>

namespace streammap {
namespace {

constexpr std::array<ExportTarget, 4> table{{
    {"csv", "a table, one task a line", asCsv},
    {"starpu", "C header: node, worker and order of each task for starpu_task_insert", asStarPuHeader},
    {"openmp", "C header: the number of each task's device for the device() clause", asOpenMpHeader},
    {"cudastf", "C++ header: the exec_place of each task", asCudaStfHeader},
}};

bool namesAreUnique(const TaskGraph &graph) {
  std::set<std::string_view> names;
  return std::ranges::all_of(graph.tasks, [&](const Task &task) { return names.insert(task.name).second; });
}

/// RFC 4180: quoted where it has to be, with quotes doubled.
std::string csvCell(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

} // namespace

std::vector<PlacedTask> placedTasks(const TaskGraph &graph, const Cluster &cluster,
                                    const Placement &placement,
                                    const std::map<std::string, unsigned> &rankOf) {
  const bool byName = namesAreUnique(graph);
  std::vector<PlacedTask> rows;
  for (const Assignment &assignment : placement.assignments) {
    const Task &task = graph.tasks[assignment.task];
    const Device &device = cluster.devices[assignment.device];
    const std::string &node = cluster.nodes[device.node].name;
    rows.push_back({byName ? task.name : task.id, task.id, task.name, rankOf.at(node), node, device.gpu, 0,
                    assignment.start, assignment.end});
  }
  // A device by rank and GPU, its cores before its GPUs; equal starts keep program order.
  std::vector<PlacedTask *> byStart;
  for (PlacedTask &row : rows)
    byStart.push_back(&row);
  std::ranges::stable_sort(byStart, {}, [](const PlacedTask *row) { return row->start; });
  std::map<std::pair<unsigned, std::optional<unsigned>>, unsigned> placed;
  for (PlacedTask *row : byStart)
    row->order = ++placed[{row->rank, row->gpu}];
  return rows;
}

std::string asCsv(const std::vector<PlacedTask> &tasks) {
  std::string text = "task,name,rank,node,gpu,order,start_seconds,end_seconds\r\n";
  for (const PlacedTask &task : tasks)
    text += csvCell(task.id) + "," + csvCell(task.name) + "," + std::to_string(task.rank) + "," +
            csvCell(task.node) + "," + (task.gpu ? std::to_string(*task.gpu) : "cpu") + "," +
            std::to_string(task.order) + "," + shortest(task.start.value()) + "," +
            shortest(task.end.value()) + "\r\n";
  return text;
}

std::span<const ExportTarget> exportTargets() {
  return table;
}

const ExportTarget *findExportTarget(std::string_view name) {
  const auto found = std::ranges::find(table, name, &ExportTarget::name);
  return found == table.end() ? nullptr : &*found;
}

} // namespace streammap
