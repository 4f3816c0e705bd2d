// Reads streammap.tasks/1. First every part is read by itself, references resolved as they are met; then what
// holds between parts is checked: order of dependencies, cycles.
#include "model/Dependencies.h"
#include "model/JsonIds.h"
#include "model/ReadTaskGraphFast.h"
#include "model/TaskGraphJson.h"
#include "model/TaskOrder.h"
#include "support/CostMetrics.h"
#include <algorithm>

namespace streammap {
namespace {

constexpr JsonKey fileKeys[] = {
    {"schema"}, {"program"}, {"kernels"}, {"buffers"}, {"tasks", Need::required}, {"dependencies"}};
constexpr JsonKey programKeys[] = {{"sources"}, {"arguments"}, {"parameters"}};
constexpr JsonKey kernelKeys[] = {{"id", Need::required}, {"name"},  {"symbol"},  {"location"},
                                  {"resources"},          {"costs"}, {"unknowns"}};
constexpr JsonKey resourceKeys[] = {{"registers_per_thread"},
                                    {"static_shared_bytes"},
                                    {"spill_bytes"},
                                    {"local_bytes"},
                                    {"constant_bytes"},
                                    {"origin"},
                                    {"compiler"}};
constexpr JsonKey unknownKeys[] = {{"metric", Need::required}, {"location"}, {"reason"}, {"remedy"}};
constexpr JsonKey bufferKeys[] = {{"id", Need::required}, {"name"}, {"bytes", Need::required}, {"location"}};
constexpr JsonKey taskKeys[] = {{"id", Need::required},
                                {"name"},
                                {"site"},
                                {"location"},
                                {"launches"},
                                {"work"},
                                {"seconds"},
                                {"seconds_origin"},
                                {"device_memory_bytes"},
                                {"accesses"},
                                {"constraints"},
                                {"priority"}};
constexpr JsonKey launchKeys[] = {{"kernel", Need::required}, {"grid"}, {"block"}, {"dynamic_shared_bytes"}};
constexpr JsonKey workKeys[] = {{"flops"}, {"dram_bytes"}, {"requested_bytes"}, {"origin"}};
constexpr JsonKey flopKeys[] = {{"fp64"}, {"fp32"}, {"fp16"}, {"bf16"}, {"tensor"}, {"integer"}, {"special"}};
constexpr JsonKey accessKeys[] = {{"buffer", Need::required},
                                  {"mode", Need::required},
                                  {"offset"},
                                  {"bytes", Need::required},
                                  {"stride"},
                                  {"count"}};
constexpr JsonKey constraintKeys[] = {{"capability"}, {"models"}, {"together"},
                                      {"apart"},      {"node"},   {"device"}};
constexpr JsonKey dependencyKeys[] = {
    {"from", Need::required}, {"to", Need::required}, {"bytes"}, {"buffer"}};

constexpr std::string_view originNames[] = {"unknown", "default", "static", "ptxas", "profile", "pragma"};
constexpr std::string_view modeNames[] = {"in", "out", "inout"};
constexpr std::string_view deviceNames[] = {"gpu", "cpu", "any"};

constexpr NumberRange anyNumber{std::numeric_limits<double>::lowest()};
/// Thirty million years: sums of a million such times are still numbers.
constexpr double longestSeconds = 1e15;
constexpr std::uint64_t maxGrid =
    2147483647; // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
constexpr std::uint64_t maxBlock = 1024;

class Reader {
public:
  Reader(JsonValue root, Diagnostics &diagnostics)
      : diagnostics_(diagnostics), file_(root, fileKeys, diagnostics) {}

  TaskGraph read() {
    if (std::optional<JsonValue> program = file_.find("program"))
      readProgram(*program);
    for (JsonValue kernel : file_.array("kernels"))
      readKernel(kernel);
    for (JsonValue buffer : file_.array("buffers"))
      readBuffer(buffer);
    for (JsonValue task : file_.array("tasks"))
      readTask(task);
    for (JsonValue dependency : file_.array("dependencies"))
      readDependency(dependency);
    sortDependencies();
    reportCycle();
    return std::move(graph_);
  }

private:
  void readProgram(JsonValue value) {
    JsonObject object(value, programKeys, diagnostics_);
    graph_.program.sources = object.textArray("sources");
    graph_.program.arguments = object.textArray("arguments");
    for (JsonValue parameter : object.members("parameters"))
      if (std::optional<double> number = readNumber(parameter, diagnostics_, anyNumber))
        graph_.program.parameters[std::string(parameter.key())] = *number;
  }

  void readKernel(JsonValue value) {
    JsonObject object(value, kernelKeys, diagnostics_);
    Kernel kernel;
    kernel.id = object.text("id").value_or("");
    kernels_.declare(kernel.id, object.locationOf("id"), diagnostics_);
    kernel.name = object.text("name").value_or(kernel.id);
    kernel.symbol = object.text("symbol").value_or("");
    kernel.location = object.text("location").value_or("");
    for (JsonValue resources : object.members("resources"))
      kernel.resources[std::string(resources.key())] = readResources(resources);
    for (JsonValue cost : object.members("costs")) {
      if (!metricNamed(cost.key()))
        diagnostics_.error(cost.location(),
                           "unknown cost metric '" + abbreviated(cost.key()) + "'" +
                               didYouMean(cost.key(), costMetricNames),
                           "unknown-key");
      if (std::optional<std::string> expression = readText(cost, diagnostics_))
        kernel.costs[std::string(cost.key())] = *expression;
    }
    for (JsonValue unknown : object.array("unknowns"))
      kernel.unknowns.push_back(readUnknown(unknown));
    graph_.kernels.push(std::move(kernel));
  }

  KernelResources readResources(JsonValue value) {
    JsonObject object(value, resourceKeys, diagnostics_);
    KernelResources resources;
    resources.registersPerThread =
        static_cast<unsigned>(object.wholeNumber("registers_per_thread", {0, 65536}).value_or(0));
    resources.staticShared = plainBytes(object, "static_shared_bytes");
    resources.spill = plainBytes(object, "spill_bytes");
    resources.local = plainBytes(object, "local_bytes");
    resources.constant = plainBytes(object, "constant_bytes");
    resources.origin = origin(object, "origin", Origin::ptxas);
    resources.compiler = object.text("compiler").value_or("");
    return resources;
  }

  UnknownCost readUnknown(JsonValue value) {
    JsonObject object(value, unknownKeys, diagnostics_);
    if (const std::optional<std::string> metric = object.text("metric");
        metric && *metric != "all" && *metric != "registers_per_thread" && !metricNamed(*metric))
      object.error("metric", "expected a cost metric or \"all\", found the text '" + abbreviated(*metric) +
                                 "'" + didYouMean(*metric, costMetricNames));
    return {object.text("metric").value_or(""), object.text("location").value_or(""),
            object.text("reason").value_or(""), object.text("remedy").value_or("")};
  }

  void readBuffer(JsonValue value) {
    JsonObject object(value, bufferKeys, diagnostics_);
    Buffer buffer;
    buffer.id = object.text("id").value_or("");
    buffers_.declare(buffer.id, object.locationOf("id"), diagnostics_);
    buffer.name = object.text("name").value_or(buffer.id);
    buffer.size = Bytes(static_cast<double>(object.wholeNumber("bytes").value_or(0)));
    buffer.location = object.text("location").value_or("");
    graph_.buffers.push(std::move(buffer));
  }

  void readTask(JsonValue value) {
    JsonObject object(value, taskKeys, diagnostics_);
    Task task;
    task.id = object.text("id").value_or("");
    tasks_.declare(task.id, object.locationOf("id"), diagnostics_);
    task.name = object.text("name").value_or(task.id);
    if (std::optional<std::uint64_t> site = object.wholeNumber("site", {0, UINT32_MAX}))
      task.site = static_cast<unsigned>(*site);
    task.location = object.text("location").value_or("");
    for (JsonValue launch : object.array("launches"))
      readLaunch(launch, task);
    if (std::optional<JsonValue> work = object.find("work"))
      task.work = readWork(*work);
    for (JsonValue time : object.members("seconds"))
      if (std::optional<double> number = readNumber(time, diagnostics_)) {
        if (*number > longestSeconds)
          diagnostics_.error(time.location(),
                             "expected a time of at most " + shortest(longestSeconds) + " s, found " +
                                 time.description(),
                             "bad-value");
        task.seconds[std::string(time.key())] = seconds(*number);
      }
    task.secondsOrigin = origin(object, "seconds_origin", Origin::pragma);
    if (std::optional<double> memory = object.number("device_memory_bytes"))
      task.deviceMemory = Bytes(*memory);
    for (JsonValue access : object.array("accesses"))
      readAccess(access, task);
    if (std::optional<JsonValue> constraints = object.find("constraints"))
      task.constraints = readConstraints(*constraints);
    task.priority = object.number("priority", anyNumber).value_or(0);
    graph_.tasks.push(std::move(task));
  }

  void readLaunch(JsonValue value, Task &task) {
    JsonObject object(value, launchKeys, diagnostics_);
    Launch launch;
    std::optional<KernelId> kernel = kernels_.resolve(object, "kernel");
    launch.grid = readDimensions(object, "grid", maxGrid);
    launch.block = readDimensions(object, "block", maxBlock);
    launch.dynamicShared = plainBytes(object, "dynamic_shared_bytes");
    if (!kernel)
      return;
    launch.kernel = *kernel;
    task.launches.push_back(launch);
  }

  /// [x], [x, y] or [x, y, z]; what is left out is 1.
  std::array<std::uint64_t, 3> readDimensions(const JsonObject &object, std::string_view key,
                                              std::uint64_t greatest) {
    std::array<std::uint64_t, 3> dimensions{1, 1, 1};
    std::vector<JsonValue> elements = object.array(key);
    if (elements.size() > 3 || (object.has(key) && elements.empty()))
      object.error(key, "expected one to three whole numbers, found " + std::to_string(elements.size()));
    for (std::size_t i = 0; i < std::min<std::size_t>(3, elements.size()); ++i)
      dimensions[i] = readWholeNumber(elements[i], diagnostics_, {1, greatest}).value_or(1);
    return dimensions;
  }

  Work readWork(JsonValue value) {
    JsonObject object(value, workKeys, diagnostics_);
    Work work;
    if (std::optional<JsonValue> flops = object.find("flops")) {
      JsonObject byType(*flops, flopKeys, diagnostics_);
      for (std::size_t type = 0; type < flopTypeCount; ++type)
        work.flops[type] = Flops(byType.number(toText(static_cast<FlopType>(type))).value_or(0));
    }
    work.dram = plainBytes(object, "dram_bytes");
    if (object.has("requested_bytes"))
      work.requested = plainBytes(object, "requested_bytes");
    work.origin = origin(object, "origin", Origin::unknown);
    return work;
  }

  void readAccess(JsonValue value, Task &task) {
    JsonObject object(value, accessKeys, diagnostics_);
    Access access;
    std::optional<BufferId> buffer = buffers_.resolve(object, "buffer");
    access.mode = static_cast<AccessMode>(object.oneOf("mode", modeNames).value_or(0));
    Region &region = access.region;
    region.offset = object.wholeNumber("offset").value_or(0);
    region.size = object.wholeNumber("bytes").value_or(0);
    region.count = object.wholeNumber("count").value_or(1);
    region.stride = object.wholeNumber("stride").value_or(0);
    if (region.count > 1 && region.stride < region.size) {
      object.error("stride", "expected a stride of at least 'bytes' (" + std::to_string(region.size) +
                                 ") because 'count' is " + std::to_string(region.count) + ", found " +
                                 std::to_string(region.stride));
      return;
    }
    if (region.count <= 1)
      region.stride = 0;
    if (!buffer)
      return;
    access.buffer = *buffer;
    reportOutside(object, region, graph_.buffers[*buffer]);
    task.accesses.push_back(access);
  }

  void reportOutside(const JsonObject &object, const Region &region, const Buffer &buffer) {
    if (region.size == 0 || region.count == 0)
      return;
    // In floating point because stride * count may exceed 64 bits in a wrong file.
    double end = static_cast<double>(region.offset) + static_cast<double>(region.size) +
                 static_cast<double>(region.stride) * static_cast<double>(region.count - 1);
    if (end <= buffer.size.value())
      return;
    object.error("",
                 "the region ends at byte " + shortest(end) + ", but buffer '" + buffer.id + "' has " +
                     shortest(buffer.size.value()) + " bytes",
                 "region-outside-buffer");
  }

  Constraints readConstraints(JsonValue value) {
    JsonObject object(value, constraintKeys, diagnostics_);
    Constraints constraints;
    constraints.capability = object.text("capability");
    if (constraints.capability && !isCapability(*constraints.capability))
      object.error("capability", "expected a compute capability such as \"8.0\", found the text '" +
                                     abbreviated(*constraints.capability) + "'");
    constraints.models = object.textArray("models");
    constraints.together = object.textArray("together");
    constraints.apart = object.textArray("apart");
    constraints.node = object.text("node");
    constraints.device = static_cast<DeviceKind>(object.oneOf("device", deviceNames).value_or(0));
    return constraints;
  }

  static bool isCapability(std::string_view text) {
    std::vector<std::string_view> parts = split(text, '.');
    return parts.size() == 2 && std::ranges::all_of(parts, [](std::string_view part) {
             return !part.empty() && part.size() <= 3 &&
                    part.find_first_not_of("0123456789") == std::string_view::npos;
           });
  }

  void readDependency(JsonValue value) {
    JsonObject object(value, dependencyKeys, diagnostics_);
    std::optional<TaskId> from = tasks_.resolve(object, "from"), to = tasks_.resolve(object, "to");
    std::optional<BufferId> buffer = buffers_.resolve(object, "buffer");
    Bytes size = plainBytes(object, "bytes");
    if (!from || !to)
      return;
    if (*from == *to)
      object.error("to", "task '" + graph_.tasks[*from].id + "' depends on itself", "cycle");
    else
      dependencies_.push_back({{*from, *to, size, buffer}, value});
  }

  void sortDependencies() {
    auto key = [](const Found &found) {
      const Dependency &d = found.dependency;
      return std::tuple(d.from, d.to, d.buffer);
    };
    std::ranges::stable_sort(dependencies_, {}, key);
    for (std::size_t i = 0; i < dependencies_.size(); ++i) {
      const Dependency &dependency = dependencies_[i].dependency;
      if (i > 0 && key(dependencies_[i]) == key(dependencies_[i - 1]))
        diagnostics_.error(dependencies_[i].value.location(),
                           "the dependency from '" + graph_.tasks[dependency.from].id + "' to '" +
                               graph_.tasks[dependency.to].id + "' is already given at " +
                               dependencies_[i - 1].value.pointer() + "; add their bytes up in one",
                           "duplicate-dependency");
      graph_.dependencies.push_back(dependency);
    }
  }

  void reportCycle() {
    std::vector<TaskId> cycle = findCycle(graph_);
    if (cycle.empty())
      return;
    std::string path;
    constexpr std::size_t shownTasks = 12;
    for (std::size_t i = 0; i < std::min(cycle.size(), shownTasks); ++i)
      path += title(cycle[i]) + " -> ";
    if (cycle.size() > shownTasks)
      path += "... (" + std::to_string(cycle.size() - shownTasks) + " more) -> ";
    diagnostics_.error(closingDependency(cycle),
                       "the dependencies form a cycle: " + path + title(cycle.front()), "cycle");
  }

  SourceLocation closingDependency(const std::vector<TaskId> &cycle) const {
    for (const Found &found : dependencies_)
      if (found.dependency.from == cycle.back() && found.dependency.to == cycle.front())
        return found.value.location();
    return file_.locationOf("dependencies");
  }

  std::string title(TaskId id) const {
    const Task &task = graph_.tasks[id];
    return task.name == task.id ? task.id : task.id + " (" + task.name + ")";
  }

  Bytes plainBytes(const JsonObject &object, std::string_view key) const {
    return Bytes(object.number(key).value_or(0));
  }

  static Origin origin(const JsonObject &object, std::string_view key, Origin otherwise) {
    std::optional<std::size_t> index = object.oneOf(key, originNames);
    return index ? static_cast<Origin>(*index) : otherwise;
  }

  /// A dependency and where it stands in the file.
  struct Found {
    Dependency dependency;
    JsonValue value;
  };

  Diagnostics &diagnostics_;
  JsonObject file_;
  TaskGraph graph_;
  JsonIds<KernelId> kernels_{"kernel"};
  JsonIds<BufferId> buffers_{"buffer"};
  JsonIds<TaskId> tasks_{"task"};
  std::vector<Found> dependencies_;
};

} // namespace

namespace {

std::optional<TaskGraph> readThoroughly(std::string_view text, const std::string &file,
                                        Diagnostics &diagnostics) {
  const std::size_t errorsBefore = diagnostics.errorCount();
  std::optional<JsonDocument> document = JsonDocument::parse(text, file, diagnostics);
  if (!document || !hasSchema(document->root(), "streammap.tasks/1", diagnostics))
    return std::nullopt;
  TaskGraph graph = Reader(document->root(), diagnostics).read();
  return diagnostics.errorCount() == errorsBefore ? std::optional(std::move(graph)) : std::nullopt;
}

/// The graph where nothing is wrong with the file, in a fraction of the time and memory.
std::optional<TaskGraph> readIfRight(std::string_view text) {
  std::optional<TaskGraph> graph = readTaskGraphFast(text, [](std::string_view head) {
    Diagnostics unused;
    return readThoroughly(head, "", unused);
  });
  if (!graph)
    return std::nullopt;
  for (const Task &task : graph->tasks)
    for (const auto &[model, time] : task.seconds)
      if (time.value() > longestSeconds)
        return std::nullopt;
  auto key = [](const Dependency &d) { return std::tuple(d.from, d.to, d.buffer); };
  std::vector<Dependency> &dependencies = graph->dependencies;
  if (!std::ranges::is_sorted(dependencies, {}, key))
    std::ranges::stable_sort(dependencies, {}, key);
  const bool twice = std::ranges::adjacent_find(dependencies, {}, key) != dependencies.end();
  return twice || !findCycle(*graph).empty() ? std::nullopt : std::move(graph);
}

} // namespace

std::optional<TaskGraph> readTaskGraph(std::string_view text, const std::string &file,
                                       Diagnostics &diagnostics) {
  std::optional<TaskGraph> graph = readIfRight(text);
  if (!graph)
    graph = readThoroughly(text, file, diagnostics);
  // Where a file gives none, they follow from what the tasks access: a consumer must not overtake its
  // producer.
  if (graph && graph->dependencies.empty())
    graph->dependencies = findDependencies(graph->tasks);
  return graph;
}

} // namespace streammap
