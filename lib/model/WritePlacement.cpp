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
  Json json{{"makespan_seconds", jsonNumber(predicted.makespan.value())},
            {"lower_bound_seconds", jsonNumber(predicted.lowerBound.value())},
            {"gap", jsonNumber(predicted.gap)},
            {"bound_by", predicted.boundBy}};
  if (predicted.optimal)
    json["optimal"] = true;
  return json;
}

void write(JsonLine line, const Assignment &assignment, const TaskGraph &graph, const Cluster &cluster) {
  const Task &task = graph.tasks[assignment.task];
  const Device &device = cluster.devices[assignment.device];
  line.beginObject().member("task", task.id).member("name", task.name);
  line.member("node", cluster.nodes[device.node].name).key("gpu");
  if (device.gpu)
    line.value(std::uint64_t{*device.gpu});
  else
    line.null();
  line.member("start_seconds", assignment.start.value()).member("end_seconds", assignment.end.value());
  line.member("origin", toText(assignment.origin));
  if (!assignment.limiter.empty())
    line.member("limiter", assignment.limiter);
  if (assignment.low)
    line.member("low_seconds", assignment.low->value());
  if (assignment.high)
    line.member("high_seconds", assignment.high->value());
  line.endObject();
}

/// `names`: of devices.
void write(JsonLine line, const Transfer &transfer, const TaskGraph &graph, const Cluster &cluster,
           const IndexedVector<DeviceId, std::string> &names) {
  line.beginObject();
  if (transfer.dependency) {
    const Dependency &dependency = graph.dependencies[*transfer.dependency];
    line.key("dependency").beginObject();
    line.member("from", graph.tasks[dependency.from].id).member("to", graph.tasks[dependency.to].id);
    if (dependency.buffer)
      line.member("buffer", graph.buffers[*dependency.buffer].id);
    line.endObject();
  }
  if (transfer.buffer)
    line.member("buffer", graph.buffers[*transfer.buffer].id);
  const std::string &node = cluster.nodes[cluster.devices[transfer.to].node].name;
  line.member("from", transfer.from.valid() ? names[transfer.from] : node + ":host");
  line.member("to", names[transfer.to])
      .member("bytes", transfer.size.value())
      .member("route", transfer.route);
  line.member("start_seconds", transfer.start.value()).member("end_seconds", transfer.end.value());
  line.endObject();
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

Json asJson(const Sensitivity &sensitivity) {
  Json rivals = Json::array(), noise = Json::array();
  for (const Sensitivity::Rival &rival : sensitivity.rivals)
    rivals.push_back(
        {{"strategy", rival.strategy}, {"makespan_seconds", jsonNumber(rival.makespan.value())}});
  for (const Sensitivity::Noise &level : sensitivity.noise)
    noise.push_back({{"factor", jsonNumber(level.factor)},
                     {"draws", level.draws},
                     {"kept", level.kept},
                     {"regret", jsonNumber(level.regret)}});
  Json json{{"rivals", std::move(rivals)}};
  auto addTipping = [&](const char *key, const std::optional<Sensitivity::Tipping> &tipping) {
    if (tipping)
      json[key] = {{"factor", jsonNumber(tipping->factor)}, {"strategy", tipping->strategy}};
  };
  addTipping("computing_slower", sensitivity.slower);
  addTipping("computing_faster", sensitivity.faster);
  json["noise"] = std::move(noise);
  return json;
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
  if (placement.sensitivity)
    file.member("sensitivity", asJson(*placement.sensitivity));
  file.beginList("assignments");
  for (const Assignment &assignment : placement.assignments)
    write(file.item(), assignment, graph, cluster);
  file.endList();
  IndexedVector<DeviceId, std::string> names;
  for (DeviceId device : cluster.devices.ids())
    names.push(deviceName(cluster, device));
  file.beginList("transfers");
  for (const Transfer &transfer : placement.transfers)
    write(file.item(), transfer, graph, cluster, names);
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
