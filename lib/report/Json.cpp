// The report as JSON: every member of ReportData under its own name, units in the keys.
#include "report/Formats.h"
#include "report/ReportJson.h"

namespace streammap {
namespace {

using Json = nlohmann::ordered_json;

/// A list of objects, one per row.
template <class Rows, class ToJson>
Json listOf(const Rows &rows, ToJson toJson) {
  Json list = Json::array();
  for (const auto &row : rows)
    list.push_back(toJson(row));
  return list;
}

Json deviceJson(const DeviceRow &row, const std::vector<HeldMemory> &memory) {
  Json points = Json::array();
  for (const HeldMemory &point : memory)
    points.push_back(Json::array({point.time.value(), point.held.value()}));
  return {{"name", row.name},
          {"node", row.node},
          {"model", row.model},
          {"tasks", row.tasks},
          {"busy_seconds", row.busy.value()},
          {"utilisation", row.utilisation},
          {"peak_memory_bytes", row.peakMemory.value()},
          {"memory_bytes", row.memory.value()},
          {"memory_over_time", std::move(points)}};
}

Json nodeJson(const NodeRow &row) {
  return {{"name", row.name},
          {"type", row.type},
          {"leaf", row.leaf},
          {"devices_used", row.devicesUsed},
          {"devices", row.devices},
          {"tasks", row.tasks},
          {"busy_seconds", row.busy.value()},
          {"utilisation", row.utilisation},
          {"sent_bytes", row.sent.value()},
          {"received_bytes", row.received.value()}};
}

Json linkJson(const LinkRow &row) {
  return {{"name", row.name},
          {"bytes", row.size.value()},
          {"busy_seconds", row.busy.value()},
          {"utilisation", row.utilisation}};
}

Json classJson(const ClassRow &row) {
  Json json = {{"name", row.name},
               {"tasks", row.tasks},
               {"total_seconds", row.total.value()},
               {"share", row.share},
               {"default_tasks", row.defaults},
               {"limiters", row.limiters}};
  if (row.measuredTasks != 0) {
    json["measured_tasks"] = row.measuredTasks;
    json["measured_seconds"] = row.measured.value();
    json["predicted_of_measured_seconds"] = row.predictedOfMeasured.value();
    if (row.predictedOfMeasured > Seconds())
      json["measured_ratio"] = row.measured / row.predictedOfMeasured;
  }
  return json;
}

Json launchJson(const LaunchRow &row) {
  return {{"kernel", row.kernel},
          {"blocks", row.blocks},
          {"blocks_per_multiprocessor", row.blocksEach},
          {"occupancy", row.occupancy},
          {"occupancy_limiter", row.limiter},
          {"waves", row.waves},
          {"multiprocessors_needed", row.multiprocessorsNeeded},
          {"tail", row.tail},
          {"has_compiler_figures", row.isMeasured}};
}

Json taskJson(const TaskRow &row, const ReportData &data) {
  Json json = {{"id", row.id},
               {"name", row.name},
               {"class", row.taskClass},
               {"device", data.devices.empty() ? "" : data.devices[row.device].name},
               {"start_seconds", row.start.value()},
               {"end_seconds", row.end.value()},
               {"duration_seconds", (row.end - row.start).value()},
               {"origin", row.origin},
               {"limiter", row.limiter},
               {"flops", row.flops.value()},
               {"dram_bytes", row.dram.value()},
               {"device_memory_bytes", row.memory.value()},
               {"launch", row.launch},
               {"launches", listOf(row.launches, launchJson)},
               {"location", row.location}};
  if (row.low && row.high) {
    json["low_seconds"] = row.low->value();
    json["high_seconds"] = row.high->value();
  }
  if (row.measured) {
    json["measured_seconds"] = row.measured->value();
    json["measured_start_seconds"] = row.measuredStart->value();
    json["measured_on"] = row.measuredOn;
  }
  return json;
}

Json transferJson(const TransferRow &row) {
  return {{"what", row.what},
          {"from", row.from},
          {"to", row.to},
          {"bytes", row.size.value()},
          {"start_seconds", row.start.value()},
          {"end_seconds", row.end.value()},
          {"route", row.route}};
}

const char *kindText(ChainKind kind) {
  return kind == ChainKind::task ? "task" : kind == ChainKind::transfer ? "transfer" : "idle";
}

Json chainJson(const ChainStep &step) {
  Json json = {{"kind", kindText(step.kind)},
               {"what", step.what},
               {"where", step.where},
               {"start_seconds", step.start.value()},
               {"end_seconds", step.end.value()},
               {"duration_seconds", (step.end - step.start).value()},
               {"why", reasonText(step)}};
  if (step.kind == ChainKind::transfer)
    json["transfers"] = step.transfers;
  return json;
}

Json warningJson(const ReportWarning &warning) {
  return {{"code", warning.code},
          {"message", warning.message},
          {"location", warning.location},
          {"remedy", warning.remedy}};
}

Json summaryJson(const ReportData &data) {
  Json json = {{"makespan_seconds", data.predicted.makespan.value()},
               {"lower_bound_seconds", data.predicted.lowerBound.value()},
               {"gap", data.predicted.gap},
               {"bound_by", data.predicted.boundBy},
               {"tasks", data.tasks.size()},
               {"dependencies", data.dependencyCount},
               {"devices_used", data.devices.size()},
               {"nodes_used", data.nodes.size()},
               {"busy_seconds", data.totalBusy.value()},
               {"utilisation", data.utilisation},
               {"transfers", data.transfers.size()},
               {"moved_bytes", data.moved.value()},
               {"assumed_tasks", data.assumedTasks},
               {"assumed_seconds", data.assumed.value()},
               {"assumed_share", data.assumedShare}};
  if (data.assumedEach)
    json["assumed_seconds_each"] = data.assumedEach->value();
  if (data.predicted.optimal)
    json["optimal"] = true;
  if (data.measuredMakespan) {
    json["measured_makespan_seconds"] = data.measuredMakespan->value();
    json["measured_on"] = data.measuredOn;
  }
  return json;
}

} // namespace

Json toJsonDocument(const ReportData &data) {
  Json devices = Json::array();
  for (std::size_t row = 0; row < data.devices.size(); ++row)
    devices.push_back(deviceJson(data.devices[row], data.memory[row]));
  return {
      {"schema", "streammap.report/1"},
      {"program",
       {{"sources", data.sources}, {"arguments", data.arguments}, {"parameters", data.parameters}}},
      {"cluster",
       {{"name", data.clusterName},
        {"nodes", data.nodeCount},
        {"devices", data.deviceCount},
        {"unavailable_devices", data.unavailableDevices}}},
      {"solver",
       {{"strategy", data.solver.strategy}, {"seed", data.solver.seed}, {"steps", data.solver.steps}}},
      {"summary", summaryJson(data)},
      {"chain_shares",
       {{"compute_seconds", data.chainShares.compute.value()},
        {"transfer_seconds", data.chainShares.transfer.value()},
        {"idle_seconds", data.chainShares.idle.value()}}},
      {"chain", listOf(data.chain, chainJson)},
      {"classes", listOf(data.classes, classJson)},
      {"devices", std::move(devices)},
      {"nodes", listOf(data.nodes, nodeJson)},
      {"links", listOf(data.links, linkJson)},
      {"tasks", listOf(data.tasks, [&](const TaskRow &row) { return taskJson(row, data); })},
      {"transfers", listOf(data.transfers, transferJson)},
      {"warnings", listOf(data.warnings, warningJson)},
  };
}

std::string toJson(const ReportData &data) {
  return toJsonDocument(data).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace streammap
