// Reads streammap.placement/1 against the task graph and the cluster it was made for.
#include "model/PlacementJson.h"
#include "support/Json.h"
#include "support/Text.h"
#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace streammap {
namespace {

constexpr JsonKey fileKeys[] = {{"schema"},
                                {"tasks_file", Need::required},
                                {"cluster_file", Need::required},
                                {"digests"},
                                {"program"},
                                {"predicted", Need::required},
                                {"solver"},
                                {"sensitivity"},
                                {"assignments", Need::required},
                                {"transfers"},
                                {"devices"},
                                {"links"}};
constexpr JsonKey digestKeys[] = {{"tasks"}, {"cluster"}};
constexpr JsonKey programKeys[] = {{"arguments"}, {"parameters"}};
constexpr JsonKey predictedKeys[] = {
    {"makespan_seconds", Need::required}, {"lower_bound_seconds"}, {"gap"}, {"bound_by"}, {"optimal"}};
constexpr JsonKey solverKeys[] = {{"strategy"}, {"seed"}, {"steps"}, {"seconds"}};
constexpr JsonKey sensitivityKeys[] = {
    {"rivals", Need::required}, {"computing_slower"}, {"computing_faster"}, {"noise", Need::required}};
constexpr JsonKey rivalKeys[] = {{"strategy", Need::required}, {"makespan_seconds", Need::required}};
constexpr JsonKey tippingKeys[] = {{"factor", Need::required}, {"strategy", Need::required}};
constexpr JsonKey noiseKeys[] = {{"factor", Need::required},
                                 {"draws", Need::required},
                                 {"kept", Need::required},
                                 {"regret", Need::required}};
constexpr JsonKey assignmentKeys[] = {{"task", Need::required},
                                      {"name"},
                                      {"node", Need::required},
                                      {"gpu", Need::required},
                                      {"start_seconds", Need::required},
                                      {"end_seconds", Need::required},
                                      {"origin"},
                                      {"limiter"},
                                      {"low_seconds"},
                                      {"high_seconds"}};
constexpr JsonKey transferKeys[] = {{"dependency"},
                                    {"buffer"},
                                    {"from", Need::required},
                                    {"to", Need::required},
                                    {"bytes", Need::required},
                                    {"route"},
                                    {"start_seconds", Need::required},
                                    {"end_seconds", Need::required}};
constexpr JsonKey dependencyKeys[] = {{"from", Need::required}, {"to", Need::required}, {"buffer"}};
constexpr JsonKey deviceKeys[] = {
    {"node", Need::required}, {"gpu", Need::required}, {"busy_seconds"}, {"peak_memory_bytes"}};
constexpr JsonKey linkKeys[] = {{"link", Need::required}, {"bytes"}, {"busy_seconds"}};

constexpr std::string_view originNames[] = {"unknown", "default", "static", "ptxas", "profile", "pragma"};
constexpr std::string_view otherGraph =
    "the placement was made for another version of the task graph; map again";

PlacementInputs readInputs(const JsonObject &file, Diagnostics &diagnostics) {
  PlacementInputs inputs;
  inputs.tasksFile = file.text("tasks_file").value_or("");
  inputs.clusterFile = file.text("cluster_file").value_or("");
  if (std::optional<JsonValue> value = file.find("digests")) {
    JsonObject digests(*value, digestKeys, diagnostics);
    inputs.tasksDigest = digests.text("tasks").value_or("");
    inputs.clusterDigest = digests.text("cluster").value_or("");
  }
  if (std::optional<JsonValue> value = file.find("program")) {
    JsonObject program(*value, programKeys, diagnostics);
    inputs.arguments = program.textArray("arguments");
    for (JsonValue parameter : program.members("parameters"))
      if (std::optional<double> number =
              readNumber(parameter, diagnostics, {std::numeric_limits<double>::lowest()}))
        inputs.parameters[std::string(parameter.key())] = *number;
  }
  return inputs;
}

class Reader {
public:
  Reader(JsonValue root, const TaskGraph &graph, const Cluster &cluster, Diagnostics &diagnostics)
      : diagnostics_(diagnostics), graph_(graph), cluster_(cluster), file_(root, fileKeys, diagnostics) {
    for (TaskId task : graph.tasks.ids())
      tasks_.emplace(graph.tasks[task].id, task);
    for (BufferId buffer : graph.buffers.ids())
      buffers_.emplace(graph.buffers[buffer].id, buffer);
    for (NodeId node : cluster.nodes.ids())
      nodes_.emplace(cluster.nodes[node].name, node);
    for (DeviceId device : cluster.devices.ids())
      devices_.emplace(deviceName(cluster, device), device);
  }

  Placement read() {
    PlacementInputs inputs = readInputs(file_, diagnostics_);
    placement_.tasksFile = inputs.tasksFile;
    placement_.clusterFile = inputs.clusterFile;
    placement_.tasksDigest = inputs.tasksDigest;
    placement_.clusterDigest = inputs.clusterDigest;
    if (file_.has("program") &&
        (inputs.arguments != graph_.program.arguments || inputs.parameters != graph_.program.parameters))
      file_.error("program", "arguments or parameters differ from the task graph's; map again",
                  "other-graph");
    if (std::optional<JsonValue> predicted = file_.find("predicted"))
      readPrediction(*predicted);
    if (std::optional<JsonValue> solver = file_.find("solver"))
      readSolver(*solver);
    if (std::optional<JsonValue> sensitivity = file_.find("sensitivity"))
      readSensitivity(*sensitivity);
    for (JsonValue assignment : file_.array("assignments"))
      readAssignment(assignment);
    for (JsonValue transfer : file_.array("transfers"))
      readTransfer(transfer);
    for (JsonValue device : file_.array("devices"))
      readDeviceUse(device);
    for (JsonValue link : file_.array("links"))
      readLinkUse(link);
    std::ranges::stable_sort(placement_.assignments, {}, &Assignment::task);
    return std::move(placement_);
  }

private:
  void readPrediction(JsonValue value) {
    JsonObject object(value, predictedKeys, diagnostics_);
    Prediction &predicted = placement_.predicted;
    predicted.makespan = timeOf(object, "makespan_seconds");
    predicted.lowerBound = timeOf(object, "lower_bound_seconds");
    predicted.gap = object.number("gap", {-1}).value_or(0); // below 0 is a wrong bound, which the judge says
    predicted.boundBy = object.text("bound_by").value_or("");
    predicted.optimal = object.boolean("optimal").value_or(false);
    if (predicted.optimal && predicted.lowerBound < predicted.makespan * (1 - 1e-9))
      object.error("optimal", "expected false, or nothing: the lower bound is below the makespan");
  }

  void readSolver(JsonValue value) {
    JsonObject object(value, solverKeys, diagnostics_);
    placement_.solver.strategy = object.text("strategy").value_or("");
    placement_.solver.seed = object.wholeNumber("seed", {0, UINT64_MAX}).value_or(0);
    placement_.solver.steps = object.wholeNumber("steps", {0, UINT64_MAX}).value_or(0);
    object.number("seconds"); // a reader of other tools' placements; ours have no clock in them
  }

  void readSensitivity(JsonValue value) {
    JsonObject object(value, sensitivityKeys, diagnostics_);
    Sensitivity sensitivity;
    for (JsonValue element : object.array("rivals")) {
      JsonObject rival(element, rivalKeys, diagnostics_);
      sensitivity.rivals.push_back({rival.text("strategy").value_or(""), timeOf(rival, "makespan_seconds")});
    }
    auto tipping = [&](std::string_view key) -> std::optional<Sensitivity::Tipping> {
      const std::optional<JsonValue> found = object.find(key);
      if (!found)
        return std::nullopt;
      JsonObject tip(*found, tippingKeys, diagnostics_);
      return Sensitivity::Tipping{tip.number("factor").value_or(1), tip.text("strategy").value_or("")};
    };
    sensitivity.slower = tipping("computing_slower");
    sensitivity.faster = tipping("computing_faster");
    for (JsonValue element : object.array("noise")) {
      JsonObject level(element, noiseKeys, diagnostics_);
      sensitivity.noise.push_back(
          {level.number("factor", {1}).value_or(1), level.wholeNumber("draws").value_or(0),
           level.wholeNumber("kept").value_or(0), level.number("regret").value_or(0)});
    }
    placement_.sensitivity = std::move(sensitivity);
  }

  void readAssignment(JsonValue value) {
    JsonObject object(value, assignmentKeys, diagnostics_);
    std::optional<TaskId> task = resolve(object, "task", tasks_, "task");
    std::optional<DeviceId> device = readDevice(object);
    Assignment assignment;
    assignment.start = timeOf(object, "start_seconds");
    assignment.end = timeOf(object, "end_seconds");
    assignment.origin = static_cast<Origin>(object.oneOf("origin", originNames).value_or(0));
    assignment.limiter = object.text("limiter").value_or("");
    if (object.has("low_seconds"))
      assignment.low = timeOf(object, "low_seconds");
    if (object.has("high_seconds"))
      assignment.high = timeOf(object, "high_seconds");
    std::optional<std::string> name = object.text("name");
    if (task && name && *name != graph_.tasks[*task].name)
      object.error("name",
                   "task '" + graph_.tasks[*task].id + "' is called '" + graph_.tasks[*task].name +
                       "' in the task graph: " + std::string(otherGraph),
                   "other-graph");
    if (!task || !device)
      return;
    assignment.task = *task;
    assignment.device = *device;
    placement_.assignments.push_back(std::move(assignment));
  }

  void readTransfer(JsonValue value) {
    JsonObject object(value, transferKeys, diagnostics_);
    Transfer transfer;
    if (std::optional<JsonValue> dependency = object.find("dependency"))
      transfer.dependency = readDependency(*dependency);
    if (std::optional<BufferId> buffer = resolve(object, "buffer", buffers_, "buffer"))
      transfer.buffer = *buffer;
    std::optional<DeviceId> from = readEnd(object, "from"), to = readEnd(object, "to");
    transfer.size = Bytes(object.number("bytes").value_or(0));
    transfer.route = object.textArray("route");
    transfer.start = timeOf(object, "start_seconds");
    transfer.end = timeOf(object, "end_seconds");
    if (!from || !to)
      return;
    if (!to->valid())
      object.error("to", "expected a device; only 'from' may be a node's memory");
    transfer.from = *from;
    transfer.to = *to;
    placement_.transfers.push_back(std::move(transfer));
  }

  std::optional<std::size_t> readDependency(JsonValue value) {
    JsonObject object(value, dependencyKeys, diagnostics_);
    std::optional<TaskId> from = resolve(object, "from", tasks_, "task"),
                          to = resolve(object, "to", tasks_, "task");
    std::optional<BufferId> buffer = resolve(object, "buffer", buffers_, "buffer");
    if (!from || !to)
      return std::nullopt;
    auto key = [](const Dependency &d) { return std::tuple(d.from, d.to, d.buffer); };
    auto found = std::ranges::lower_bound(graph_.dependencies, std::tuple(*from, *to, buffer), {}, key);
    if (found != graph_.dependencies.end() && key(*found) == std::tuple(*from, *to, buffer))
      return static_cast<std::size_t>(found - graph_.dependencies.begin());
    object.error("", "the task graph has no such dependency: " + std::string(otherGraph), "other-graph");
    return std::nullopt;
  }

  /// "n003:gpu2", "n003:cpu"; or a node's memory, "n003:host", as an invalid id.
  std::optional<DeviceId> readEnd(const JsonObject &object, std::string_view key) {
    std::optional<std::string> name = object.text(key);
    if (!name)
      return std::nullopt;
    if (auto found = devices_.find(*name); found != devices_.end())
      return found->second;
    if (name->ends_with(":host") && nodes_.contains(name->substr(0, name->size() - 5)))
      return DeviceId();
    object.error(key,
                 "unknown device '" + abbreviated(*name) + "'; expected NODE:gpuN, NODE:cpu or NODE:host",
                 "unknown-device");
    return std::nullopt;
  }

  void readDeviceUse(JsonValue value) {
    JsonObject object(value, deviceKeys, diagnostics_);
    std::optional<DeviceId> device = readDevice(object);
    DeviceUse use{device.value_or(DeviceId()), timeOf(object, "busy_seconds"),
                  Bytes(object.number("peak_memory_bytes").value_or(0))};
    if (device)
      placement_.devices.push_back(use);
  }

  void readLinkUse(JsonValue value) {
    JsonObject object(value, linkKeys, diagnostics_);
    placement_.links.push_back({object.text("link").value_or(""), Bytes(object.number("bytes").value_or(0)),
                                timeOf(object, "busy_seconds")});
  }

  /// "node" and "gpu"; null is the node's cores.
  std::optional<DeviceId> readDevice(const JsonObject &object) {
    std::optional<NodeId> node = resolve(object, "node", nodes_, "node");
    std::optional<JsonValue> gpu = object.find("gpu");
    if (!node || !gpu)
      return std::nullopt;
    std::string name = cluster_.nodes[*node].name;
    if (gpu->kind() == JsonKind::null)
      name += ":cpu";
    else if (std::optional<std::uint64_t> index = readWholeNumber(*gpu, diagnostics_))
      name += ":gpu" + std::to_string(*index);
    else
      return std::nullopt;
    if (auto found = devices_.find(name); found != devices_.end())
      return found->second;
    object.error("gpu", "the cluster has no device '" + name + "'", "unknown-device");
    return std::nullopt;
  }

  template <class IdType>
  std::optional<IdType> resolve(const JsonObject &object, std::string_view key,
                                const std::unordered_map<std::string, IdType> &ids, const std::string &kind) {
    std::optional<std::string> name = object.text(key);
    if (!name)
      return std::nullopt;
    auto found = ids.find(*name);
    if (found != ids.end())
      return found->second;
    object.error(key, "unknown " + kind + " '" + abbreviated(*name) + "'", "unknown-id");
    return std::nullopt;
  }

  static Seconds timeOf(const JsonObject &object, std::string_view key) {
    return seconds(object.number(key).value_or(0));
  }

  Diagnostics &diagnostics_;
  const TaskGraph &graph_;
  const Cluster &cluster_;
  JsonObject file_;
  Placement placement_;
  std::unordered_map<std::string, TaskId> tasks_;
  std::unordered_map<std::string, BufferId> buffers_;
  std::unordered_map<std::string, NodeId> nodes_;
  std::unordered_map<std::string, DeviceId> devices_;
};

} // namespace

std::optional<PlacementInputs> readPlacementInputs(std::string_view text, const std::string &file,
                                                   Diagnostics &diagnostics) {
  const std::size_t errorsBefore = diagnostics.errorCount();
  std::optional<JsonDocument> document = JsonDocument::parse(text, file, diagnostics);
  if (!document || !hasSchema(document->root(), "streammap.placement/1", diagnostics))
    return std::nullopt;
  PlacementInputs inputs = readInputs(JsonObject(document->root(), fileKeys, diagnostics), diagnostics);
  return diagnostics.errorCount() == errorsBefore ? std::optional(std::move(inputs)) : std::nullopt;
}

std::optional<Placement> readPlacement(std::string_view text, const std::string &file, const TaskGraph &graph,
                                       const Cluster &cluster, Diagnostics &diagnostics) {
  const std::size_t errorsBefore = diagnostics.errorCount();
  std::optional<JsonDocument> document = JsonDocument::parse(text, file, diagnostics);
  if (!document || !hasSchema(document->root(), "streammap.placement/1", diagnostics))
    return std::nullopt;
  Placement placement = Reader(document->root(), graph, cluster, diagnostics).read();
  return diagnostics.errorCount() == errorsBefore ? std::optional(std::move(placement)) : std::nullopt;
}

} // namespace streammap
