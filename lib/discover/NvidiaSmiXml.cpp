// `nvidia-smi -q -x`: each GPU of one node in detail, and how it does. The DTD changed from v4 to v13; what
// is read here has kept its place, or is looked for in each of its places. GPUs come in the order of their
// PCI addresses; links between them are not in this file.
#include "discover/LinkRates.h"
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "discover/Xml.h"
#include "support/Text.h"
#include <algorithm>

namespace streammap {
namespace {

/// "81559 MiB" as bytes; nothing for "N/A", "[Not Supported]" and the like.
std::optional<Bytes> mebibytesOf(std::string_view text) {
  const std::optional<double> number = leadingNumber(text);
  return number && *number >= 0 && text.find("MiB") != std::string_view::npos
             ? std::optional(mebibytes(*number))
             : std::nullopt;
}

std::optional<double> wattsOf(std::string_view text) {
  const std::optional<double> number = leadingNumber(text);
  return number && *number > 0 && text.ends_with("W") ? number : std::nullopt;
}

class GpuReader {
public:
  GpuReader(const XmlElement &gpu, const std::string &file) : gpu_(gpu), file_(file) {}

  GpuFindings read() {
    GpuFindings found;
    found.busId = normalisedBusId(gpu_.attribute("id"));
    found.uuid = gpu_.textOf("uuid");
    const SourceLocation where = lineOf(file_, gpu_.line);
    if (const std::string_view product = gpu_.textOf("product_name"); isKnown(product))
      found.product = {std::string(product), where};
    else if (product.find("rror") != std::string_view::npos || product.find("ERR") != std::string_view::npos)
      found.state = StateFinding{State::down, "the driver reports '" + std::string(product) + "'", where};
    if (const std::optional<Bytes> memory = mebibytesOf(gpu_.textOf({"fb_memory_usage", "total"}));
        memory && memory->value() > 0)
      found.memory = {*memory, where};
    readPower(found, where);
    readHostLink(found, where);
    readMig(found);
    readReadings(found);
    readProcesses(found);
    return found;
  }

private:
  static bool isKnown(std::string_view text) {
    return !text.empty() && text != "N/A" && text.find("rror") == std::string_view::npos &&
           text.find("ERR") == std::string_view::npos && text.find("Unknown") == std::string_view::npos;
  }

  /// power_readings until R525, gpu_power_readings since.
  void readPower(GpuFindings &found, const SourceLocation &where) {
    for (std::string_view block : {"gpu_power_readings", "power_readings"})
      for (std::string_view key : {"enforced_power_limit", "current_power_limit", "power_limit"})
        if (const std::optional<double> limit = wattsOf(gpu_.textOf({block, key}));
            limit && !found.powerLimit)
          found.powerLimit = {watts(*limit), where};
    for (std::string_view block : {"gpu_power_readings", "power_readings"})
      for (std::string_view key : {"instant_power_draw", "power_draw", "average_power_draw"})
        if (const std::optional<double> draw = wattsOf(gpu_.textOf({block, key}));
            draw && !found.readings.powerDraw)
          found.readings.powerDraw = watts(*draw);
  }

  /// The most the link can do: an idle GPU runs it at Gen1.
  void readHostLink(GpuFindings &found, const SourceLocation &where) {
    const XmlElement *link = gpu_.at({"pci", "pci_gpu_link_info"});
    if (link == nullptr)
      return;
    const std::optional<double> generation = leadingNumber(link->textOf({"pcie_gen", "max_link_gen"}));
    const std::optional<double> lanes = leadingNumber(link->textOf({"link_widths", "max_link_width"}));
    if (!generation || !lanes || *lanes < 1 || *lanes > 32 || *generation < 1 || *generation > 7)
      return;
    if (const std::optional<double> rate = pcieRate(static_cast<unsigned>(*generation)))
      found.hostLink = {pcieBandwidth(*rate, static_cast<unsigned>(*lanes)), where};
  }

  void readMig(GpuFindings &found) {
    found.migEnabled = gpu_.textOf({"mig_mode", "current_mig"}) == "Enabled";
    const XmlElement *devices = gpu_.child("mig_devices");
    if (devices == nullptr || !found.migEnabled)
      return;
    for (const XmlElement &device : devices->children) {
      if (device.name != "mig_device")
        continue;
      MigSlice slice;
      slice.memory = mebibytesOf(device.textOf({"fb_memory_usage", "total"})).value_or(Bytes());
      if (const std::optional<double> number =
              leadingNumber(device.textOf({"device_attributes", "shared", "multiprocessor_count"}));
          number && *number >= 1 && *number < 1000)
        slice.multiprocessors = static_cast<unsigned>(*number);
      found.slices.push_back(slice);
    }
  }

  void readReadings(GpuFindings &found) {
    found.readings.memoryUsed = mebibytesOf(gpu_.textOf({"fb_memory_usage", "used"}));
    if (const std::string_view text = gpu_.textOf({"temperature", "gpu_temp"}); text.ends_with("C"))
      found.readings.temperatureCelsius = leadingNumber(text);
    // Slowing below what was asked for; idling and application clocks are somebody's wish.
    for (std::string_view block : {"clocks_event_reasons", "clocks_throttle_reasons"})
      if (const XmlElement *reasons = gpu_.child(block))
        for (const XmlElement &reason : reasons->children)
          for (std::string_view cause :
               {"hw_thermal_slowdown", "sw_thermal_slowdown", "hw_power_brake_slowdown", "hw_slowdown"})
            if (reason.name.ends_with("_" + std::string(cause)) && reason.text == "Active" &&
                found.readings.throttle.empty())
              found.readings.throttle = cause;
    readErrors(found);
  }

  /// sram and dram since Ampere, double_bit before.
  void readErrors(GpuFindings &found) {
    const XmlElement *errors = gpu_.at({"ecc_errors", "volatile"});
    if (errors == nullptr)
      return;
    double sum = 0;
    bool any = false;
    auto add = [&](std::string_view text) {
      const std::optional<double> number = leadingNumber(text);
      any = any || number;
      sum += number.value_or(0);
    };
    for (const XmlElement &counter : errors->children) {
      if (counter.name.find("uncorrectable") != std::string::npos)
        add(counter.text);
      else if (counter.name == "double_bit")
        add(counter.textOf("total"));
    }
    if (any && sum >= 0 && sum < 9e15)
      found.readings.uncorrectableErrors = static_cast<std::uint64_t>(sum);
  }

  /// Programs that compute (type C); a display server is no reason to stay away.
  void readProcesses(GpuFindings &found) {
    const XmlElement *processes = gpu_.child("processes");
    if (processes == nullptr || found.state)
      return;
    const auto count = std::ranges::count_if(processes->children, [](const XmlElement &process) {
      return process.name == "process_info" && process.textOf("type").starts_with("C");
    });
    if (count > 0)
      found.state =
          StateFinding{State::busy, std::to_string(count) + (count == 1 ? " process" : " processes"),
                       lineOf(file_, processes->line)};
    else
      found.state = StateFinding{State::up, "", lineOf(file_, processes->line)};
  }

  const XmlElement &gpu_;
  const std::string &file_;
};

} // namespace

Findings readNvidiaSmiXml(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  Findings findings;
  findings.authority = Authority::hardware;
  const std::optional<XmlElement> root = parseXml(text, file, diagnostics);
  if (!root)
    return findings;
  if (root->name != "nvidia_smi_log") {
    diagnostics.error(lineOf(file, root->line),
                      "expected <nvidia_smi_log> of 'nvidia-smi -q -x', found <" + abbreviated(root->name) +
                          ">",
                      "bad-source");
    return findings;
  }
  NodeFindings node;
  node.where = lineOf(file, root->line);
  for (const XmlElement &gpu : root->children)
    if (gpu.name == "gpu")
      node.gpus.push_back(GpuReader(gpu, file).read());
  node.gpuCount = {static_cast<unsigned>(node.gpus.size()), node.where};
  if (const std::optional<double> attached = leadingNumber(root->textOf("attached_gpus"));
      attached && *attached > static_cast<double>(node.gpus.size()))
    findings.remarks.push_back({"the file says " + shortest(*attached) + " GPUs are attached and describes " +
                                    std::to_string(node.gpus.size()),
                                lineOf(file, root->child("attached_gpus")->line)});
  if (node.gpus.empty())
    diagnostics.error(node.where, "no <gpu> in it: 'nvidia-smi -q -x' saw none", "bad-source");
  findings.nodes.push_back(std::move(node));
  return findings;
}

} // namespace streammap
