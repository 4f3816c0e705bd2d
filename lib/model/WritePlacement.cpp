#include "model/PlacementJson.h"
#include "support/JsonText.h"

namespace streammap {
namespace {

using Json = JsonText::Json;

Json deviceAsJson(const Cluster &cluster, DeviceId id) {
  const Device &device = cluster.devices[id];
  return {{"node", cluster.nodes[device.node].name}, {"gpu", device.gpu ? Json(*device.gpu) : Json(nullptr)}};
}

Json programOf(const Program &program) {
  Json json{{"arguments", program.arguments}, {"parameters", Json::object()}};
  for (const auto &[name, value] : program.parameters)
    json["parameters"][name] = jsonNumber(value);
  return json;
}

Json asJson(const Prediction &predicted) {
  return {{"makespan_seconds", jsonNumber(predicted.makespan.value())},
          {"lower_bound_seconds", jsonNumber(predicted.lowerBound.value())},
          {"gap", jsonNumber(predicted.gap)},
          {"bound_by", predicted.boundBy}};
}

Json asJson(const Assignment &assignment, const TaskGraph &graph, const Cluster &cluster) {
  const Task &task = graph.tasks[assignment.task];
  Json json{{"task", task.id}, {"name", task.name}};
  json.update(deviceAsJson(cluster, assignment.device));
  json["start_seconds"] = jsonNumber(assignment.start.value());
  json["end_seconds"] = jsonNumber(assignment.end.value());
  json["origin"] = toText(assignment.origin);
  if (!assignment.limiter.empty())
    json["limiter"] = assignment.limiter;
  if (assignment.low)
    json["low_seconds"] = jsonNumber(assignment.low->value());
  if (assignment.high)
    json["high_seconds"] = jsonNumber(assignment.high->value());
  return json;
}

Json asJson(const Dependency &dependency, const TaskGraph &graph) {
  Json json{{"from", graph.tasks[dependency.from].id}, {"to", graph.tasks[dependency.to].id}};
  if (dependency.buffer)
    json["buffer"] = graph.buffers[*dependency.buffer].id;
  return json;
}

Json asJson(const Transfer &transfer, const TaskGraph &graph, const Cluster &cluster) {
  Json json = Json::object();
  if (transfer.dependency)
    json["dependency"] = asJson(graph.dependencies[*transfer.dependency], graph);
  if (transfer.buffer)
    json["buffer"] = graph.buffers[*transfer.buffer].id;
  const std::string &node = cluster.nodes[cluster.devices[transfer.to].node].name;
  json["from"] = transfer.from.valid() ? deviceName(cluster, transfer.from) : node + ":host";
  json["to"] = deviceName(cluster, transfer.to);
  json["bytes"] = jsonNumber(transfer.size.value());
  json["route"] = transfer.route;
  json["start_seconds"] = jsonNumber(transfer.start.value());
  json["end_seconds"] = jsonNumber(transfer.end.value());
  return json;
}

Json asJson(const DeviceUse &use, const Cluster &cluster) {
  Json json = deviceAsJson(cluster, use.device);
  json["busy_seconds"] = jsonNumber(use.busy.value());
  json["peak_memory_bytes"] = jsonNumber(use.peakMemory.value());
  return json;
}

Json asJson(const LinkUse &use) {
  return {{"link", use.link},
          {"bytes", jsonNumber(use.size.value())},
          {"busy_seconds", jsonNumber(use.busy.value())}};
}

} // namespace

std::string writePlacement(const Placement &placement, const TaskGraph &graph, const Cluster &cluster) {
  JsonText file("streammap.placement/1");
  file.member("tasks_file", placement.tasksFile);
  file.member("cluster_file", placement.clusterFile);
  file.member("digests", {{"tasks", placement.tasksDigest}, {"cluster", placement.clusterDigest}});
  file.member("program", programOf(graph.program));
  file.member("predicted", asJson(placement.predicted));
  file.member("solver", {{"strategy", placement.solver.strategy},
                         {"seed", placement.solver.seed},
                         {"steps", placement.solver.steps}});
  file.beginList("assignments");
  for (const Assignment &assignment : placement.assignments)
    file.item(asJson(assignment, graph, cluster));
  file.endList();
  file.beginList("transfers");
  for (const Transfer &transfer : placement.transfers)
    file.item(asJson(transfer, graph, cluster));
  file.endList();
  file.beginList("devices");
  for (const DeviceUse &use : placement.devices)
    file.item(asJson(use, cluster));
  file.endList();
  file.beginList("links");
  for (const LinkUse &use : placement.links)
    file.item(asJson(use));
  file.endList();
  return file.finish();
}

} // namespace streammap
