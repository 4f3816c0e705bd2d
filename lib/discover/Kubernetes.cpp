#include "discover/Kubernetes.h"
#include "discover/Scan.h"
#include "support/Text.h"
#include <algorithm>
#include <array>

namespace streammap::kubernetes {
namespace {

constexpr unsigned mostGpus = 1024;

std::string_view labelOf(const Labels &labels, std::string_view key) {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

/// The switches above a node, nearest first, by whoever labels them.
std::vector<std::string> levelsOf(const Labels &labels) {
  static constexpr std::array<std::array<std::string_view, 3>, 4> families{{
      {"network.topology.nvidia.com/leaf", "network.topology.nvidia.com/spine",
       "network.topology.nvidia.com/core"},
      {"network.topology.kubernetes.io/block", "network.topology.kubernetes.io/spine",
       "network.topology.kubernetes.io/datacenter"},
      {"topology.k8s.aws/network-node-layer-3", "topology.k8s.aws/network-node-layer-2",
       "topology.k8s.aws/network-node-layer-1"},
      {"cloud.google.com/gce-topology-host", "cloud.google.com/gce-topology-subblock",
       "cloud.google.com/gce-topology-block"},
  }};
  for (const auto &family : families) {
    std::vector<std::string> levels;
    for (std::string_view key : family)
      if (const std::string_view name = labelOf(labels, key); !name.empty())
        levels.emplace_back(name);
    if (!levels.empty())
      return levels;
  }
  return {};
}

void addSwitches(NodeFindings &node, Findings &findings, const std::vector<std::string> &levels,
                 const SourceLocation &where) {
  if (levels.empty())
    return;
  node.leaf = {levels[0], where};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    auto found = std::ranges::find(findings.switches, levels[i], &SwitchFindings::name);
    if (found == findings.switches.end()) {
      findings.switches.push_back({levels[i], {}, where});
      found = findings.switches.end() - 1;
    }
    if (i + 1 < levels.size() && levels[i] != levels[i + 1] &&
        std::ranges::find(found->uplinks, levels[i + 1], &UplinkFinding::to) == found->uplinks.end())
      found->uplinks.push_back({levels[i + 1], 1, {}, where});
  }
}

GpuFindings gpuOf(const Labels &labels, const SourceLocation &where) {
  GpuFindings gpu;
  std::string_view product = labelOf(labels, "nvidia.com/gpu.product");
  if (product.ends_with("-SHARED"))
    product.remove_suffix(7);
  if (!product.empty())
    gpu.product = {std::string(product), where};
  if (const std::optional<double> memory = leadingNumber(labelOf(labels, "nvidia.com/gpu.memory"));
      memory && *memory > 0)
    gpu.memory = {mebibytes(*memory), where};
  const std::string_view major = labelOf(labels, "nvidia.com/gpu.compute.major"),
                         minor = labelOf(labels, "nvidia.com/gpu.compute.minor");
  if (wholeNumber(major) && wholeNumber(minor))
    gpu.capability = {std::string(major) + "." + std::string(minor), where};
  if (const std::optional<unsigned> count = wholeNumber(labelOf(labels, "nvidia.com/gpu.multiprocessors")))
    gpu.multiprocessors = {*count, where};
  return gpu;
}

} // namespace

std::optional<double> quantity(std::string_view text) {
  const std::optional<double> number = leadingNumber(text);
  if (!number || *number < 0)
    return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of("0123456789.+-"), text.size()));
  struct Suffix {
    std::string_view name;
    double factor;
  };
  static constexpr Suffix suffixes[] = {{"", 1},
                                        {"m", 1e-3},
                                        {"k", 1e3},
                                        {"M", 1e6},
                                        {"G", 1e9},
                                        {"T", 1e12},
                                        {"P", 1e15},
                                        {"Ki", 1024.0},
                                        {"Mi", 1048576.0},
                                        {"Gi", 1073741824.0},
                                        {"Ti", 1099511627776.0},
                                        {"Pi", 1125899906842624.0}};
  for (const Suffix &suffix : suffixes)
    if (suffix.name == text)
      return *number * suffix.factor;
  return std::nullopt;
}

void applyLabels(NodeFindings &node, Findings &findings, const Labels &labels,
                 const std::map<std::string, unsigned> &mig, const SourceLocation &where,
                 Diagnostics &diagnostics) {
  addSwitches(node, findings, levelsOf(labels), where);
  for (std::string_view key : {"nvidia.com/gpu.clique", "network.topology.nvidia.com/accelerator"})
    if (const std::string_view clique = labelOf(labels, key); !clique.empty() && !node.rack)
      node.rack = {std::string(clique), where};
  const std::string_view text = labelOf(labels, "nvidia.com/gpu.count");
  const std::optional<unsigned> count = wholeNumber(text);
  if (!text.empty() && (!count || *count > mostGpus)) {
    diagnostics.error(where,
                      "nvidia.com/gpu.count is '" + abbreviated(text) + "'; expected 0 to " +
                          std::to_string(mostGpus),
                      "bad-source");
    return;
  }
  const GpuFindings like = gpuOf(labels, where);
  if (labelOf(labels, "nvidia.com/mig.strategy") == "mixed" && !mig.empty()) {
    // gpu.count counts whole GPUs here, which jobs cannot have: what they can have are the slices.
    for (const auto &[profile, number] : mig)
      for (unsigned i = 0; i < number && node.gpus.size() < mostGpus; ++i) {
        node.gpus.push_back(like);
        node.gpus.back().memory.reset();
        node.gpus.back().multiprocessors.reset();
        node.gpus.back().product = {
            (like.product ? like.product->value : std::string("GPU")) + "-MIG-" + profile, where};
      }
  } else if (count) {
    node.gpus.assign(*count, like);
  } else {
    return;
  }
  node.gpuCount = {static_cast<unsigned>(node.gpus.size()), where};
}

StateFinding stateOf(bool ready, bool unschedulable, std::string_view taint, const SourceLocation &where) {
  if (!ready)
    return {State::down, "Kubernetes: not ready", where};
  if (unschedulable)
    return {State::drained, "Kubernetes: cordoned", where};
  if (!taint.empty())
    return {State::reserved, "Kubernetes: taint " + std::string(taint), where};
  return {State::up, "", where};
}

bool keepsJobsAway(std::string_view key, std::string_view effect) {
  // GPU jobs tolerate the taint that keeps others off GPU nodes; control planes of small clusters compute
  // too.
  static constexpr std::string_view harmless[] = {"nvidia.com/gpu", "node-role.kubernetes.io/control-plane",
                                                  "node-role.kubernetes.io/master"};
  return (effect == "NoSchedule" || effect == "NoExecute") &&
         std::ranges::find(harmless, key) == std::end(harmless);
}

} // namespace streammap::kubernetes
