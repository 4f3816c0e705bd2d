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

Json asJson(const Launch &launch, const TaskGraph &graph) {
  return {{"kernel", graph.kernels[launch.kernel].id},
          {"grid", launch.grid},
          {"block", launch.block},
          {"dynamic_shared_bytes", jsonNumber(launch.dynamicShared.value())}};
}

Json asJson(const Work &work) {
  Json flops = Json::object();
  for (std::size_t type = 0; type < flopTypeCount; ++type)
    if (work.flops[type].value() != 0)
      flops[std::string(toText(static_cast<FlopType>(type)))] = jsonNumber(work.flops[type].value());
  Json json{{"flops", std::move(flops)}, {"dram_bytes", jsonNumber(work.dram.value())}};
  if (work.requested)
    json["requested_bytes"] = jsonNumber(work.requested->value());
  json["origin"] = toText(work.origin);
  return json;
}

Json asJson(const Access &access, const TaskGraph &graph) {
  static constexpr std::string_view modes[] = {"in", "out", "inout"};
  Json json{{"buffer", graph.buffers[access.buffer].id},
            {"mode", modes[static_cast<std::size_t>(access.mode)]},
            {"offset", access.region.offset},
            {"bytes", access.region.size}};
  if (access.region.count != 1) {
    json["stride"] = access.region.stride;
    json["count"] = access.region.count;
  }
  return json;
}

Json asJson(const Constraints &constraints) {
  static constexpr std::string_view devices[] = {"gpu", "cpu", "any"};
  Json json = Json::object();
  if (constraints.capability)
    json["capability"] = *constraints.capability;
  if (!constraints.models.empty())
    json["models"] = constraints.models;
  if (!constraints.together.empty())
    json["together"] = constraints.together;
  if (!constraints.apart.empty())
    json["apart"] = constraints.apart;
  if (constraints.node)
    json["node"] = *constraints.node;
  if (constraints.device != DeviceKind::gpu)
    json["device"] = devices[static_cast<std::size_t>(constraints.device)];
  return json;
}

Json asJson(const Task &task, const TaskGraph &graph) {
  Json json{{"id", task.id}};
  if (task.name != task.id)
    json["name"] = task.name;
  if (task.site)
    json["site"] = *task.site;
  if (!task.location.empty())
    json["location"] = task.location;
  for (const Launch &launch : task.launches)
    json["launches"].push_back(asJson(launch, graph));
  if (task.work)
    json["work"] = asJson(*task.work);
  for (const auto &[model, time] : task.seconds)
    json["seconds"][model] = jsonNumber(time.value());
  if (task.secondsOrigin != Origin::pragma)
    json["seconds_origin"] = toText(task.secondsOrigin);
  if (task.deviceMemory)
    json["device_memory_bytes"] = jsonNumber(task.deviceMemory->value());
  for (const Access &access : task.accesses)
    json["accesses"].push_back(asJson(access, graph));
  if (Json constraints = asJson(task.constraints); !constraints.empty())
    json["constraints"] = std::move(constraints);
  if (task.priority != 0)
    json["priority"] = jsonNumber(task.priority);
  return json;
}

Json asJson(const Dependency &dependency, const TaskGraph &graph) {
  Json json{{"from", graph.tasks[dependency.from].id},
            {"to", graph.tasks[dependency.to].id},
            {"bytes", jsonNumber(dependency.size.value())}};
  if (dependency.buffer)
    json["buffer"] = graph.buffers[*dependency.buffer].id;
  return json;
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
    file.item(asJson(task, graph));
  file.endList();
  file.beginList("dependencies");
  for (const Dependency &dependency : graph.dependencies)
    file.item(asJson(dependency, graph));
  file.endList();
  return file.finish();
}

} // namespace streammap
