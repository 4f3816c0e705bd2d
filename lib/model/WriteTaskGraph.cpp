#include "model/TaskGraphJson.h"
#include "support/JsonText.h"

namespace streammap {
namespace {

using Json = JsonText::Json;

Json asJson(const Program &program) {
  Json json = Json::object();
  if (!program.sources.empty())
    json["sources"] = program.sources;
  if (!program.arguments.empty())
    json["arguments"] = program.arguments;
  for (const auto &[name, value] : program.parameters)
    json["parameters"][name] = jsonNumber(value);
  return json;
}

Json asJson(const KernelResources &resources) {
  Json json{{"registers_per_thread", resources.registersPerThread},
            {"static_shared_bytes", jsonNumber(resources.staticShared.value())},
            {"spill_bytes", jsonNumber(resources.spill.value())},
            {"local_bytes", jsonNumber(resources.local.value())},
            {"constant_bytes", jsonNumber(resources.constant.value())},
            {"origin", toText(resources.origin)}};
  if (!resources.compiler.empty())
    json["compiler"] = resources.compiler;
  return json;
}

Json asJson(const UnknownCost &unknown) {
  Json json{{"metric", unknown.metric}};
  if (!unknown.location.empty())
    json["location"] = unknown.location;
  if (!unknown.reason.empty())
    json["reason"] = unknown.reason;
  if (!unknown.remedy.empty())
    json["remedy"] = unknown.remedy;
  return json;
}

Json asJson(const Kernel &kernel) {
  Json json{{"id", kernel.id}};
  if (kernel.name != kernel.id)
    json["name"] = kernel.name;
  if (!kernel.symbol.empty())
    json["symbol"] = kernel.symbol;
  if (!kernel.location.empty())
    json["location"] = kernel.location;
  for (const auto &[architecture, resources] : kernel.resources)
    json["resources"][architecture] = asJson(resources);
  for (const auto &[metric, expression] : kernel.costs)
    json["costs"][metric] = expression;
  for (const UnknownCost &unknown : kernel.unknowns)
    json["unknowns"].push_back(asJson(unknown));
  return json;
}

Json asJson(const Buffer &buffer) {
  Json json{{"id", buffer.id}};
  if (buffer.name != buffer.id)
    json["name"] = buffer.name;
  json["bytes"] = jsonNumber(buffer.size.value());
  if (!buffer.location.empty())
    json["location"] = buffer.location;
  return json;
}

void write(JsonLine &line, const Launch &launch, const TaskGraph &graph) {
  line.beginObject().member("kernel", graph.kernels[launch.kernel].id);
  line.key("grid").beginArray().value(launch.grid[0]).value(launch.grid[1]).value(launch.grid[2]).endArray();
  line.key("block")
      .beginArray()
      .value(launch.block[0])
      .value(launch.block[1])
      .value(launch.block[2])
      .endArray();
  line.member("dynamic_shared_bytes", launch.dynamicShared.value()).endObject();
}

void write(JsonLine &line, const Work &work) {
  line.beginObject().key("flops").beginObject();
  for (std::size_t type = 0; type < flopTypeCount; ++type)
    if (work.flops[type].value() != 0)
      line.member(toText(static_cast<FlopType>(type)), work.flops[type].value());
  line.endObject().member("dram_bytes", work.dram.value());
  if (work.requested)
    line.member("requested_bytes", work.requested->value());
  line.member("origin", toText(work.origin)).endObject();
}

void write(JsonLine &line, const Access &access, const TaskGraph &graph) {
  static constexpr std::string_view modes[] = {"in", "out", "inout"};
  const Region &region = access.region;
  line.beginObject().member("buffer", graph.buffers[access.buffer].id);
  line.member("mode", modes[static_cast<std::size_t>(access.mode)]);
  line.member("offset", region.offset).member("bytes", region.size);
  if (region.count != 1)
    line.member("stride", region.stride).member("count", region.count);
  line.endObject();
}

/// Nothing where all of it is as by default.
void write(JsonLine &line, const Constraints &constraints) {
  static constexpr std::string_view devices[] = {"gpu", "cpu", "any"};
  const bool isDefault = !constraints.capability && constraints.models.empty() &&
                         constraints.together.empty() && constraints.apart.empty() && !constraints.node &&
                         constraints.device == DeviceKind::gpu;
  if (isDefault)
    return;
  line.key("constraints").beginObject();
  if (constraints.capability)
    line.member("capability", *constraints.capability);
  if (!constraints.models.empty())
    line.member("models", constraints.models);
  if (!constraints.together.empty())
    line.member("together", constraints.together);
  if (!constraints.apart.empty())
    line.member("apart", constraints.apart);
  if (constraints.node)
    line.member("node", *constraints.node);
  if (constraints.device != DeviceKind::gpu)
    line.member("device", devices[static_cast<std::size_t>(constraints.device)]);
  line.endObject();
}

template <class Item>
void writeAll(JsonLine &line, std::string_view key, const std::vector<Item> &items, const TaskGraph &graph) {
  if (items.empty())
    return;
  line.key(key).beginArray();
  for (const Item &item : items)
    write(line, item, graph);
  line.endArray();
}

void write(JsonLine line, const Task &task, const TaskGraph &graph) {
  line.beginObject().member("id", task.id);
  if (task.name != task.id)
    line.member("name", task.name);
  if (task.site)
    line.member("site", std::uint64_t{*task.site});
  if (!task.location.empty())
    line.member("location", task.location);
  writeAll(line, "launches", task.launches, graph);
  if (task.work) {
    line.key("work");
    write(line, *task.work);
  }
  if (!task.seconds.empty()) {
    line.key("seconds").beginObject();
    for (const auto &[model, time] : task.seconds)
      line.member(model, time.value());
    line.endObject();
  }
  if (task.secondsOrigin != Origin::pragma)
    line.member("seconds_origin", toText(task.secondsOrigin));
  if (task.deviceMemory)
    line.member("device_memory_bytes", task.deviceMemory->value());
  writeAll(line, "accesses", task.accesses, graph);
  write(line, task.constraints);
  if (task.priority != 0)
    line.member("priority", task.priority);
  line.endObject();
}

void write(JsonLine line, const Dependency &dependency, const TaskGraph &graph) {
  line.beginObject().member("from", graph.tasks[dependency.from].id);
  line.member("to", graph.tasks[dependency.to].id).member("bytes", dependency.size.value());
  if (dependency.buffer)
    line.member("buffer", graph.buffers[*dependency.buffer].id);
  line.endObject();
}

} // namespace

std::string writeTaskGraph(const TaskGraph &graph) {
  JsonText file("streammap.tasks/1");
  if (Json program = asJson(graph.program); !program.empty())
    file.member("program", program);
  if (!graph.kernels.empty()) {
    file.beginList("kernels");
    for (const Kernel &kernel : graph.kernels)
      file.item(asJson(kernel));
    file.endList();
  }
  if (!graph.buffers.empty()) {
    file.beginList("buffers");
    for (const Buffer &buffer : graph.buffers)
      file.item(asJson(buffer));
    file.endList();
  }
  file.beginList("tasks");
  for (const Task &task : graph.tasks)
    write(file.item(), task, graph);
  file.endList();
  file.beginList("dependencies");
  for (const Dependency &dependency : graph.dependencies)
    write(file.item(), dependency, graph);
  file.endList();
  return file.finish();
}

} // namespace streammap
