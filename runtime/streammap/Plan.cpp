#include "streammap/Plan.h"
#include "support/Json.h"
#include "support/Text.h"
#include <algorithm>
#include <set>

namespace streammap::engine {
namespace {

/// A member that must be there; says so when it is not.
std::optional<JsonValue> member(JsonValue object, std::string_view key, Diagnostics &diagnostics) {
  for (JsonValue value : object.children())
    if (value.key() == key)
      return value;
  diagnostics.error(object.location(), "missing key '" + std::string(key) + "'", "missing-key");
  return std::nullopt;
}

struct ReadAssignment {
  PlannedTask task;
  std::string node;
};

std::optional<ReadAssignment> readAssignment(JsonValue value, Diagnostics &diagnostics) {
  ReadAssignment result;
  const auto name = member(value, "name", diagnostics), node = member(value, "node", diagnostics),
             gpu = member(value, "gpu", diagnostics), start = member(value, "start_seconds", diagnostics);
  if (!name || !node || !gpu || !start)
    return std::nullopt;
  const auto nameText = readText(*name, diagnostics), nodeText = readText(*node, diagnostics);
  const auto startNumber = readNumber(*start, diagnostics);
  if (!nameText || !nodeText || !startNumber)
    return std::nullopt;
  result.task.device = -1;
  if (gpu->kind() != JsonKind::null) {
    const auto number = readWholeNumber(*gpu, diagnostics, {0, 61});
    if (!number)
      return std::nullopt;
    result.task.device = static_cast<int>(*number);
  }
  result.task.name = *nameText;
  result.task.start = *startNumber;
  result.node = *nodeText;
  return result;
}

void readProgram(JsonValue root, Plan &plan) {
  for (JsonValue program : root.children()) {
    if (program.key() != "program")
      continue;
    for (JsonValue part : program.children())
      for (JsonValue value : part.children())
        if (part.key() == "arguments" && value.kind() == JsonKind::text)
          plan.arguments.emplace_back(value.text());
        else if (part.key() == "parameters" && value.kind() == JsonKind::number)
          plan.parameters[std::string(value.key())] = value.number();
  }
}

} // namespace

bool Plan::reorder(const std::vector<std::string> &order) {
  if (order.size() != nodes.size() || !std::ranges::is_permutation(order, nodes))
    return false;
  std::vector<int> newRank;
  for (const std::string &node : nodes)
    newRank.push_back(static_cast<int>(std::ranges::find(order, node) - order.begin()));
  for (PlannedTask &task : tasks)
    task.rank = newRank[static_cast<std::size_t>(task.rank)];
  nodes = order;
  return true;
}

int Plan::devicesOf(int rank) const {
  int count = 0;
  for (const PlannedTask &task : tasks)
    if (task.rank == rank)
      count = std::max(count, task.device + 1);
  return count;
}

int Plan::gpuCount() const {
  std::set<std::pair<int, int>> devices;
  for (const PlannedTask &task : tasks)
    if (task.device >= 0)
      devices.emplace(task.rank, task.device);
  return static_cast<int>(devices.size());
}

std::optional<Plan> readPlan(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  const std::optional<JsonDocument> document = JsonDocument::parse(text, file, diagnostics);
  if (!document || !hasSchema(document->root(), "streammap.placement/1", diagnostics))
    return std::nullopt;
  const auto assignments = member(document->root(), "assignments", diagnostics);
  if (!assignments)
    return std::nullopt;
  Plan plan;
  plan.file = file;
  std::vector<std::string> nodeOfTask;
  for (JsonValue value : assignments->children()) {
    std::optional<ReadAssignment> read = readAssignment(value, diagnostics);
    if (!read)
      continue;
    plan.tasks.push_back(std::move(read->task));
    nodeOfTask.push_back(std::move(read->node));
  }
  if (diagnostics.hasErrors())
    return std::nullopt;
  plan.nodes = nodeOfTask;
  std::ranges::sort(plan.nodes, naturallyBefore);
  plan.nodes.erase(std::ranges::unique(plan.nodes).begin(), plan.nodes.end());
  std::map<std::string, int> rankOf;
  for (std::size_t rank = 0; rank < plan.nodes.size(); ++rank)
    rankOf[plan.nodes[rank]] = static_cast<int>(rank);
  for (std::size_t task = 0; task < plan.tasks.size(); ++task)
    plan.tasks[task].rank = rankOf.at(nodeOfTask[task]);
  readProgram(document->root(), plan);
  return plan;
}

std::string describeArguments(const std::vector<std::string> &arguments,
                              const std::map<std::string, double> &parameters) {
  std::vector<std::string> words = arguments;
  for (const auto &[name, value] : parameters)
    words.push_back(name + "=" + shortest(value));
  return words.empty() ? "none" : join(words, " ");
}

} // namespace streammap::engine
