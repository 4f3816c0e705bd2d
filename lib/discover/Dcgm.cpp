// The text of NVIDIA's DCGM exporter (Prometheus exposition format): how each GPU of each host does.
//
//   DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-...",modelName="NVIDIA A30",Hostname="n001",pod="server-0"} 3744
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "support/Text.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace streammap {
namespace {

using Labels = std::map<std::string, std::string, std::less<>>;

struct Sample {
  std::string_view metric;
  Labels labels;
  double value = 0;
};

/// The labels between braces, from the opening one on; moves `text` behind the closing one.
bool readLabels(std::string_view &text, Labels &labels) {
  text.remove_prefix(1);
  while (!text.empty() && text.front() != '}') {
    const std::size_t equals = text.find("=\"");
    if (equals == std::string_view::npos)
      return false;
    std::string key(trim(text.substr(0, equals)));
    while (!key.empty() && (key.front() == ',' || key.front() == ' '))
      key.erase(0, 1);
    text.remove_prefix(equals + 2);
    std::string value;
    for (; !text.empty() && text.front() != '"'; text.remove_prefix(1)) {
      if (text.front() == '\\' && text.size() > 1)
        text.remove_prefix(1);
      value += text.front();
    }
    if (text.empty())
      return false;
    text.remove_prefix(1);
    labels[key] = value;
  }
  if (text.empty())
    return false;
  text.remove_prefix(1);
  return true;
}

std::optional<Sample> readSample(std::string_view line) {
  Sample sample;
  const std::size_t open = line.find('{');
  if (open == std::string_view::npos)
    return std::nullopt;
  sample.metric = trim(line.substr(0, open));
  std::string_view rest = line.substr(open);
  if (!readLabels(rest, sample.labels))
    return std::nullopt;
  const std::optional<double> value = leadingNumber(rest);
  if (!value)
    return std::nullopt;
  sample.value = *value;
  return sample;
}

/// DCGM marks what a GPU does not report with blanks near the ends of the types: 2^47 for doubles, 2^63 for
/// integers (dcgm_structs.h, DCGM_FP64_BLANK and DCGM_INT64_BLANK).
bool isBlank(double value) {
  return value < 0 || value >= 140737488355328.0;
}

class Reader {
public:
  Reader(const std::string &file, Diagnostics &diagnostics) : file_(file), diagnostics_(diagnostics) {}

  Findings read(std::string_view text) {
    for (LineScanner lines(text); lines.next();) {
      const std::string_view line = trim(lines.line());
      if (!line.starts_with("DCGM_FI_")) // comments, other exporters, chatter of port-forward
        continue;
      if (const std::optional<Sample> sample = readSample(line))
        take(*sample, lineOf(file_, lines.number()));
      else
        diagnostics_.error(lineOf(file_, lines.number()), "expected METRIC{label=\"value\",...} number",
                           "bad-source");
    }
    Findings findings;
    for (auto &[name, node] : nodes_) {
      finish(node);
      findings.nodes.push_back(std::move(node));
    }
    return findings;
  }

private:
  static std::string_view label(const Labels &labels, std::string_view key) {
    const auto found = labels.find(key);
    return found == labels.end() ? std::string_view() : std::string_view(found->second);
  }

  void take(const Sample &sample, const SourceLocation &where) {
    const std::string_view number = label(sample.labels, "gpu");
    const std::optional<unsigned> index = wholeNumber(number);
    if (number.empty())
      return; // a metric of the host or a switch
    if (!index || *index >= 1024)
      return diagnostics_.error(where, "gpu=\"" + abbreviated(number) + "\"; expected 0 to 1023",
                                "bad-source");
    std::string_view host = label(sample.labels, "Hostname");
    if (host.empty())
      host = label(sample.labels, "hostname");
    NodeFindings &node = nodes_[std::string(host)];
    node.name = host;
    if (node.where.line == 0)
      node.where = where;
    if (node.gpus.size() <= *index)
      node.gpus.resize(*index + 1);
    GpuFindings &gpu = node.gpus[*index];
    if (!gpu.product)
      describe(gpu, sample.labels, where);
    if (const std::string_view pod = label(sample.labels, "pod"); !pod.empty() && !gpu.state)
      gpu.state = StateFinding{
          State::busy, "pod " + std::string(label(sample.labels, "namespace")) + "/" + std::string(pod),
          where};
    const std::string_view instance = label(sample.labels, "GPU_I_ID");
    if (!instance.empty())
      addSlice(gpu, std::string(instance), label(sample.labels, "GPU_I_PROFILE"));
    if (!isBlank(sample.value))
      takeValue(gpu, sample, !instance.empty(), where);
  }

  static void describe(GpuFindings &gpu, const Labels &labels, const SourceLocation &where) {
    gpu.busId = normalisedBusId(label(labels, "pci_bus_id"));
    gpu.uuid = label(labels, "UUID");
    if (const std::string_view model = label(labels, "modelName"); !model.empty())
      gpu.product = {std::string(model), where};
  }

  void addSlice(GpuFindings &gpu, const std::string &instance, std::string_view profile) {
    gpu.migEnabled = true;
    if (!slicesSeen_.try_emplace(gpu.uuid + "/" + instance, true).second)
      return;
    const std::size_t dot = profile.find('.');
    const std::optional<double> size =
        dot == std::string_view::npos ? std::nullopt : leadingNumber(profile.substr(dot + 1));
    gpu.slices.push_back({std::string(profile), gibibytes(size && *size > 0 && *size < 1e4 ? *size : 0), 0});
  }

  void takeValue(GpuFindings &gpu, const Sample &sample, bool ofInstance, const SourceLocation &where) {
    const std::string_view metric = sample.metric.substr(8);
    if (metric == "DEV_GPU_TEMP" && sample.value > 0)
      gpu.readings.temperatureCelsius = sample.value;
    else if (metric == "DEV_POWER_USAGE" && sample.value > 0)
      gpu.readings.powerDraw = watts(sample.value);
    else if (metric == "DEV_FB_USED")
      gpu.readings.memoryUsed = gpu.readings.memoryUsed.value_or(Bytes()) + mebibytes(sample.value);
    else if (metric == "DEV_ECC_DBE_VOL_TOTAL")
      gpu.readings.uncorrectableErrors = static_cast<std::uint64_t>(sample.value);
    else if (metric == "DEV_CLOCK_THROTTLE_REASONS" || metric == "DEV_CLOCKS_EVENT_REASONS")
      gpu.readings.throttle = throttleOf(static_cast<std::uint64_t>(sample.value));
    if (!ofInstance && (metric == "DEV_FB_USED" || metric == "DEV_FB_FREE" || metric == "DEV_FB_RESERVED"))
      gpu.memory = {(gpu.memory ? gpu.memory->value : Bytes()) + mebibytes(sample.value), where};
    if (metric == "DEV_FB_FREE" && !ofInstance)
      freeSeen_[gpu.uuid] = true;
  }

  /// The bits of nvml.h (nvmlClocksEventReason*) that slow a GPU below what was asked for.
  static std::string throttleOf(std::uint64_t bits) {
    if ((bits & 0x40U) != 0)
      return "hw_thermal_slowdown";
    if ((bits & 0x20U) != 0)
      return "sw_thermal_slowdown";
    if ((bits & 0x80U) != 0)
      return "hw_power_brake_slowdown";
    return (bits & 0x08U) != 0 ? "hw_slowdown" : "";
  }

  /// Used alone is no size; and GPUs that no line mentions stay unknown.
  void finish(NodeFindings &node) {
    for (GpuFindings &gpu : node.gpus)
      if (!freeSeen_.contains(gpu.uuid))
        gpu.memory.reset();
    node.gpuCount = {static_cast<unsigned>(node.gpus.size()), node.where};
  }

  const std::string &file_;
  Diagnostics &diagnostics_;
  std::map<std::string, NodeFindings> nodes_;
  std::map<std::string, bool> slicesSeen_, freeSeen_;
};

} // namespace

Findings readDcgm(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  Findings findings = Reader(file, diagnostics).read(text);
  findings.authority = Authority::hardware;
  return findings;
}

} // namespace streammap
