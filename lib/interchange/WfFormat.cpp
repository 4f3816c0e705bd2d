// Recorded workflows, WfFormat 1.5 (github.com/wfcommons/WfFormat). Times are seconds and sizes bytes
// already. Each file that a task writes and a child of it reads becomes a buffer, so that it is sent once to
// a device however many tasks there read it. What no task writes is there from the start. Keys not named here
// are left alone: the format records much that no placement needs.
#include "interchange/Formats.h"
#include "interchange/GraphBuilder.h"
#include "support/Json.h"
#include "support/Text.h"
#include <algorithm>
#include <unordered_map>

namespace streammap {
namespace {

constexpr std::string_view version = "1.5";
constexpr std::size_t mostCores = 1024; // as many devices as a node of a cluster file may have

std::optional<JsonValue> member(JsonValue object, std::string_view key) {
  for (JsonValue child : object.children())
    if (object.kind() == JsonKind::object && child.key() == key)
      return child;
  return std::nullopt;
}

class WfFormatReader {
public:
  WfFormatReader(const std::string &file, const ImportOptions &options, Diagnostics &diagnostics)
      : file_(file), options_(options), diagnostics_(diagnostics), builder_(file, diagnostics) {}

  std::optional<ImportedProblem> read(JsonValue root) {
    checkVersion(root);
    const std::optional<JsonValue> workflow = demand(root, "workflow", JsonKind::object);
    if (!workflow)
      return std::nullopt;
    const std::optional<JsonValue> specification = demand(*workflow, "specification", JsonKind::object);
    const std::optional<JsonValue> execution = demand(*workflow, "execution", JsonKind::object);
    if (!specification || !execution)
      return std::nullopt;
    readFiles(*specification);
    readTasks(*specification);
    readRuns(*execution);
    addDependencies();
    ImportedProblem problem;
    readMachines(*execution, problem);
    std::optional<TaskGraph> graph = std::move(builder_).finish();
    if (!graph)
      return std::nullopt;
    problem.graph = std::move(*graph);
    if (!options_.bandwidth)
      problem.notes.push_back(
          "the format describes no network, so moving files is free; give --bandwidth to change that");
    return problem;
  }

private:
  struct FlowTask {
    std::vector<JsonValue> parents;
    std::vector<std::string> inputs, outputs;
    bool ran = false;
  };

  void checkVersion(JsonValue root) {
    if (const std::optional<JsonValue> given = demand(root, "schemaVersion", JsonKind::text))
      if (given->text() != version)
        diagnostics_.error(given->location(),
                           "expected version '" + std::string(version) + "' of WfFormat, found '" +
                               abbreviated(given->text()) + "'",
                           "bad-value");
  }

  std::optional<JsonValue> demand(JsonValue object, std::string_view key, JsonKind kind) {
    const std::optional<JsonValue> found = member(object, key);
    static constexpr std::string_view kinds[] = {"null",   "a boolean", "a number",
                                                 "a text", "an array",  "an object"};
    const std::string what(kinds[static_cast<std::size_t>(kind)]);
    if (found && found->kind() == kind)
      return found;
    if (found)
      diagnostics_.error(found->location(), "expected " + what + ", found " + found->description(),
                         "bad-value");
    else
      missing(object, key, what);
    return std::nullopt;
  }

  void missing(JsonValue object, std::string_view key, const std::string &what) {
    std::vector<std::string> keys;
    for (JsonValue child : object.children())
      keys.emplace_back(child.key());
    diagnostics_.error(object.location(),
                       "missing key '" + std::string(key) + "', " + what + didYouMean(key, keys),
                       "missing-key");
  }

  std::optional<double> demandNumber(JsonValue object, std::string_view key) {
    const std::optional<JsonValue> value = demand(object, key, JsonKind::number);
    return value ? readNumber(*value, diagnostics_) : std::nullopt;
  }

  /// Elements of an array that may be absent.
  std::vector<JsonValue> elements(JsonValue object, std::string_view key) {
    const std::optional<JsonValue> found = member(object, key);
    if (!found)
      return {};
    if (found->kind() == JsonKind::array)
      return found->children();
    diagnostics_.error(found->location(), "expected an array, found " + found->description(), "bad-value");
    return {};
  }

  std::vector<std::string> fileNames(JsonValue task, std::string_view key) {
    std::vector<std::string> names;
    for (JsonValue element : elements(task, key))
      if (std::optional<std::string> name = readText(element, diagnostics_)) {
        if (!sizes_.contains(*name))
          diagnostics_.error(element.location(), "file '" + abbreviated(*name) + "' is not among the files",
                             "unknown-id");
        names.push_back(std::move(*name));
      }
    return names;
  }

  void readFiles(JsonValue specification) {
    for (JsonValue element : elements(specification, "files")) {
      const std::optional<JsonValue> id = demand(element, "id", JsonKind::text);
      const std::optional<double> size = demandNumber(element, "sizeInBytes");
      if (id && !sizes_.emplace(id->text(), bytes(size.value_or(0))).second)
        diagnostics_.error(id->location(), "file '" + abbreviated(id->text()) + "' is there already",
                           "duplicate-id");
    }
  }

  void readTasks(JsonValue specification) {
    const std::optional<JsonValue> list = demand(specification, "tasks", JsonKind::array);
    for (JsonValue element : list ? list->children() : std::vector<JsonValue>()) {
      const std::optional<JsonValue> id = demand(element, "id", JsonKind::text);
      if (!id)
        continue;
      const TaskId task = builder_.addTask(std::string(id->text()), {}, id->location());
      if (const std::optional<JsonValue> name = member(element, "name");
          name && name->kind() == JsonKind::text)
        builder_.task(task).name = std::string(name->text());
      builder_.task(task).secondsOrigin = Origin::profile;
      tasks_.push_back({elements(element, "parents"), fileNames(element, "inputFiles"),
                        fileNames(element, "outputFiles")});
    }
  }

  void readRuns(JsonValue execution) {
    const std::optional<JsonValue> list = demand(execution, "tasks", JsonKind::array);
    if (!list)
      return;
    for (JsonValue element : list->children()) {
      const std::optional<JsonValue> id = demand(element, "id", JsonKind::text);
      const std::optional<double> time = demandNumber(element, "runtimeInSeconds");
      if (!id)
        continue;
      const std::optional<TaskId> task = builder_.find(std::string(id->text()));
      if (!task) {
        diagnostics_.error(id->location(),
                           "task '" + abbreviated(id->text()) + "' is not in the specification",
                           "unknown-id");
        continue;
      }
      tasks_[task->index()].ran = true;
      builder_.task(*task).seconds["*"] = seconds(time.value_or(0));
      if (const std::optional<JsonValue> memory = member(element, "memoryInBytes"))
        if (const std::optional<double> size = readNumber(*memory, diagnostics_))
          builder_.task(*task).deviceMemory = bytes(*size);
      if (const std::optional<JsonValue> cores = member(element, "coreCount"))
        if (const std::optional<double> count = readNumber(*cores, diagnostics_, {0, mostCores}))
          widest_ = std::max(widest_, static_cast<std::size_t>(*count));
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (!tasks_[i].ran)
        diagnostics_.error(list->location(),
                           "task '" + abbreviated(builder_.task(TaskId(i)).id) + "' has no run with its time",
                           "unknown-id");
  }

  void addDependencies() {
    for (std::size_t to = 0; to < tasks_.size(); ++to)
      for (JsonValue parent : tasks_[to].parents) {
        const std::optional<std::string> name = readText(parent, diagnostics_);
        const std::optional<TaskId> from = name ? builder_.find(*name) : std::nullopt;
        if (name && !from)
          diagnostics_.error(parent.location(), "no task has the id '" + abbreviated(*name) + "'",
                             "unknown-id");
        else if (from)
          addFiles(*from, TaskId(to), parent.location());
      }
  }

  void addFiles(TaskId from, TaskId to, const SourceLocation &where) {
    bool any = false;
    std::vector<std::string> shared;
    for (const std::string &output : tasks_[from.index()].outputs)
      if (std::ranges::find(tasks_[to.index()].inputs, output) != tasks_[to.index()].inputs.end() &&
          std::ranges::find(shared, output) == shared.end())
        shared.push_back(output);
    for (const std::string &name : shared) {
      const auto size = sizes_.find(name);
      if (size == sizes_.end())
        continue; // reported where the task names it
      const auto [buffer, isNew] = buffers_.try_emplace(name, BufferId());
      if (isNew)
        buffer->second = builder_.addBuffer(name, size->second);
      builder_.addEdge(from, to, size->second, where, buffer->second);
      any = true;
    }
    if (!any)
      builder_.addEdge(from, to, Bytes(), where);
  }

  /// A machine is a node with as many devices as it can run of the widest task at a time.
  void readMachines(JsonValue execution, ImportedProblem &problem) {
    const BytesPerSecond bandwidth = options_.bandwidth.value_or(unlimitedBandwidth);
    std::vector<ProcessorNode> nodes;
    for (JsonValue element : elements(execution, "machines")) {
      const std::optional<JsonValue> name = demand(element, "nodeName", JsonKind::text);
      std::optional<JsonValue> cores = member(element, "cpu");
      cores = cores ? member(*cores, "coreCount") : std::nullopt;
      const std::size_t count =
          cores ? static_cast<std::size_t>(readNumber(*cores, diagnostics_, {1, mostCores}).value_or(1)) : 1;
      if (!name)
        continue;
      if (std::ranges::find(nodes, name->text(), &ProcessorNode::name) != nodes.end())
        diagnostics_.error(name->location(), "machine '" + abbreviated(name->text()) + "' is there already",
                           "duplicate-id");
      nodes.push_back({std::string(name->text()),
                       std::vector<std::string>(std::max<std::size_t>(1, count / widest_), "processor")});
    }
    if (options_.processors)
      problem.cluster = identicalProcessors(nameOfProblem(file_), *options_.processors, bandwidth);
    else if (!nodes.empty())
      problem.cluster = clusterOfProcessors(nameOfProblem(file_), nodes, bandwidth);
  }

  std::string file_;
  const ImportOptions &options_;
  Diagnostics &diagnostics_;
  GraphBuilder builder_;
  std::vector<FlowTask> tasks_; ///< by TaskId
  std::map<std::string, Bytes, std::less<>> sizes_;
  std::unordered_map<std::string, BufferId> buffers_;
  std::size_t widest_ = 1; ///< cores of the widest task
};

} // namespace

bool recognisesWfFormat(std::string_view text) {
  const std::string_view start = trim(text);
  return start.starts_with('{') && (text.find("\"workflow\"") != std::string_view::npos ||
                                    text.find("\"schemaVersion\"") != std::string_view::npos);
}

std::optional<ImportedProblem> readWfFormat(std::string_view text, const std::string &file,
                                            const ImportOptions &options, Diagnostics &diagnostics) {
  const std::optional<JsonDocument> document = JsonDocument::parse(text, file, diagnostics);
  return document ? WfFormatReader(file, options, diagnostics).read(document->root()) : std::nullopt;
}

} // namespace streammap
