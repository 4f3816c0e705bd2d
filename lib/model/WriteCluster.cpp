#include "model/ClusterJson.h"
#include "model/GpuCatalogue.h"
#include "model/Hostlist.h"
#include "support/JsonText.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace streammap {
namespace {

using Json = JsonText::Json;

Json asJson(const GpuModel &model) {
  Json json = Json::object();
  if (!model.capability.empty())
    json["capability"] = model.capability;
  if (model.memory.value() != 0)
    json["memory_bytes"] = jsonNumber(model.memory.value());
  if (model.memoryBandwidth.value() != 0)
    json["memory_bandwidth_bytes_per_second"] = jsonNumber(model.memoryBandwidth.value());
  for (std::size_t type = 0; type < flopTypeCount; ++type)
    if (model.peak[type].value() != 0)
      json["throughput"][std::string(toText(static_cast<FlopType>(type))) + "_flops_per_second"] =
          jsonNumber(model.peak[type].value());
  if (model.l2.value() != 0)
    json["l2_bytes"] = jsonNumber(model.l2.value());
  if (model.multiprocessors != 0)
    json["multiprocessors"] = model.multiprocessors;
  if (model.power.value() != 0)
    json["power_watts"] = jsonNumber(model.power.value());
  json["source"] = model.source;
  return json;
}

void addSpeed(Json &json, const LinkSpeed &speed) {
  if (!std::isinf(speed.bandwidth.value()))
    json["bandwidth_bytes_per_second"] = jsonNumber(speed.bandwidth.value());
  if (speed.latency.value() != 0)
    json["latency_seconds"] = jsonNumber(speed.latency.value());
}

std::string_view nameOf(GpuLinkKind kind) {
  static constexpr std::string_view names[] = {"none", "nvswitch", "nvlink", "pcie"};
  return names[static_cast<std::size_t>(kind)];
}

bool isCatalogueCpu(const Cluster &cluster, const NodeType &type) {
  return type.cpu && cluster.models[*type.cpu] == catalogueCpu(std::max(1u, type.cpuCores), type.memory);
}

std::optional<unsigned> numaOf(const NodeType &type, std::size_t gpu) {
  return gpu < type.gpuNuma.size() ? type.gpuNuma[gpu] : std::nullopt;
}

/// Runs of one model as {"model", "count"}; a list of these when the node has several.
Json gpusOf(const Cluster &cluster, const NodeType &type) {
  Json groups = Json::array();
  for (std::size_t i = 0; i < type.gpus.size();) {
    std::size_t end = i;
    const std::optional<unsigned> numa = numaOf(type, i);
    while (end < type.gpus.size() && type.gpus[end] == type.gpus[i] && numaOf(type, end) == numa)
      ++end;
    Json group{{"model", cluster.models[type.gpus[i]].name}, {"count", end - i}};
    if (numa)
      group["numa"] = *numa;
    groups.push_back(std::move(group));
    i = end;
  }
  return groups.size() == 1 ? groups[0] : groups;
}

Json gpuLinksOf(const NodeType &type) {
  if (type.gpuPairs.empty()) {
    Json json{{"kind", nameOf(type.gpuLinkKind)}};
    addSpeed(json, type.gpuLink);
    return json;
  }
  Json pairs = Json::array();
  for (const GpuPairLink &pair : type.gpuPairs) {
    Json json{{"between", {pair.a, pair.b}}, {"kind", nameOf(pair.kind)}};
    addSpeed(json, pair.speed);
    pairs.push_back(std::move(json));
  }
  return pairs;
}

Json nicsOf(const NodeType &type) {
  if (type.nics.empty()) {
    Json json{{"count", type.nicCount}};
    addSpeed(json, type.nic);
    return json;
  }
  Json list = Json::array();
  for (const Nic &nic : type.nics) {
    Json json = Json::object();
    if (!nic.name.empty())
      json["name"] = nic.name;
    addSpeed(json, nic.speed);
    if (nic.numa)
      json["numa"] = *nic.numa;
    if (!nic.gpus.empty())
      json["gpus"] = nic.gpus;
    list.push_back(std::move(json));
  }
  return list;
}

Json asJson(const Cluster &cluster, const NodeType &type) {
  Json json = Json::object();
  if (type.cpuCores != 0)
    json["cpu_cores"] = type.cpuCores;
  if (type.cpu && (type.cpuCores == 0 || !isCatalogueCpu(cluster, type)))
    json["cpu"] = cluster.models[*type.cpu].name;
  if (type.memory.value() != 0)
    json["memory_bytes"] = jsonNumber(type.memory.value());
  if (!type.gpus.empty())
    json["gpus"] = gpusOf(cluster, type);
  if (type.gpuLinkKind != GpuLinkKind::none || !type.gpuPairs.empty())
    json["gpu_links"] = gpuLinksOf(type);
  if (Json link = Json::object(); addSpeed(link, type.hostLink), !link.empty())
    json["host_link"] = std::move(link);
  if (type.nicCount != 0)
    json["nics"] = nicsOf(type);
  if (type.powerLimit)
    json["power_limit_watts"] = jsonNumber(type.powerLimit->value());
  return json;
}

/// Models whose figures are not the catalogue's, by name.
std::map<std::string, Json> ownModels(const Cluster &cluster) {
  std::map<std::string, Json> models;
  for (const NodeType &type : cluster.nodeTypes) {
    std::vector<GpuModelId> used = type.gpus;
    if (type.cpu && !isCatalogueCpu(cluster, type))
      used.push_back(*type.cpu);
    for (GpuModelId id : used)
      if (std::optional<GpuModel> known = catalogueModel(cluster.models[id].name);
          !known || *known != cluster.models[id])
        models[cluster.models[id].name] = asJson(cluster.models[id]);
  }
  return models;
}

void writeNodes(const Cluster &cluster, JsonText &file) {
  file.beginList("nodes");
  for (std::size_t i = 0; i < cluster.nodes.size();) {
    const Node &first = cluster.nodes[NodeId(i)];
    std::vector<std::string> names;
    for (; i < cluster.nodes.size(); ++i) {
      const Node &node = cluster.nodes[NodeId(i)];
      if (node.type != first.type || node.leaf != first.leaf || node.nicLeaves != first.nicLeaves ||
          node.rack != first.rack)
        break;
      names.push_back(node.name);
    }
    Json json{{"names", compressHostlist(names)}, {"type", cluster.nodeTypes[first.type].name}};
    for (SwitchId leaf : first.nicLeaves)
      json["switches"].push_back(cluster.network.switches[leaf].name);
    if (first.leaf && first.nicLeaves.empty())
      json["switch"] = cluster.network.switches[*first.leaf].name;
    if (!first.rack.empty())
      json["rack"] = first.rack;
    file.item(json);
  }
  file.endList();
}

Json networkOf(const Network &network) {
  Json json = Json::object();
  if (network.latency.value() != 0)
    json["latency_seconds"] = jsonNumber(network.latency.value());
  json["model"] = network.model == NetworkModel::contended ? "contended" : "uncontended";
  for (const Switch &from : network.switches) {
    Json element{{"name", from.name}};
    for (const Uplink &uplink : from.uplinks) {
      Json link{{"to", network.switches[uplink.to].name}, {"count", uplink.count}};
      if (!std::isinf(uplink.bandwidth.value()))
        link["bandwidth_bytes_per_second"] = jsonNumber(uplink.bandwidth.value());
      element["uplinks"].push_back(std::move(link));
    }
    json["switches"].push_back(std::move(element));
  }
  return json;
}

void addReadings(Json &json, const GpuReadings &readings) {
  if (readings.memoryUsed)
    json["memory_used_bytes"] = jsonNumber(readings.memoryUsed->value());
  if (readings.temperatureCelsius)
    json["temperature_celsius"] = jsonNumber(*readings.temperatureCelsius);
  if (readings.powerDraw)
    json["power_watts"] = jsonNumber(readings.powerDraw->value());
  if (!readings.throttle.empty())
    json["throttle"] = readings.throttle;
  if (readings.uncorrectableErrors)
    json["uncorrectable_errors"] = *readings.uncorrectableErrors;
}

Json stateOf(State state, const std::string &reason) {
  Json json{{"state", toText(state)}};
  if (!reason.empty())
    json["reason"] = reason;
  return json;
}

/// Nodes that are not up, and GPUs whose state is not just their node's or that told more.
std::map<std::size_t, Json> states(const Cluster &cluster) {
  std::map<std::size_t, Json> byNode;
  for (NodeId node : cluster.nodes.ids())
    if (cluster.nodes[node].state != State::up)
      byNode[node.index()] = stateOf(cluster.nodes[node].state, cluster.nodes[node].reason);
  for (const Device &device : cluster.devices) {
    const Node &node = cluster.nodes[device.node];
    if (!device.gpu ||
        (device.state == node.state && device.reason == node.reason && device.readings == GpuReadings()))
      continue;
    Json state = stateOf(device.state, device.reason);
    addReadings(state, device.readings);
    byNode[device.node.index()]["gpus"][std::to_string(*device.gpu)] = std::move(state);
  }
  return byNode;
}

} // namespace

std::string writeCluster(const Cluster &cluster) {
  JsonText file("streammap.cluster/1");
  if (!cluster.name.empty())
    file.member("name", cluster.name);
  if (std::map<std::string, Json> models = ownModels(cluster); !models.empty()) {
    file.beginMap("gpu_models");
    for (const auto &[name, model] : models)
      file.entry(name, model);
    file.endMap();
  }
  file.beginMap("node_types");
  for (const NodeType &type : cluster.nodeTypes)
    file.entry(type.name, asJson(cluster, type));
  file.endMap();
  writeNodes(cluster, file);
  file.member("network", networkOf(cluster.network));
  if (std::map<std::size_t, Json> byNode = states(cluster); !byNode.empty()) {
    file.beginMap("state");
    for (const auto &[node, state] : byNode)
      file.entry(cluster.nodes[NodeId(node)].name, state);
    file.endMap();
  }
  return file.finish();
}

} // namespace streammap
